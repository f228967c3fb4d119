package setpage

import (
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

// schemaEntries returns the parameters of a schema, each once, with everything that
// the schema says about it. name stands before their names.
func schemaEntries(n *jsondoc.Node, path, name string) []entry {
	if n.Kind != jsondoc.Object {
		return []entry{{name: name, text: flow(scalar(n)), path: path}}
	}
	s := schemaOf(n, path, name)
	var list []entry
	if detail := strings.TrimPrefix(s.detail(), "object"); detail != "" || s.text != "" {
		list = append(list, entry{name: name, detail: strings.TrimSpace(detail), text: s.text, path: path})
	}
	return append(list, s.children...)
}

// schema has the parts of a schema: those of its own row, and the entries inside it.
type schema struct {
	path, name string
	types      []string
	terms      []string // the other keywords
	text       string
	children   []entry
}

func (s schema) detail() string {
	return strings.Join(append([]string{strings.Join(s.types, "|")}, s.terms...), " ")
}

func schemaOf(n *jsondoc.Node, path, name string) schema {
	s := schema{path: path, name: name}
	required := n.Get("required")
	for _, m := range n.Members {
		s.keyword(m, required)
	}
	if len(s.types) == 0 {
		s.types = []string{}
	}
	return s
}

// keyword takes in one keyword.
func (s *schema) keyword(m jsondoc.Member, required *jsondoc.Node) {
	at := jsondoc.Join(s.path, m.Key)
	switch m.Key {
	case "type":
		s.types = append(s.types, words(m.Value)...)
	case "description":
		s.text = strings.TrimSpace(s.text + " " + flow(scalar(m.Value)))
	case "title":
		if m.Value.Kind != jsondoc.String || !strings.EqualFold(m.Value.Text, last(s.name)) {
			s.terms = append(s.terms, "titled "+flow(scalar(m.Value)))
		}
	case "enum":
		s.terms = append(s.terms, "one of "+strings.Join(words(m.Value), " | "))
	case "required":
		for _, name := range words(m.Value) {
			if !has(s, name) {
				s.terms = append(s.terms, "requires "+name)
			}
		}
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		s.members(m, at, required)
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
		s.part(m, at)
	case "anyOf", "oneOf", "allOf", "prefixItems":
		s.variants(m, at)
	case "$schema":
		if !strings.HasPrefix(scalar(m.Value), "http://json-schema.org/draft") && !strings.HasPrefix(scalar(m.Value), "https://json-schema.org/draft") || strings.ContainsAny(scalar(m.Value), " \n") {
			s.terms = append(s.terms, "$schema "+flow(scalar(m.Value)))
		}
	default:
		s.terms = append(s.terms, m.Key+" "+flow(scalar(m.Value)))
	}
}

// has reports whether a parameter of s is listed.
func has(s *schema, name string) bool {
	return slices.ContainsFunc(s.children, func(e entry) bool { return strings.TrimSuffix(last(e.name), "*") == name })
}

// members takes in named schemas.
func (s *schema) members(m jsondoc.Member, at string, required *jsondoc.Node) {
	if m.Value.Kind != jsondoc.Object {
		s.terms = append(s.terms, m.Key+" "+flow(scalar(m.Value)))
		return
	}
	for _, p := range m.Value.Members {
		name := dotted(s.name, p.Key)
		if m.Key != "properties" {
			name = dotted(s.name, m.Key+"."+p.Key)
		} else if required != nil && slices.Contains(words(required), p.Key) {
			name += "*"
		}
		s.child(p.Value, jsondoc.Join(at, p.Key), name)
	}
}

// child adds the entries of a schema inside of this one.
func (s *schema) child(n *jsondoc.Node, at, name string) {
	if n.Kind != jsondoc.Object {
		s.children = append(s.children, entry{name: name, detail: scalar(n), path: at})
		return
	}
	c := schemaOf(n, at, strings.TrimSuffix(name, "*"))
	s.children = append(s.children, entry{name: name, detail: c.detail(), text: c.text, path: at})
	s.children = append(s.children, c.children...)
}

// part takes in the schema of a keyword: on the same row where it is short.
func (s *schema) part(m jsondoc.Member, at string) {
	if m.Value.Kind != jsondoc.Object {
		if m.Key == "additionalProperties" && m.Value.Kind == jsondoc.Bool {
			return // most schemas say so; the raw one is folded below
		}
		s.terms = append(s.terms, m.Key+" "+flow(scalar(m.Value)))
		return
	}
	label, name := m.Key, dotted(s.name, m.Key)
	switch m.Key {
	case "items":
		label, name = "of", s.name+"[]"
	case "additionalProperties":
		label, name = "with values", dotted(s.name, "*")
	}
	c := schemaOf(m.Value, at, name)
	if c.text == "" {
		if d := c.detail(); d != "" {
			s.terms = append(s.terms, label+" "+d)
		}
		s.children = append(s.children, c.children...)
		return
	}
	s.child(m.Value, at, name)
}

// variants takes in a list of schemas: on the same row where all are short.
func (s *schema) variants(m jsondoc.Member, at string) {
	if m.Value.Kind != jsondoc.Array {
		s.terms = append(s.terms, m.Key+" "+flow(scalar(m.Value)))
		return
	}
	var brief []string
	for i, n := range m.Value.Items {
		if n.Kind == jsondoc.Object {
			if c := schemaOf(n, jsondoc.Index(at, i), s.name); c.text != "" || len(c.children) > 0 {
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
		s.child(n, jsondoc.Index(at, i), jsondoc.Index(dotted(s.name, m.Key), i))
	}
}

// words returns the values of an array, or the one value.
func words(n *jsondoc.Node) []string {
	if n.Kind != jsondoc.Array {
		return []string{flow(scalar(n))}
	}
	list := make([]string, len(n.Items))
	for i, o := range n.Items {
		list[i] = flow(scalar(o))
	}
	return list
}

func dotted(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}

// last returns the last part of a dotted name.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
