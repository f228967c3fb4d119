// This file walks schemas.

package schema

import (
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// Subschema is a schema within another schema, or the root schema.
type Subschema struct {
	schemaguard.Subschema
	Name string     // name of the property that the schema describes, or ""
	of   *Subschema // the enclosing schema, or nil for the root
	// aside reports whether the schema applies only through references, because it or an enclosing
	// schema is a definition.
	aside bool
}

// subschemas returns root and all schemas in root that are objects. Outer schemas come before inner
// ones. The size of root has already been checked, which limits the number and the depth of the
// schemas.
func subschemas(root *jsondoc.Node) []*Subschema {
	all := []*Subschema{{Subschema: schemaguard.Subschema{Node: root}}}
	for i := 0; i < len(all); i++ {
		for _, m := range all[i].Node.Members {
			for _, held := range schemaguard.Subschemas(m) {
				if held.Node.Kind != jsondoc.Object {
					continue
				}
				s := &Subschema{Subschema: held, of: all[i], aside: all[i].aside || held.Scope == schemaguard.Nowhere}
				if held.Scope == schemaguard.Member {
					s.Name = held.Key
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// Path returns the path of s in the root schema. It is computed only on demand, because a hostile
// schema may have thousands of parts below a name of 100 KB.
func (s *Subschema) Path() string {
	if s.of == nil {
		return jsondoc.Root
	}
	return s.Subschema.Path(s.of.Path())
}

// outermost returns the outermost schema that applies to the same value as s.
func (s *Subschema) outermost() *Subschema {
	for s.Scope == schemaguard.Here {
		s = s.of
	}
	return s
}

// maxApplied is the maximum number of schemas that applied returns.
const maxApplied = 100

// applied returns n and all schemas that n applies to the same value: schemas in n, and the targets
// of references. It returns false if the list is incomplete, because a target is not in the same
// document or because there are more than maxApplied schemas.
func (s *Schema) applied(n *jsondoc.Node) ([]*jsondoc.Node, bool) {
	all, seen := []*jsondoc.Node{n}, map[*jsondoc.Node]bool{n: true}
	add := func(n *jsondoc.Node) {
		if n != nil && n.Kind == jsondoc.Object && !seen[n] {
			seen[n] = true
			all = append(all, n)
		}
	}
	for i := 0; i < len(all); i++ {
		if i == maxApplied {
			return all, false
		}
		for _, m := range all[i].Members {
			switch m.Key {
			case "$dynamicRef", "$recursiveRef":
				return all, false
			case "$ref":
				target := s.Target(all[i])
				if target == nil {
					return all, false
				}
				add(target)
			}
			for _, held := range schemaguard.Subschemas(m) {
				if held.Scope == schemaguard.Here {
					add(held.Node)
				}
			}
		}
	}
	return all, true
}
