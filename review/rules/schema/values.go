// This file checks default values and other constraints in schemas.

package schema

import (
	"fmt"
	"strconv"
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
	"toolcrib/review/rules"
)

// At most maxDefaults default values of a schema are checked. If the schema has more than maxProbed
// subschemas, no default values are checked, because the time for compiling a schema is quadratic
// in the number of its subschemas.
const (
	maxDefaults = 100
	maxProbed   = 1_000
)

// wrongDefaults reports default values that do not match the schema that contains them. To validate
// all defaults at once, it builds a probe schema with a property for each default and the
// definitions of s.
func (s *Schema) wrongDefaults() []rules.Finding {
	if s.invalid != nil || len(s.Parts) > maxProbed {
		return nil
	}
	var tried []*Subschema
	var properties, values []jsondoc.Member
	for _, part := range s.Parts {
		value := part.Node.Get("default")
		if value == nil || value.Kind == jsondoc.Null || !portable(part.Node) {
			continue
		}
		key := probeKey + strconv.Itoa(len(tried))
		tried = append(tried, part)
		properties = append(properties, jsondoc.Member{Key: key, Value: part.Node})
		values = append(values, jsondoc.Member{Key: key, Value: value})
		if len(tried) == maxDefaults {
			break
		}
	}
	if len(tried) == 0 {
		return nil
	}
	probe := jsondoc.NewObject(jsondoc.Member{Key: "properties", Value: jsondoc.NewObject(properties...)})
	for _, key := range []string{"$schema", "$defs", "definitions"} {
		if n := s.Root.Get(key); n != nil {
			probe.Set(key, n)
		}
	}
	compiled, err := schemaguard.Compile(jsondoc.Canonical(probe))
	if err != nil {
		return nil // other rules report the problems of the schema
	}
	err = compiled.Validate(jsondoc.NewObject(values...))
	if err == nil {
		return nil
	}
	var found []rules.Finding
	told := map[int]bool{}
	for _, p := range problemsOf(err) {
		i, ok := probed(p.Path)
		if !ok || told[i] || len(found) == rules.MaxPerText {
			continue
		}
		told[i] = true
		found = append(found, rules.Finding{
			Path: s.Below(jsondoc.Join(tried[i].Path(), "default")), Passage: string(jsondoc.Canonical(values[i].Value)),
			Message: "The default does not match its schema: " + p.Message + ".",
		})
	}
	return found
}

// probeKey is the prefix of the names of the properties in the probe schema.
const probeKey = "default"

// probed parses the path of a property of the probe schema, and returns the index of the property.
func probed(path string) (int, bool) {
	digits, ok := strings.CutPrefix(path, probeKey)
	if end := strings.IndexAny(digits, ".["); end >= 0 {
		digits = digits[:end]
	}
	i, err := strconv.Atoi(digits)
	return i, ok && err == nil
}

// portable reports whether n has the same meaning in another document with the same definitions.
// This is the case if n refers only to definitions and has no id or anchor.
func portable(n *jsondoc.Node) bool {
	ok := true
	n.Walk(func(n *jsondoc.Node, _ func() string) bool {
		for _, m := range n.Members {
			switch m.Key {
			case "$ref":
				ok = ok && (strings.HasPrefix(m.Value.Text, "#/$defs/") || strings.HasPrefix(m.Value.Text, "#/definitions/"))
			case "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$id", "id":
				ok = ok && m.Value.Kind != jsondoc.String
			}
		}
		return ok
	})
	return ok
}

// conflictingKeywords reports keywords of subschema that contradict each other.
func (s *Schema) conflictingKeywords(subschema *Subschema) []rules.Finding {
	n := subschema.Node
	var found []rules.Finding
	add := func(key, format string, args ...any) {
		if len(found) < rules.MaxPerText {
			found = append(found, rules.Finding{Path: s.Below(jsondoc.Join(subschema.Path(), key)), Message: fmt.Sprintf(format, args...)})
		}
	}
	if enum := n.Get("enum"); enum != nil && enum.Kind == jsondoc.Array {
		if len(enum.Items) == 0 {
			add("enum", "The list of values is empty, so no value is valid.")
		}
		first := map[string]bool{}
		for _, value := range enum.Items {
			written := string(jsondoc.Canonical(value))
			if first[written] {
				add("enum", "The value %s is a duplicate.", jsondoc.Printable(written))
			}
			if !fits(n, value) {
				add("enum", "The value %s does not have the type that the schema requires.", jsondoc.Printable(written))
			}
			first[written] = true
		}
		if value := n.Get("const"); value != nil && !first[string(jsondoc.Canonical(value))] {
			add("const", "The only allowed value is not one of the listed values.")
		}
	}
	if value := n.Get("const"); value != nil && !fits(n, value) {
		add("const", "The only allowed value does not have the type that the schema requires.")
	}
	for _, r := range ranges {
		least, ok := number(n.Get(r.least))
		most, also := number(n.Get(r.most))
		if ok && also && (least > most || r.open && least == most) {
			add(r.least, "%s is %v and %s is %v, so no value is valid.", r.least, least, r.most, most)
		}
	}
	return found
}

// ranges are the pairs of keywords for lower and upper limits. The limits of an open range are
// excluded.
var ranges = [...]struct {
	least, most string
	open        bool
}{
	{"minimum", "maximum", false},
	{"exclusiveMinimum", "exclusiveMaximum", true},
	{"minLength", "maxLength", false},
	{"minItems", "maxItems", false},
	{"minProperties", "maxProperties", false},
	{"minContains", "maxContains", false},
}

func number(n *jsondoc.Node) (float64, bool) {
	if n == nil || n.Kind != jsondoc.Number {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	return v, err == nil
}
