// This file converts JSON Schemas to entries for their parameters and other texts.

package setpage

import (
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// schemaEntries returns an entry for each parameter in the schema n. An entry describes all keywords of the parameter's
// schema. name is the prefix of the names of the entries. titles contains generated titles, which are omitted.
func schemaEntries(n *jsondoc.Node, path, name string, titles []string) []entry {
	if n.Kind != jsondoc.Object {
		return []entry{named(name, oneLine(review.Scalar(n)), path)}
	}
	s := schemaOf(n, schema{path: path, name: name, titles: titles})
	for i, e := range s.children { // top-level entries
		if e.depth == 0 {
			s.children[i].label = e.name
		}
	}
	var list []entry
	if detail := strings.TrimSpace(strings.TrimPrefix(s.detail(), "object")); detail != "" || s.text != "" {
		e := named(name, s.text, path)
		e.detail = detail
		list = append(list, e)
	}
	return append(list, s.children...)
}

// schema collects the contents of a schema: the words and the text for its row, and the entries of its nested
// schemas.
type schema struct {
	path, name string
	depth      int      // depth of the nested entries
	titles     []string // titles to omit
	types      []string
	terms      []string // other keywords
	text       string
	children   []entry
}

func (s schema) detail() string {
	return strings.Join(slices.DeleteFunc(append([]string{strings.Join(s.types, "|")}, s.terms...), func(t string) bool { return t == "" }), " ")
}

// schemaOf adds the contents of the schema n to s and returns s. The caller must have set the path, the name, and the
// depth in s.
func schemaOf(n *jsondoc.Node, s schema) schema {
	for _, m := range n.Members {
		at := jsondoc.Join(s.path, m.Key)
		switch m.Key {
		case "type":
			s.types = append(s.types, words(m.Value)...)
		case "description":
			s.text = strings.TrimSpace(s.text + " " + oneLine(review.Scalar(m.Value)))
		case "title":
			if m.Value.Kind != jsondoc.String || !slices.ContainsFunc(append(s.titles, s.name[strings.LastIndexByte(s.name, '.')+1:]), func(name string) bool { return repeats(m.Value.Text, name) }) {
				s.terms = append(s.terms, "titled "+oneLine(review.Scalar(m.Value)))
			}
		case "enum":
			s.terms = append(s.terms, "one of "+strings.Join(words(m.Value), " | "))
		case "required":
			for _, name := range words(m.Value) {
				if n.Get("properties").Get(name) == nil {
					s.terms = append(s.terms, "requires "+name)
				}
			}
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			if m.Value.Kind != jsondoc.Object {
				s.terms = append(s.terms, m.Key+" "+oneLine(review.Scalar(m.Value)))
				continue
			}
			for _, p := range m.Value.Members {
				name, mark := dotted(s.name, p.Key), ""
				if m.Key != "properties" {
					name = dotted(s.name, m.Key+"."+p.Key)
				} else if required := n.Get("required"); required != nil && slices.Contains(words(required), p.Key) {
					mark = "*"
				}
				s.child(p.Value, jsondoc.Join(at, p.Key), name, mark)
			}
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
			s.part(m, at)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			s.variants(m, at)
		case "$schema":
			if !strings.HasPrefix(review.Scalar(m.Value), "http://json-schema.org/draft") && !strings.HasPrefix(review.Scalar(m.Value), "https://json-schema.org/draft") || strings.ContainsAny(review.Scalar(m.Value), " \n") {
				s.terms = append(s.terms, "$schema "+oneLine(review.Scalar(m.Value)))
			}
		default:
			s.terms = append(s.terms, m.Key+" "+oneLine(review.Scalar(m.Value)))
		}
	}
	return s
}

// repeats reports whether title only repeats name, as in schemas that were generated from code. For example, "Max
// Results" repeats max_results.
func repeats(title, name string) bool {
	words := strings.NewReplacer("_", "", " ", "", "-", "")
	return strings.EqualFold(words.Replace(title), words.Replace(name))
}

// child adds an entry for the nested schema n, followed by the entries of the schemas nested in n. mark is appended to
// the name of the entry.
func (s *schema) child(n *jsondoc.Node, at, name, mark string) {
	e := entry{name: name + mark, label: s.inside(name) + mark, depth: s.depth, path: at}
	if n.Kind != jsondoc.Object {
		e.detail = review.Scalar(n)
		s.children = append(s.children, e)
		return
	}
	c := schemaOf(n, schema{path: at, name: name, depth: s.depth + 1})
	e.detail, e.text = c.detail(), c.text
	s.children = append(append(s.children, e), c.children...)
}

// inside returns name without the name of the enclosing schema. For entries in the items of an array, it also removes
// "[].".
func (s *schema) inside(name string) string {
	rest := strings.TrimPrefix(name, s.name)
	if below, ok := strings.CutPrefix(rest, "[]."); ok {
		return below
	}
	return strings.TrimPrefix(rest, ".")
}

// part adds the nested schema that the keyword m contains. A nested schema without a text is described on the row of
// the enclosing schema.
func (s *schema) part(m jsondoc.Member, at string) {
	if m.Value.Kind != jsondoc.Object {
		if m.Key == "additionalProperties" && m.Value.Kind == jsondoc.Bool {
			return // most schemas set this keyword, and the raw JSON shows it
		}
		s.terms = append(s.terms, m.Key+" "+oneLine(review.Scalar(m.Value)))
		return
	}
	label, name := m.Key, dotted(s.name, m.Key)
	switch m.Key {
	case "items":
		label, name = "of", s.name+"[]"
	case "additionalProperties":
		label, name = "with values", dotted(s.name, "*")
	}
	c := schemaOf(m.Value, schema{path: at, name: name, depth: s.depth})
	if c.text == "" {
		if d := c.detail(); d != "" {
			s.terms = append(s.terms, label+" "+d)
		}
		for _, e := range c.children {
			if e.depth == s.depth && m.Key != "items" {
				e.label = dotted(s.inside(name), e.label)
			}
			s.children = append(s.children, e)
		}
		return
	}
	s.child(m.Value, at, name, "")
}

// variants adds the schemas in the array that the keyword m contains. If all these schemas are short, they are
// described on the row of the enclosing schema.
func (s *schema) variants(m jsondoc.Member, at string) {
	if m.Value.Kind != jsondoc.Array {
		s.terms = append(s.terms, m.Key+" "+oneLine(review.Scalar(m.Value)))
		return
	}
	var brief []string
	for i, n := range m.Value.Items {
		if n.Kind == jsondoc.Object {
			if c := schemaOf(n, schema{path: jsondoc.Index(at, i), name: s.name}); c.text != "" || len(c.children) > 0 {
				brief = nil
				break
			} else if d := c.detail(); d != "" {
				brief = append(brief, d)
			}
		}
	}
	if len(brief) == len(m.Value.Items) {
		s.terms = append(s.terms, m.Key+" ("+strings.Join(brief, ", ")+")")
		return
	}
	for i, n := range m.Value.Items {
		s.child(n, jsondoc.Index(at, i), jsondoc.Index(dotted(s.name, m.Key), i), "")
	}
}

// words returns the elements of an array as texts, or the text of a single value.
func words(n *jsondoc.Node) []string {
	if n.Kind != jsondoc.Array {
		return []string{oneLine(review.Scalar(n))}
	}
	return lists.Map(n.Items, func(o *jsondoc.Node) string { return oneLine(review.Scalar(o)) })
}

func dotted(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}
