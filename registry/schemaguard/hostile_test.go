package schemaguard_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// doubling returns a schema whose definitions use the next one twice.
func doubling(levels int, use string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range levels {
		ref := fmt.Sprintf(`{"$ref":"#/$defs/a%d"}`, i+1)
		fmt.Fprintf(&b, `"a%d":`+use+`,`, i, ref, ref)
	}
	fmt.Fprintf(&b, `"a%d":{"type":"string"}}}`, levels)
	return b.String()
}

func nested(depth int) string {
	return strings.Repeat(`{"not":`, depth) + "true" + strings.Repeat("}", depth)
}

func chain(length int, last string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range length {
		fmt.Fprintf(&b, `"a%d":{"$ref":"#/$defs/a%d"},`, i, i+1)
	}
	fmt.Fprintf(&b, `"a%d":%s}}`, length, last)
	return b.String()
}

func repeated(item string, n int) string { return strings.Repeat(item+",", n-1) + item }

// hostile has schemas that would hang or crash a naive validator or load files,
// with the expected reason.
var hostile = []struct {
	name, schema, want string
}{
	{"refers to itself", `{"$ref":"#"}`, "$ (line 1, column 1): refers to itself without descending into the value"},
	{"refers to itself by anchor", `{"$anchor":"me","allOf":[{"$ref":"#me"}]}`, "refers to itself without descending"},
	{"two refer to each other", `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "$defs.a (line 1, column 15): refers to itself without descending"},
	{"a loop through anyOf", `{"anyOf":[{"type":"string"},{"not":{"$ref":"#"}}]}`, "refers to itself without descending"},
	{"a loop through if", `{"if":{"then":true,"else":{"$ref":"#"}}}`, "refers to itself without descending"},
	{"a loop through dependencies", `{"dependencies":{"a":["b"],"c":{"$ref":"#"}}}`, "refers to itself without descending"},
	{"a dynamic loop", `{"$dynamicAnchor":"n","allOf":[{"$dynamicRef":"#n"}]}`, "refers to itself without descending"},
	{"a recursive loop", `{"$recursiveAnchor":true,"$recursiveRef":"#"}`, "refers to itself without descending"},
	{"a loop in what is not used", `{"type":"object","$defs":{"x":{"allOf":[{"$ref":"#/$defs/x"}]}}}`, "$defs.x (line 1, column 31): refers to itself without descending"},
	{"a loop of 4,000", chain(4_000, `{"$ref":"#/$defs/a0"}`), "refers to itself without descending"},
	{"doubling in place", doubling(40, `{"allOf":[%s,%s]}`), "applies more than 5000 subschemas to one value"},
	{"doubling inside", doubling(40, `{"properties":{"x":%s,"y":%s}}`), "more than 5000 subschemas after expansion"},
	{"doubling 2,000 times", doubling(2_000, `{"anyOf":[%s,%s]}`), "has more than 5000 subschemas"},
	{"doubling with a way back", strings.Replace(doubling(40, `{"allOf":[%s,%s]}`), `"type":"string"`, `"items":{"$ref":"#"}`, 1), "applies more than 5000"},
	{"doubling in what is not used", strings.Replace(doubling(40, `{"allOf":[%s,%s]}`), `"$ref":"#/$defs/a0",`, "", 1), "applies more than 5000"},
	{"too many subschemas", `{"allOf":[` + repeated("{}", 5_001) + `]}`, "has more than 5000 subschemas"},
	{"file", `{"$ref":"file:///etc/passwd"}`, `$ref (line 1, column 9): refers to another document: "file:///etc/passwd"`},
	{"relative", `{"$ref":"other.json"}`, "refers to another document"},
	{"empty reference", `{"$ref":""}`, "refers to another document"},
	{"an identity to resolve against", `{"properties":{"a":{"$id":"file:///etc/","$ref":"#/passwd"}}}`, "properties.a.$id (line 1, column 27): sets the identity of a subschema"},
	{"an identity in draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#","not":{"id":"http://x.example"}}`, "sets the identity of a subschema"},
	{"an anchor twice", `{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, "$defs.b.$anchor (line 1, column 46): duplicates the anchor of $defs.a"},
	{"broken escape", `{"$ref":"#/%zz"}`, "invalid reference"},
	{"many strays", `{"x":[` + repeated("{}", 200) + `],"allOf":[` + refs(200) + `]}`, "more than 100 references to values that are not subschemas"},
	{"deep", nested(10_000), "nested more than 64 levels deep"},
	{"deep lists", strings.Repeat("[", 100_000), "nested more than 64 levels deep"},
	{"large", `{"description":"` + strings.Repeat("x", 10<<20) + `"}`, "larger than 262144 bytes"},
	{"a long regular expression", `{"pattern":"` + strings.Repeat("a", 1_001) + `"}`, "pattern (line 1, column 12): the regular expression is longer than 1000 characters"},
	{"a large number", `{"maximum":1e9999}`, "maximum (line 1, column 12): the number is out of range"},
	{"a long number", `{"enum":[1` + strings.Repeat("1", 200) + `]}`, "enum[0] (line 1, column 10): the number is out of range"},
	{"not a schema at all", `[]`, "expected a schema: an object, true or false; got a list"},
	{"not JSON", `{"type":}`, "missing value after object name"},
	{"a key twice", `{"type":"object","type":"string"}`, "duplicate key"},
	{"long keys around much", strings.Repeat(`{"properties":{"`+strings.Repeat(`\u202e`, 1_000)+`":`, 30) + `{"allOf":[` + repeated(`{"$ref":"#/x"}`, 3_000) + `]}` + strings.Repeat("}}", 30), "references without a target"},
}

func refs(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"$ref":"#/x/%d"}`, i)
	}
	return strings.Join(list, ",")
}

func TestHostileSchemas(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			schema := json.RawMessage(tt.schema)
			start := time.Now()
			_, err := schemaguard.Check(schema)
			took := time.Since(start)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("refused with %.300v, want %s", err, tt.want)
			}
			t.Logf("%v", took)
			if took > 2*time.Minute { // thousands of times more than necessary, for busy machines
				t.Errorf("took %v", took)
			}
			if _, err := schemaguard.Compile(schema); err == nil {
				t.Error("Compile accepts it")
			}
		})
	}
}

