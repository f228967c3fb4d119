package wording

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/schema"
)

// defaults finds parameters with dangerous default values: a model leaves out
// parameters that have one.
func (a *attack) defaults(c *View) []candidate {
	s := schema.Input(c.Change)
	if len(a.Defaults) == 0 || !c.IsAction() || s == nil {
		return nil
	}
	var found []candidate
	for _, part := range s.Parts {
		if part.Name == "" || len(found) == rules.MaxPerText {
			continue
		}
		for _, keyword := range []string{"default", "const"} {
			value := part.Node.Get(keyword)
			if value == nil {
				continue
			}
			if text, ok := a.dangerous(c, part.Name, value); ok {
				found = append(found, candidate{certain: true, Finding: rules.Finding{
					Path: s.Below(jsondoc.Join(part.Path(), keyword)), Passage: text,
					Message: fmt.Sprintf("Parameter %s is %s unless the caller says otherwise, and the tool does not say that it is for that.", jsondoc.Quote(part.Name), jsondoc.Quote(text)),
				}})
			}
		}
	}
	return found
}

// dangerous returns the value of a parameter as text and reports whether a lists
// it and the tool is not about it.
func (a *attack) dangerous(c *View, parameter string, value *jsondoc.Node) (string, bool) {
	values := []*jsondoc.Node{value}
	if value.Kind == jsondoc.Array {
		values = value.Items
	}
	name := strings.Join(wordsOf(parameter), " ")
	for _, v := range values {
		text := textOf(v)
		for i := range a.Defaults {
			if d := &a.Defaults[i]; text != "" && (d.Purpose == "" || c.about(d.Purpose)) && inName(name, d.Parameter) && listed(d, text) && !c.concerns(parameter+" "+text) {
				return text, true
			}
		}
	}
	return "", false
}

// textOf returns a string or a boolean as text.
func textOf(n *jsondoc.Node) string {
	if n.Kind == jsondoc.String || n.Kind == jsondoc.Bool {
		return n.Text
	}
	return ""
}

// inName reports whether a name, its words apart, has one of the phrases.
func inName(name string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return p == "*" || strings.Contains(" "+name+" ", " "+p+" ") })
}

// listed reports whether d lists the value.
func listed(d *rulebook.Default, value string) bool {
	return slices.ContainsFunc(d.Value, func(v string) bool {
		switch v {
		case "email", "url":
			return addressOfStranger(value) && strings.Contains(value, map[string]string{"email": "@", "url": "://"}[v])
		case "wallet":
			return grammar().Scan(value).Concepts.Meets(grammar().Concept("account"))
		}
		return v == strings.ToLower(value)
	})
}
