package schema

import (
	"net/url"
	"strings"

	"toolcrib/registry/jsondoc"
)

// Subschema is one schema within a schema.
type Subschema struct {
	Node *jsondoc.Node
	Name string     // of the property it describes, "" when it describes none
	of   *Subschema // the schema around it, nil for the root
	way  []string   // from there: a keyword and, below it, a name
	item int        // or the place in a list, -1 when it stands in none
	// same reports that it applies to the same value as of.
	same bool
	// aside reports that it only serves as the target of references, or is below such
	// a one.
	aside bool
}

// applicator is a keyword of JSON Schema that holds schemas.
type applicator struct {
	named bool // by names that the author chose
	same  bool // applied to the same value
}

// applicators are the keywords that hold schemas, of the drafts 4 to 2020-12
// (https://json-schema.org/draft/2020-12/json-schema-core, section 10).
var applicators = map[string]applicator{
	"allOf": {same: true}, "anyOf": {same: true}, "oneOf": {same: true}, "not": {same: true},
	"if": {same: true}, "then": {same: true}, "else": {same: true}, "dependentSchemas": {named: true, same: true},
	"properties": {named: true}, "patternProperties": {named: true}, "$defs": {named: true}, "definitions": {named: true},
	"items": {}, "prefixItems": {}, "additionalItems": {}, "contains": {}, "unevaluatedItems": {},
	"additionalProperties": {}, "unevaluatedProperties": {}, "propertyNames": {},
}

// subschemas lists the schemas in root, the outer ones first. The size of root
// was checked before, which bounds their number and depth.
func subschemas(root *jsondoc.Node) []*Subschema {
	all := []*Subschema{{Node: root, item: -1}}
	for i := 0; i < len(all); i++ {
		s := all[i]
		for _, m := range s.Node.Members {
			if a, ok := applicators[m.Key]; ok {
				all = append(all, s.under(m, a)...)
			}
		}
	}
	return all
}

// under returns the schemas that stand under one keyword.
func (s *Subschema) under(m jsondoc.Member, a applicator) []*Subschema {
	var inner []*Subschema
	add := func(n *jsondoc.Node, item int, way ...string) {
		if n.Kind == jsondoc.Object {
			inner = append(inner, &Subschema{Node: n, of: s, way: way, item: item, same: a.same, aside: s.aside || m.Key == "$defs" || m.Key == "definitions"})
		}
	}
	switch {
	case a.named:
		for _, named := range m.Value.Members {
			add(named.Value, -1, m.Key, named.Key)
		}
	case m.Value.Kind == jsondoc.Array:
		for i, item := range m.Value.Items {
			add(item, i, m.Key)
		}
	default:
		add(m.Value, -1, m.Key)
	}
	if m.Key == "properties" {
		for _, p := range inner {
			p.Name = p.way[1]
		}
	}
	return inner
}

// Path returns where s stands in the schema. It is made when it is wanted: a
// hostile schema has thousands of parts below a name of a hundred kilobytes.
func (s *Subschema) Path() string {
	if s.of == nil {
		return jsondoc.Root
	}
	path := s.of.Path()
	for _, key := range s.way {
		path = jsondoc.Join(path, key)
	}
	if s.item >= 0 {
		path = jsondoc.Index(path, s.item)
	}
	return path
}

// whole returns the outermost schema that is applied to the same value as s.
func (s *Subschema) whole() *Subschema {
	for s.same {
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
func applied(n, root *jsondoc.Node) ([]*jsondoc.Node, bool) {
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
			switch a, ok := applicators[m.Key]; {
			case m.Key == "$dynamicRef" || m.Key == "$recursiveRef":
				return all, false
			case m.Key == "$ref":
				target := resolve(root, m.Value.Text)
				if target == nil {
					return all, false
				}
				add(target)
			case !ok || !a.same:
			case a.named:
				for _, named := range m.Value.Members {
					add(named.Value)
				}
			default:
				add(m.Value)
				for _, item := range m.Value.Items {
					add(item)
				}
			}
		}
	}
	return all, true
}

// resolve follows a reference within the document: a JSON pointer (RFC 6901)
// in a fragment. It returns nil when it leads nowhere or is of another form.
func resolve(root *jsondoc.Node, ref string) *jsondoc.Node {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil
	}
	n := root
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if n != nil && n.Kind == jsondoc.Array {
			n = n.Find("[" + token + "]")
			continue
		}
		n = n.Get(token)
	}
	return n
}