// TestOpenReferences accepts references whose target is not in the schema, as MCP clients do,
// names them, and lets no value pass that they would have to judge (G25).
func TestOpenReferences(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"http", `{"properties":{"a":{"$ref":"http://127.0.0.1:8080/steal#/x"}}}`, "properties.a.$ref (line 1, column 28): refers to another document"},
		{"dynamic reference outside", `{"$dynamicRef":"https://x.example/#a"}`, "refers to another document"},
		{"nowhere", `{"$ref":"#/$defs/none"}`, `refers to a missing subschema: "#/$defs/none"`},
		{"no anchor", `{"$ref":"#none"}`, `refers to a missing subschema: "#none"`},
		{"not a schema", `{"$ref":"#/title","title":"x"}`, "refers to a missing subschema"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checked, err := schemaguard.Check(json.RawMessage(tt.schema))
			if err != nil || !strings.Contains(checked.Open.Error(), tt.want) {
				t.Errorf("open are %v, %v; want %s", checked.Open, err, tt.want)
			}
			s, err := checked.Compile()
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsondoc.Parse([]byte(`{"a":{}}`), jsondoc.DefaultLimits)
			if err == nil && s.Validate(value) == nil {
				t.Error("the value passes")
			}
		})
	}
}

func patterns(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"pattern":"x%d(a|b|c){800}"}`, i)
	}
	return strings.Join(list, ",")
}

func classes(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"pattern":"%d%s"}`, i, strings.Repeat(`\\p{L}`, 80))
	}
	return strings.Join(list, ",")
}

// TestLargePatterns compiles schemas with regular expressions that expand to large
// programs in other engines, and matches long texts: each must return a result or
// an error.
func TestLargePatterns(t *testing.T) {
	shortrun.OneGoroutine(t)
	for name, schema := range map[string]string{
		"repetitions":        `{"pattern":"` + strings.Repeat(".{999}", 100) + `"}`,
		"nested repetitions": `{"pattern":"((((a{999}){999}){999}){999}){999}"}`,
		"many":               `{"allOf":[` + patterns(100) + `]}`,
		"classes":            `{"allOf":[` + classes(200) + `]}`,
		"names":              `{"patternProperties":{` + strings.NewReplacer(`{"pattern":`, ``, `}"}`, `}":{}`).Replace(classes(200)) + `}}`,
	} {
		s, err := schemaguard.Compile(json.RawMessage(schema))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := strings.Repeat("a", 500_000)
		for _, value := range []string{`"` + text + `"`, `{"` + text[:1_000] + `":"x"}`} {
			start := time.Now()
			err := s.Validate(parse(t, value))
			if took := time.Since(start); took > 2*time.Minute { // a hundred times more than necessary
				t.Errorf("%s: %v, %v", name, took, err)
			}
		}
	}
}

// FuzzPattern compiles and matches any regular expression within the limits.
func FuzzPattern(f *testing.F) {
	for _, pattern := range []string{`^(?!x)[a-z]+$`, `(?i)abc`, `\Aabc\z`, `(a+)+$`, `(?<x>.)\k<x>`, `[\p{L}--[a-z]]`} {
		f.Add(pattern, "aaaaaaaaaaaaaaaaaaaaaaaaaaaab")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		schema, err := json.Marshal(map[string]any{"pattern": pattern})
		if err != nil {
			return
		}
		value, err := json.Marshal(text)
		if err != nil {
			return
		}
		s, err := schemaguard.Compile(schema)
		if err != nil {
			return
		}
		n, err := jsondoc.Parse(value, jsondoc.DefaultLimits)
		if err != nil {
			return
		}
		start := time.Now()
		_ = s.Validate(n)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q takes %v", pattern, took)
		}
	})
}
