// This file checks the descriptions of parameters.

package schema

import (
	"fmt"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
)

// undocumented returns the parameters without a description, including nested parameters. A
// parameter with a single possible value does not need a description. If several schemas apply to
// the same parameter, for example under a condition, a single description suffices.
func (s *Schema) undocumented() []*Subschema {
	described := map[*Subschema]map[string]bool{}
	var bare []*Subschema
	for _, p := range s.Parts {
		if p.Name == "" {
			continue
		}
		whole := p.of.outermost()
		if described[whole] == nil {
			described[whole] = map[string]bool{}
		}
		if p.Node.Get("const") != nil || s.described(p.Node) {
			described[whole][p.Name] = true
			continue
		}
		bare = append(bare, p)
	}
	left := bare[:0]
	for _, p := range bare {
		if names := described[p.of.outermost()]; !names[p.Name] {
			names[p.Name] = true // report the parameter only once
			left = append(left, p)
		}
	}
	return left
}

// described reports whether n, or another schema that n applies to the parameter, has a
// description. It returns true if some of these schemas are unknown.
func (s *Schema) described(n *jsondoc.Node) bool {
	all, known := s.applied(n)
	for _, a := range all {
		if d := a.Get("description"); d != nil && strings.TrimSpace(d.Text) != "" {
			return true
		}
	}
	return !known
}

// firstNames returns the names of the first five schemas, separated by commas.
func firstNames(schemas []*Subschema) string {
	return lists.First(lists.Map(schemas, func(p *Subschema) string { return jsondoc.Quote(p.Name) }), 5)
}

// unknownRequired reports a required property if no schema for the same value has this property.
func (s *Schema) unknownRequired() []rules.Finding {
	var found []rules.Finding
	described := map[*Subschema]map[string]bool{}
	for _, part := range s.Parts {
		required := part.Node.Get("required")
		if required == nil || required.Kind != jsondoc.Array {
			continue
		}
		whole := part.outermost()
		names, looked := described[whole]
		if !looked {
			names = s.properties(whole)
			described[whole] = names
		}
		// The definition may be combined with another schema that describes the properties.
		if names == nil || len(names) == 0 && part.aside {
			continue
		}
		for i, item := range required.Items {
			if item.Kind != jsondoc.String || names[item.Text] {
				continue
			}
			if len(found) == rules.MaxPerText {
				return found
			}
			at := jsondoc.Index(jsondoc.Join(part.Path(), "required"), i)
			found = append(found, rules.Finding{Path: s.Below(at), Passage: item.Text, Message: fmt.Sprintf("%s is required but not described as a property.", jsondoc.Quote(item.Text))})
		}
	}
	return found
}

// properties returns the names of the properties that are described in subschema or in another
// schema for the same value. It returns nil if the names cannot be determined.
func (s *Schema) properties(subschema *Subschema) map[string]bool {
	all, known := s.applied(subschema.Node)
	names := map[string]bool{}
	for _, n := range all {
		for _, m := range membersOf(n.Get("properties")) {
			names[m.Key] = true
		}
		known = known && n.Get("patternProperties") == nil
	}
	if !known {
		return nil
	}
	return names
}

func membersOf(n *jsondoc.Node) []jsondoc.Member {
	if n == nil {
		return nil
	}
	return n.Members
}
