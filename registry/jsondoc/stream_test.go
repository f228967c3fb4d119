package jsondoc_test

import (
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/jsondoc"
)

func TestParseStream(t *testing.T) {
	tests := []struct {
		name string
		text string
		want []string // in canonical form
	}{
		{"nothing", " \n", nil},
		{"one", `{"a":1}`, []string{`{"a":1}`}},
		{"lines", "{\"a\":1}\n{\"b\":2}\n\n", []string{`{"a":1}`, `{"b":2}`}},
		{"one after the other", `{"a":1}{"b":2} 3`, []string{`{"a":1}`, `{"b":2}`, `3`}},
		{"one list", ` [{"a":1},[2] ] `, []string{`{"a":1}`, `[2]`}},
		{"empty list", `[]`, nil},
		{"lists", "[1]\n[2]", []string{`[1]`, `[2]`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nodes, err := jsondoc.ParseStream([]byte(tt.text), jsondoc.DefaultLimits)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range nodes {
				got = append(got, string(jsondoc.Canonical(n)))
			}
			expectLines(t, got, tt.want...)
		})
	}
}

func TestParseStreamRefuses(t *testing.T) {
	shortrun.OneGoroutine(t)
	lim := jsondoc.Limits{Bytes: 20, Depth: 2}
	tests := []struct {
		name string
		text string
		want []string
	}{
		{"problems of several", "{\"a\":1,\"a\":2}\n{\"b\":\"\\u0000\"}", []string{
			"a (line 1, column 8): duplicate key; keep one",
			"b (line 2, column 6): contains a NUL character; remove it",
		}},
		{"paths are relative to the element", `[{"a":1},{"b":"\u0000"}]`, []string{"b (line 1, column 15): contains a NUL character; remove it"}},
		{"depth counts in each", `[[[1]]]`, nil},
		{"too deep", `[[1]] [[[[1]]]]`, []string{"[0][0] (line 1, column 10): nested more than 2 levels deep"}},
		{"bytes count in each", strings.Repeat(`{"a":"0123456789"}`+"\n", 9), nil},
		{"one too large", `1 {"a":"0123456789abc"}`, []string{"$ (line 1, column 3): the document is larger than 20 bytes (got 21)"}},
		{"element too large", `[1, {"a":"0123456789abc"}]`, []string{"$ (line 1, column 5): the document is larger than 20 bytes (got 21)"}},
		{"cut", "{}\n{", []string{"$ (line 2, column 2): the document is truncated"}},
		{"cut list", `[{}`, []string{"$ (line 1, column 4): the document is truncated"}},
		{"broken", "{}\n,{}", []string{"$ (line 2, column 1): invalid character ',' at start of value"}},
		{"too many", strings.Repeat("1 ", 100_002), []string{"$ (line 1, column 200003): more than 100000 documents or 4194304 values; split the text"}},
		{"too many in a list", "[" + strings.Repeat("1,", 100_001) + "1]", []string{"$ (line 1, column 200002): more than 100000 documents or 4194304 values; split the text"}},
		{"byte order mark", "\ufeff{}", []string{"$ (line 1, column 1): begins with a byte order mark (BOM); save the file as UTF-8 without BOM"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := jsondoc.ParseStream([]byte(tt.text), lim)
			expectLines(t, problemsOf(t, err), tt.want...)
		})
	}
}

func TestParseStreamLimitsTotalValues(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	const each = 1 << 19
	document := `{"a":[` + strings.Repeat("1,", each-1) + "1]}\n"
	if _, err := jsondoc.ParseStream([]byte(strings.Repeat(document, 1)), jsondoc.DefaultLimits); err != nil {
		t.Errorf("got %v", err)
	}
	if _, err := jsondoc.ParseStream([]byte(strings.Repeat(document, 8)), jsondoc.DefaultLimits); err == nil || !strings.Contains(err.Error(), "4194304 values") {
		t.Errorf("got %.200v, want a refusal", err)
	}
}
