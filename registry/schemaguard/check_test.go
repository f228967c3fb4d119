package schemaguard_test

import (
	"encoding/json"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

func TestCheckAccepts(t *testing.T) {
	shortrun.OneGoroutine(t)
	tests := []struct {
		name, schema string
		remarks      []string
	}{
		{"ordinary", `{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"}}},"required":["ids"],"additionalProperties":false}`, nil},
		{"only its dialect", `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, []string{"$ (line 1, column 1): accepts every value"}},
		{"empty", `{}`, []string{"$ (line 1, column 1): accepts every value"}},
		{"true", `true`, nil},
		{"no type", `{"properties":{"a":{}}}`, []string{"$ (line 1, column 1): has no type; set \"type\" to \"object\", because tool arguments are objects"}},
		{"unknown dialect", `{"$schema":"https://schema.example/v1","type":"object"}`, []string{"$schema (line 1, column 12): unknown dialect; assuming 2020-12"}},
		{"an identity of the whole", `{"$id":"https://schema.example/tool","type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}`, []string{
			"$id (line 1, column 8): the identity of the schema is ignored",
		}},
		{"an inner dialect", `{"type":"object","properties":{"a":{"$schema":"https://nowhere.example/x"}}}`, nil},
		{"a recursive type", `{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#"}}}}`, nil},
		{"types that hold each other", `{"type":"object","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/b"}}},"b":{"items":{"$ref":"#/$defs/a"}}},"properties":{"x":{"$ref":"#/$defs/a"},"y":{"$ref":"#/$defs/b"}}}`, nil},
		{"any JSON value", `{"type":"object","properties":{"v":{"$ref":"#/$defs/json"}},"$defs":{"json":{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#/$defs/json"}},{"type":"object","additionalProperties":{"$ref":"#/$defs/json"}}]}}}`, nil},
		{"a definition used often", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#/$defs/x"},"c":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, nil},
		{"anchors", `{"type":"object","properties":{"a":{"$ref":"#here"}},"$defs":{"x":{"$anchor":"here","type":"string"}}}`, nil},
		{"an anchor in draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#here"}},"definitions":{"x":{"$id":"#here","type":"string"}}}`, nil},
		{"escaped pointers", `{"type":"object","properties":{"a/b~c d":{"type":"string"},"x":{"$ref":"#/properties/a~1b~0c%20d"}}}`, nil},
		{"a pointer to no keyword", `{"type":"object","components":{"x":[{"type":"string"}]},"properties":{"a":{"$ref":"#/components/x/0"}}}`, nil},
		{"names that look like keywords", `{"type":"object","properties":{"$ref":{"type":"string"},"$id":{"type":"string"},"id":{"type":"string"},"pattern":{"type":"string"},"enum":{"const":{"$ref":"file:///x"}}}}`, nil},
		{"values that look like schemas", `{"type":"object","default":{"$ref":"file:///x"},"enum":[{"$ref":"http://x"}],"examples":[{"$id":"y"}]}`, nil},
		{"a look-ahead", `{"type":"object","properties":{"a":{"pattern":"^(?!x)y"}},"patternProperties":{"(?<=a)b":{}}}`, nil},
		{"an expression that backtracking engines never finish", `{"type":"object","properties":{"a":{"pattern":"^(a+)+$"}}}`, nil},
		{"near all limits", nested(32), nil},
		{"a long chain", chain(2_000, `{"type":"object"}`), []string{"$ (line 1, column 1): has no type; set \"type\" to \"object\", because tool arguments are objects"}},
		{"doubling a little", doubling(10, `{"allOf":[%s,%s]}`), []string{"$ (line 1, column 1): has no type; set \"type\" to \"object\", because tool arguments are objects"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checked, err := schemaguard.Check(json.RawMessage(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range checked.Remarks {
				got = append(got, p.String())
			}
			if tt.name == "near all limits" {
				got = nil
			}
			if strings.Join(got, "\n") != strings.Join(tt.remarks, "\n") {
				t.Errorf("remarks:\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(tt.remarks, "\n\t"))
			}
			if _, err := schemaguard.Compile(json.RawMessage(tt.schema)); err != nil {
				t.Errorf("Compile: %v", err)
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	for _, tt := range hostile {
		if len(tt.schema) < 2_000 {
			f.Add([]byte(tt.schema))
		}
	}
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"pattern":"^a+$","items":{"$ref":"#"}}}}`))
	f.Add([]byte(`{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","patternProperties":{"(?=a)":{"type":"string"}},"uniqueItems":true}`))
	value := jsondoc.NewObject(
		jsondoc.Member{Key: "a", Value: jsondoc.NewArray(jsondoc.NewString("aaa"), jsondoc.NewNumber("1e3"), jsondoc.NewObject())},
		jsondoc.Member{Key: "$schema", Value: jsondoc.NewBool(true)},
	)
	f.Fuzz(func(t *testing.T, schema []byte) {
		_, refused := schemaguard.Check(schema)
		s, err := schemaguard.Compile(schema)
		if refused != nil && err == nil {
			t.Fatal("Compile accepts a schema that Check refuses")
		}
		if err != nil {
			for _, r := range err.Error() {
				if r < ' ' || r > '~' {
					t.Fatalf("the message contains %U: %q", r, err)
				}
			}
			return
		}
		_ = s.Validate(value)
		_ = s.Validate(jsondoc.NewString("text"))
	})
}
