package schemaguard_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

func compile(t *testing.T, schema string) *schemaguard.Schema {
	t.Helper()
	s, err := schemaguard.Compile(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parse(t *testing.T, text string) *jsondoc.Node {
	t.Helper()
	n, err := jsondoc.Parse([]byte(text), jsondoc.Limits{Bytes: 64 << 20, Depth: 2_000})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCompileRefusesInvalid(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"objekt"}`:                     `type (line 1, column 9): matches none of the alternatives`,
		`{"properties":{"a":{"minLength":-1}}}`: `properties.a.minLength (line 1, column 33): minimum: got -1, want 0`,
		`{"required":"a","items":[1]}`:          `required (line 1, column 13): got string, want array`,
	} {
		_, err := schemaguard.Compile(json.RawMessage(schema))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", schema, err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	const schema = `{"type":"object","properties":{
		"id":{"type":"string","pattern":"^[a-z]+$"},
		"list":{"type":"array","items":{"type":"integer","minimum":1},"uniqueItems":true},
		"kind":{"enum":["a","b"]},
		"either":{"anyOf":[{"type":"string","maxLength":3},{"type":"object","required":["x"]},{"type":"null"},{"const":7}]},
		"look":{"type":"string","pattern":"^(?!x)"},
		"child":{"$ref":"#"}},
		"required":["id"],"additionalProperties":false}`
	tests := []struct {
		name, value string
		want        []string
	}{
		{"fits", `{"id":"abc","list":[1,2],"kind":"b","either":null,"look":"yz","child":{"id":"d"}}`, nil},
		{"missing", `{}`, []string{"$ (line 1, column 1): missing property 'id'"}},
		{"several, in order", `{"list":[0,"x",2.5],"z":1,"y":2,"kind":"c","id":"A"}`, []string{
			"$ (line 1, column 1): additional properties 'y', 'z' not allowed; known properties: id, list, kind, either, look, child",
			"id (line 1, column 49): 'A' does not match pattern '^[a-z]+$'",
			"kind (line 1, column 40): value must be one of 'a', 'b'",
			"list[0] (line 1, column 10): minimum: got 0, want 1",
			"list[1] (line 1, column 12): got string, want integer",
			"list[2] (line 1, column 16): got number, want integer",
		}},
		{"inside itself", `{"id":"a","child":{"id":"b","child":{"id":1}}}`, []string{"child.child.id (line 1, column 43): got number, want string"}},
		{"looked ahead at", `{"id":"a","look":"xyz"}`, []string{"look (line 1, column 18): 'xyz' does not match pattern '^(?!x)'"}},
		{"twice", `{"id":"a","list":[1,1.0]}`, []string{"list (line 1, column 18): items at 0 and 1 are equal"}},
		{"alternatives", `{"id":"a","either":"long"}`, []string{
			"either (line 1, column 20): matches none of the alternatives (maxLength: got 4, want 3; got string, want object; got string, want null; ...)",
		}},
		{"alternatives inside", `{"id":"a","either":{}}`, []string{
			"either (line 1, column 20): matches none of the alternatives (got object, want string; missing property 'x'; got object, want null; ...)",
		}},
		{"hidden characters", `{"id":"a\u202e\u001b[2J"}`, []string{`id (line 1, column 7): 'a\u202e\x1b[2J' does not match pattern '^[a-z]+$'`}},
		{"a large number", `{"id":"a","list":[1e999]}`, []string{"list[0] (line 1, column 19): the number is out of range"}},
		{"another type", `[]`, []string{"$ (line 1, column 1): got array, want object"}},
	}
	s := compile(t, schema)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			if err := s.Validate(parse(t, tt.value)); err != nil {
				for _, p := range err.(jsondoc.Problems) { //nolint:errorlint // as documented
					got = append(got, p.String())
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(tt.want, "\n\t"))
			}
		})
	}
}

func TestValidateIsNotLedByTheValue(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"$schema":{"const":"http://json-schema.org/draft-07/schema"},"$id":{"const":"x"}},"required":["$schema","$id"]}`)
	if err := s.Validate(parse(t, `{"$schema":"http://json-schema.org/draft-07/schema","$id":"x"}`)); err != nil {
		t.Error(err)
	}
}

func TestDialects(t *testing.T) {
	// In draft 4, exclusiveMinimum is a boolean that modifies minimum; since draft
	// 6 it is a number.
	old := compile(t, `{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`)
	if old.Validate(parse(t, `1`)) == nil || old.Validate(parse(t, `2`)) != nil {
		t.Error("draft 4 was not recognized")
	}
	newer := compile(t, `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`)
	if newer.Validate(parse(t, `{"a":1}`)) == nil || newer.Validate(parse(t, `{"a":"b"}`)) != nil {
		t.Error("$defs in draft 7 was not recognized")
	}
	current := compile(t, `{"prefixItems":[{"type":"string"}]}`)
	if current.Validate(parse(t, `[1]`)) == nil {
		t.Error("2020-12 is not the default dialect")
	}
}

func TestValidateBoundsWork(t *testing.T) {
	shortrun.OneGoroutine(t)
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		name, schema, value string
		refused             bool
	}{
		{"doubling at every level of the value", `{"$ref":"#/$defs/n","$defs":{"n":{"allOf":[{"items":{"$ref":"#/$defs/n"}},{"items":{"$ref":"#/$defs/n"}}]}}}`, deep(60), true},
		{"doubling in a shallow value", `{"$ref":"#/$defs/n","$defs":{"n":{"allOf":[{"items":{"$ref":"#/$defs/n"}},{"items":{"$ref":"#/$defs/n"}}]}}}`, deep(10), false},
		{"recursion without doubling", `{"items":{"$ref":"#"}}`, deep(1_000), false},
		{"any JSON value", `{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#"}},{"type":"object","additionalProperties":{"$ref":"#"}}]}`, deep(500), false},
		{"a large program on a long text", `{"pattern":"(a|b|c|d){900}z"}`, `"` + strings.Repeat("ab", 500_000) + `"`, false},
		{"a plain expression on a long text", `{"pattern":"^[ab]+$"}`, `"` + strings.Repeat("ab", 500_000) + `"`, false},
		{"an expression that backtracking engines never finish", `{"pattern":"^(a+)+$"}`, `"` + strings.Repeat("a", 50_000) + `!"`, false},
		{"a long list of large enumerations", `{"items":{"enum":[` + numbers(10_000) + `]}}`, `[` + strings.Repeat(`"x",`, 5_000) + `1]`, true},
		{"names against expressions", `{"patternProperties":{"(a|b|c|d){900}":{}}}`, `{"` + strings.Repeat("a", 1_000) + `":1,"` + strings.Repeat("b", 1_000) + `":1}`, false},
		{"an ordinary long list", `{"items":{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}},"required":["id"]}}`, `[` + strings.Repeat(`{"id":"x","n":1},`, 20_000) + `{"id":"y"}]`, false},
		{"distinct values", `{"uniqueItems":true}`, `[` + numbers(10_000) + `]`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, n := compile(t, tt.schema), parse(t, tt.value)
			start := time.Now()
			err := s.Validate(n)
			took := time.Since(start)
			t.Log(took)
			if refused := err != nil && strings.Contains(err.Error(), "steps to validate"); refused != tt.refused {
				t.Errorf("%v", err)
			}
			if took > 2*time.Minute { // without the limit it would take hours
				t.Errorf("took %v", took)
			}
		})
	}
}

func numbers(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(i)
	}
	return strings.Join(list, ",")
}

func TestValidateAtOnce(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"a":{"$ref":"#"},"b":{"pattern":"^x"}}}`)
	n := parse(t, `{"a":{"a":{"b":"y"}}}`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := s.Validate(n); err == nil {
				t.Error("an invalid value was accepted")
			}
		})
	}
	wg.Wait()
}
