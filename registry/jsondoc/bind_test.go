package jsondoc_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/jsondoc"
)

type inner struct {
	Prefix string   `json:"prefix"`
	Groups []string `json:"groups,omitempty"`
}

// either accepts "x" as a word and 1 as a count.
type either struct {
	Word  string
	Count int
}

func (e *either) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	if n.Kind == jsondoc.String {
		e.Word = n.Text
		return nil
	}
	return jsondoc.Bind(n, path, &e.Count)
}

type outer struct {
	Name    string            `json:"name"`
	Notes   string            `json:"usageNotes"`
	Ready   bool              `json:"ready"`
	Maybe   *bool             `json:"maybe"`
	Limit   int               `json:"limit"`
	Inner   *inner            `json:"inner"`
	List    []inner           `json:"list"`
	Texts   map[string]string `json:"texts"`
	Schema  json.RawMessage   `json:"schema"`
	Either  *either           `json:"either"`
	Skipped string            `json:"-"`
	untold  string
}

func TestBind(t *testing.T) {
	yes := true
	tests := []struct {
		name string
		text string
		want outer
	}{
		{"nothing", `{}`, outer{}},
		{"everything", `{"name":"n","usageNotes":"u","ready":true,"maybe":true,"limit":7,"inner":{"prefix":"P","groups":["a"]},
			"list":[{"prefix":"Q"}],"texts":{"web":"w"},"schema":{"b":1.0,"a":[]},"either":"x"}`, outer{
			Name: "n", Notes: "u", Ready: true, Maybe: &yes, Limit: 7, Inner: &inner{Prefix: "P", Groups: []string{"a"}},
			List: []inner{{Prefix: "Q"}}, Texts: map[string]string{"web": "w"}, Schema: json.RawMessage(`{"a":[],"b":1}`), Either: &either{Word: "x"},
		}},
		{"whole numbers in any layout", `{"limit":-1.20e2}`, outer{Limit: -120}},
		{"largest number", `{"limit":9223372036854775807}`, outer{Limit: 9223372036854775807}},
		{"other form", `{"either":3}`, outer{Either: &either{Count: 3}}},
		{"null in a raw value", `{"schema":null}`, outer{Schema: json.RawMessage(`null`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := jsondoc.Parse([]byte(tt.text), jsondoc.DefaultLimits)
			if err != nil {
				t.Fatal(err)
			}
			var got outer
			if ps := jsondoc.Bind(n, jsondoc.Root, &got); ps != nil {
				t.Fatal(ps)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestBindRefuses(t *testing.T) {
	tests := []struct {
		name string
		text string
		want []string
	}{
		{"not an object", `[]`, []string{"d (line 1, column 1): expected an object, got a list"}},
		{"unknown key", `{"zzz":1}`, []string{"d.zzz (line 1, column 2): unknown key; known keys: name, usageNotes, ready, maybe, limit, inner, list, texts, schema, either"}},
		{"other spelling", `{"usage_notes":"u"}`, []string{`d.usage_notes (line 1, column 2): unknown key; use "usageNotes"`}},
		{"capitals", `{"NAME":"u"}`, []string{`d.NAME (line 1, column 2): unknown key; use "name"`}},
		{"slips", `{"usageNote":"","redy":true,"nmae":""}`, []string{
			`d.usageNote (line 1, column 2): unknown key; did you mean "usageNotes"?`,
			`d.redy (line 1, column 17): unknown key; did you mean "ready"?`,
			`d.nmae (line 1, column 29): unknown key; did you mean "name"?`,
		}},
		{"keys that Go knows alone", `{"-":1,"untold":1,"Skipped":1,"":1}`, []string{
			"d.- (line 1, column 2): unknown key; known keys: name, usageNotes, ready, maybe, limit, inner, list, texts, schema, either",
			"d.untold (line 1, column 8): unknown key; known keys: name, usageNotes, ready, maybe, limit, inner, list, texts, schema, either",
			"d.Skipped (line 1, column 19): unknown key; known keys: name, usageNotes, ready, maybe, limit, inner, list, texts, schema, either",
			`d[""] (line 1, column 31): unknown key; known keys: name, usageNotes, ready, maybe, limit, inner, list, texts, schema, either`,
		}},
		{"hidden characters", `{"na\u202eme":1}`, []string{`d["na\u202eme"] (line 1, column 2): unknown key; did you mean "name"?`}},
		{"wrong types", `{"name":1,"ready":"true","limit":"1","inner":[],"list":{},"texts":"x","maybe":0}`, []string{
			"d.name (line 1, column 9): expected a string, got a number",
			"d.ready (line 1, column 19): expected true or false, got a string",
			"d.limit (line 1, column 34): expected a number, got a string",
			"d.inner (line 1, column 46): expected an object, got a list",
			"d.list (line 1, column 56): expected a list, got an object",
			"d.texts (line 1, column 67): expected an object, got a string",
			"d.maybe (line 1, column 79): expected true or false, got a number",
		}},
		{"null", `{"name":null,"list":[null],"texts":{"web":null},"either":null}`, []string{
			"d.name (line 1, column 9): expected a string, got null; omit the key instead",
			"d.list[0] (line 1, column 22): expected an object, got null; omit the key instead",
			"d.texts.web (line 1, column 43): expected a string, got null; omit the key instead",
			"d.either (line 1, column 58): expected a number, got null; omit the key instead",
		}},
		{"fractions", `{"limit":1.5}`, []string{"d.limit (line 1, column 10): expected a whole number, got 1.5"}},
		{"too large", `{"limit":9223372036854775808}`, []string{"d.limit (line 1, column 10): expected a smaller whole number, got 9223372036854775808"}},
		{"far too large", `{"limit":1e999}`, []string{"d.limit (line 1, column 10): expected a whole number, got 1e999"}},
		{"deep inside", `{"list":[{"prefix":"P"},{"prefix":1,"grups":[]}]}`, []string{
			"d.list[1].prefix (line 1, column 35): expected a string, got a number",
			`d.list[1].grups (line 1, column 37): unknown key; did you mean "groups"?`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := jsondoc.Parse([]byte(tt.text), jsondoc.DefaultLimits)
			if err != nil {
				t.Fatal(err)
			}
			var dst outer
			expectLines(t, problemsOf(t, jsondoc.Bind(n, "d", &dst).Err()), tt.want...)
			if dst.untold != "" || dst.Skipped != "" {
				t.Error("a field without a key was filled")
			}
		})
	}
}

// TestBindBoundsProblems binds a document with very many problems: the list must
// stay short.
func TestBindBoundsProblems(t *testing.T) {
	shortrun.OneGoroutine(t)
	var b strings.Builder
	b.WriteString("{")
	for i := range 200_000 {
		fmt.Fprintf(&b, `"unknown%d":0,`, i)
	}
	b.WriteString(`"name":""}`)
	n, err := jsondoc.Parse([]byte(b.String()), jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	var dst outer
	if ps := jsondoc.Bind(n, jsondoc.Root, &dst); len(ps) != jsondoc.MaxProblems+1 {
		t.Errorf("%d problems", len(ps))
	}
}
