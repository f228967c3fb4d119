package schema

import (
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// Subschema is one schema within a schema.
type Subschema struct {
	schemaguard.Subschema
	Name string     // of the property it describes, "" when it describes none
	of   *Subschema // the schema around it, nil for the root
	// aside reports that it only serves as the target of references, or is below such
	// a one.
	aside bool
}

// subschemas lists the schemas in root that are objects, the outer ones first. The
// size of root was checked before, which bounds their number and depth.
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

// Path returns where s stands in the schema. It is made when it is wanted: a
// hostile schema has thousands of parts below a name of a hundred kilobytes.
func (s *Subschema) Path() string {
	if s.of == nil {
		return jsondoc.Root
	}
	return s.Subschema.Path(s.of.Path())
}

// whole returns the outermost schema that is applied to the same value as s.
func (s *Subschema) whole() *Subschema {
	for s.Scope == schemaguard.Here {
		s = s.of
	}
	return s
}

// maxApplied bounds how many schemas are looked at for one value; a schema
// that holds more is taken to say anything.
const maxApplied = 100

// applied returns the schemas that n applies to one and the same value, itself
// included and references followed. It returns false when that is not known: a
// reference leads elsewhere, or there are too many.
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
