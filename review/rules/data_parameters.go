package rules

import (
	"context"
	"fmt"
	"strings"

	"toolcrib/registry/jsondoc"
)

// parameterRules look at the parameters that a schema names.
func parameterRules() []Rule {
	return []Rule{
		{
			ID: "D201",
			Check: func(_ context.Context, c *Change) ([]Finding, error) {
				s := c.input()
				if s == nil || imported(judged(c)) {
					return nil, nil
				}
				var found []Finding
				bare := s.undocumented()
				for _, p := range bare[:min(len(bare), maxPerText)] {
					found = append(found, Finding{Path: s.below(p.path()), Passage: p.name, Message: fmt.Sprintf("The parameter %s has no description.", jsondoc.Quote(p.name))})
				}
				return found, nil
			},
		},
		{
			ID: "D202",
			Check: func(_ context.Context, c *Change) ([]Finding, error) {
				s := c.input()
				if s == nil || !imported(judged(c)) {
					return nil, nil
				}
				bare := s.undocumented()
				if len(bare) == 0 {
					return nil, nil
				}
				return []Finding{{Path: s.path, Message: fmt.Sprintf("%d of its parameters have no description: %s.", len(bare), firstNames(bare))}}, nil
			},
		},
		{
			ID:    "D203",
			Check: eachSchema((*schema).unknownRequired),
		},
	}
}

// undocumented returns the parameters that nothing describes, nested ones
// included. One that can have a single value needs no words; and what holds
// only under a condition is described where it always holds.
func (s *schema) undocumented() []*subschema {
	described := map[*subschema]map[string]bool{}
	var bare []*subschema
	for _, p := range s.parts {
		if p.name == "" {
			continue
		}
		whole := p.of.whole()
		if described[whole] == nil {
			described[whole] = map[string]bool{}
		}
		if p.node.Get("const") != nil || s.described(p.node) {
			described[whole][p.name] = true
			continue
		}
		bare = append(bare, p)
	}
	left := bare[:0]
	for _, p := range bare {
		if names := described[p.of.whole()]; !names[p.name] {
			names[p.name] = true // told once
			left = append(left, p)
		}
	}
	return left
}

// described reports whether n or what it applies says what it means.
func (s *schema) described(n *jsondoc.Node) bool {
	all, known := applied(n, s.root)
	for _, a := range all {
		if d := a.Get("description"); d != nil && strings.TrimSpace(d.Text) != "" {
			return true
		}
	}
	return !known
}

// maxNamed is how many names a message lists.
const maxNamed = 5

func firstNames(parts []*subschema) string {
	var names []string
	for _, p := range parts {
		if len(names) == maxNamed {
			names = append(names, "...")
			break
		}
		names = append(names, jsondoc.Quote(p.name))
	}
	return strings.Join(names, ", ")
}

// unknownRequired finds names that are required and nowhere described for the
// value that they are required of.
func (s *schema) unknownRequired() []Finding {
	var found []Finding
	described := map[*subschema]map[string]bool{}
	for _, part := range s.parts {
		required := part.node.Get("required")
		if required == nil || required.Kind != jsondoc.Array {
			continue
		}
		whole := part.whole()
		names, looked := described[whole]
		if !looked {
			names = s.properties(whole)
			described[whole] = names
		}
		// What stands aside may be a part of something that says the rest.
		if names == nil || len(names) == 0 && part.aside {
			continue
		}
		for i, item := range required.Items {
			if item.Kind != jsondoc.String || names[item.Text] {
				continue
			}
			if len(found) == maxPerText {
				return found
			}
			at := jsondoc.Index(jsondoc.Join(part.path(), "required"), i)
			found = append(found, Finding{Path: s.below(at), Passage: item.Text, Message: fmt.Sprintf("%s is required, and no property of that name is described.", jsondoc.Quote(item.Text))})
		}
	}
	return found
}

// properties returns the names that are described for the value that whole is
// applied to; nil when they cannot be known.
func (s *schema) properties(whole *subschema) map[string]bool {
	all, known := applied(whole.node, s.root)
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
