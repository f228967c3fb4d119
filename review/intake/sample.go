// This file generates sample arguments from a schema, for examples and test cases.

package intake

import (
	"slices"
	"strconv"
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// Limits of a generated value. A value that is nested deeper than maxSampleDepth becomes an empty
// object. A value with more than maxSampleNodes nodes is not used.
const (
	maxSampleDepth = 8
	maxSampleNodes = 200
)

// sample is a generated value. ok is false if the value does not match the schema or is too large.
type sample struct {
	value *jsondoc.Node
	ok    bool
}

// arguments generates arguments that match schema. minimal has only the required properties, and
// full has all properties.
func arguments(schema []byte) (minimal, full sample) {
	compiled, err := schemaguard.Compile(schema)
	if err != nil {
		return minimal, full
	}
	generate := func(everything bool) sample {
		m := generator{schema: compiled, everything: everything}
		made := m.value(compiled.Root, "", 0)
		if made.Kind != jsondoc.Object && compiled.Root.Get("type") == nil {
			made = jsondoc.NewObject() // the arguments of a tool are an object
		}
		return sample{made, m.nodes <= maxSampleNodes && compiled.Validate(made) == nil}
	}
	return generate(false), generate(true)
}

// generator generates values that match the most common keywords of a schema.
type generator struct {
	schema     *schemaguard.Schema
	everything bool
	nodes      int
}

// value returns a value that matches s. name is the name of the property; generated texts contain
// it.
func (m *generator) value(s *jsondoc.Node, name string, depth int) *jsondoc.Node {
	m.nodes++
	for target := s; target != nil; target = m.schema.Target(s) { // schemaguard rejects circular references
		s = target
	}
	if s == nil || s.Kind != jsondoc.Object || depth > maxSampleDepth || m.nodes > maxSampleNodes {
		return jsondoc.NewObject()
	}
	if v := s.Get("const"); v != nil {
		return v
	}
	for _, key := range []string{"examples", "enum"} {
		if list := s.Get(key); list != nil && len(list.Items) > 0 {
			return list.Items[0]
		}
	}
	if v := s.Get("default"); v != nil && v.Kind != jsondoc.Null {
		return v
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list := s.Get(key); list != nil && len(list.Items) > 0 && s.Get("type") == nil {
			return m.value(list.Items[0], name, depth+1)
		}
	}
	kind := ""
	if t := s.Get("type"); t != nil && t.Kind == jsondoc.Array && len(t.Items) > 0 {
		kind = t.Items[0].Text
	} else if t != nil {
		kind = t.Text
	}
	switch kind {
	case "string":
		text := sampleText(s, name)
		if least := whole(s.Get("minLength"), 0); len(text) < least && least <= 1000 {
			text += strings.Repeat("x", least-len(text))
		}
		if most := whole(s.Get("maxLength"), len(text)); len([]rune(text)) > most {
			text = string([]rune(text)[:most])
		}
		return jsondoc.NewString(text)
	case "integer", "number":
		for _, key := range []string{"minimum", "maximum"} { // the smallest allowed number
			if n := s.Get(key); n != nil && n.Kind == jsondoc.Number && (key == "minimum" || strings.HasPrefix(n.Text, "-") || n.Text == "0") {
				return jsondoc.NewNumber(n.Text)
			}
		}
		if n := s.Get("multipleOf"); n != nil && n.Kind == jsondoc.Number {
			return jsondoc.NewNumber(n.Text)
		}
		return jsondoc.NewNumber("1")
	case "boolean":
		return jsondoc.NewBool(true)
	case "null":
		return &jsondoc.Node{Kind: jsondoc.Null}
	case "array":
		out := jsondoc.NewArray()
		if items := s.Get("items"); items != nil {
			for range min(max(1, whole(s.Get("minItems"), 1)), 10) {
				out.Items = append(out.Items, m.value(items, strings.TrimSuffix(name, "s"), depth+1))
			}
		}
		return out
	}
	out := jsondoc.NewObject()
	if props, required := s.Get("properties"), s.Get("required"); props != nil {
		for _, p := range props.Members {
			if m.everything && depth == 0 || required != nil && slices.ContainsFunc(required.Items, func(n *jsondoc.Node) bool { return n.Text == p.Key }) {
				out.Set(p.Key, m.value(p.Value, p.Key, depth+1))
			}
		}
	}
	return out
}

// sampleText returns a sample text for the property with the given name and the schema s.
func sampleText(s *jsondoc.Node, name string) string {
	samples := map[string]string{
		"date-time": "2026-01-15T12:00:00Z", "date": "2026-01-15", "time": "12:00:00Z", "email": "ada@example.com",
		"uri": "https://example.com/", "url": "https://example.com/", "uri-reference": "https://example.com/",
		"uuid": "00000000-0000-4000-8000-000000000000", "ipv4": "192.0.2.1", "hostname": "example.com",
	}
	if format := s.Get("format"); format != nil && samples[format.Text] != "" {
		return samples[format.Text]
	}
	if name == "" {
		return "example"
	}
	return "example " + strings.ToLower(strings.ReplaceAll(name, "_", " "))
}

// whole returns the value of n if n is an integer from 0 to 999999999. In all other cases, it
// returns the default value otherwise.
func whole(n *jsondoc.Node, otherwise int) int {
	if n == nil || n.Kind != jsondoc.Number || len(n.Text) > 9 {
		return otherwise
	}
	v, err := strconv.ParseUint(n.Text, 10, 32)
	if err != nil {
		return otherwise
	}
	return int(v) //nolint:gosec // at most nine digits
}
