package spans_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/registry/spans"
)

// between returns the text of a span.
func between(t *testing.T, text string, s spans.Span) string {
	t.Helper()
	at := func(p jsondoc.Pos) int {
		offset := 0
		for range p.Line - 1 {
			offset += strings.IndexByte(text[offset:], '\n') + 1
		}
		for n := range text[offset:] {
			if p.Column--; p.Column == 0 {
				return offset + n
			}
		}
		return len(text)
	}
	from, to := at(s.From), at(s.To)
	if from > to {
		t.Fatalf("%v ends before it begins", s)
	}
	return text[from:to]
}

func TestJSON(t *testing.T) {
	long := strings.Repeat("é\t", 3000)
	tests := []struct{ text, part, want string }{
		{`{"a":"one two"}`, "two", "two"},
		{`{"a":"one\ntwo"}`, "two", "two"},
		{`{"é": 1, "a":"é\n\"two\" \\ three"}`, `"two"`, `\"two\"`},
		{"{\n \"a\":\n  \"x\\u00e9\\ud83d\\ude00 end\"}", "é😀", `\u00e9\ud83d\ude00`},
		{`{"a":"\/\b\f\r\t."}`, "/\b\f\r\t", `\/\b\f\r\t`},
		{`{"a":"one two"}`, "one two", "one two"},
		{`{"b":"` + strings.ReplaceAll(long, "\t", " ") + `","a":"` + strings.ReplaceAll(long, "\t", `\t`) + `end"}`, "end", "end"},
	}
	for _, tt := range tests {
		n, err := jsondoc.Parse([]byte(tt.text), jsondoc.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		a := n.Get("a")
		start := strings.Index(a.Text, tt.part)
		s, ok := spans.New([]byte(tt.text)).Value(a.Pos, a.Text, start, start+len(tt.part))
		if got := between(t, tt.text, s); !ok || got != tt.want {
			t.Errorf("%q of %.60s: %q, %v; want %q", tt.part, tt.text, got, ok, tt.want)
		}
	}
}

func TestYAML(t *testing.T) {
	tests := map[string]string{
		"plain":          "a: one two three",
		"plain, folded":  "a: one\n   two\n   three",
		"double":         `a: "one two\u0020three"`,
		"double, folded": "a: \"one\n  two \\\n  three\"",
		"single":         "a: 'it''s one two three'",
		"literal":        "a: |\n    one two\n    three\n",
		"literal, kept":  "a: |+\n  one\n   two\n  three\n",
		"folded":         "a: >\n  one\n  two\n  three\n",
	}
	for name, text := range tests {
		text = "b: é\n" + text
		front, ps := mdfile.ParseYAML(text, 1)
		if len(ps) > 0 {
			t.Fatal(name, ps)
		}
		a := front.Get("a")
		for _, word := range []string{"two", "three"} {
			start := strings.Index(a.Text, word)
			s, ok := spans.New([]byte(text)).Value(a.Pos, a.Text, start, start+len(word))
			if got := between(t, text, s); !ok || got != word {
				t.Errorf("%s: %q at %v, %v; want %q", name, got, s, ok, word)
			}
		}
	}
}

// TestWholeBlocks finds complete block scalars, including their final line ends
// (C35).
func TestWholeBlocks(t *testing.T) {
	for text, want := range map[string]string{
		"a: >\n  one\n  two\n\n  three\nc: d\n":  "one\n  two\n\n  three\n",
		"a: >\n  one\n  two\n":                   "one\n  two\n",
		"a: >-\n  one\n  two\n\n":                "one\n  two",
		"a: >+\n  one\n  two\n\nc: d\n":          "one\n  two\n\n",
		"a: >\n  one\n  two\n\n\nc: d\n":         "one\n  two\n",
		"a: |\n  one\n  two\nc: d\n":             "one\n  two\n",
		"b:\n  a: >\n    one\n    two\n  c: d\n": "one\n    two\n",
	} {
		front, ps := mdfile.ParseYAML(text, 1)
		if len(ps) > 0 {
			t.Fatal(text, ps)
		}
		a := front.Get("a")
		if a == nil {
			a = front.Get("b").Get("a")
		}
		s, ok := spans.New([]byte(text)).Value(a.Pos, a.Text, 0, len(a.Text))
		if got := between(t, text, s); !ok || got != want {
			t.Errorf("%q is found as %q, %v; want %q", text, got, ok, want)
		}
	}
}

func TestAbsentPaths(t *testing.T) {
	f := spans.New([]byte("{\"a\":\"b\"}\n"))
	for _, at := range []jsondoc.Pos{{}, {Line: 9, Column: 1}, {Line: 1, Column: 99}, {Line: 1, Column: 6}} {
		if s, ok := f.Value(at, "nothing like it", 0, 7); ok {
			t.Errorf("found at %v: %v", at, s)
		}
	}
}

func TestCursor(t *testing.T) {
	const text = "één\n\ntwo"
	want := map[int]jsondoc.Pos{0: {Line: 1, Column: 1}, 2: {Line: 1, Column: 2}, 5: {Line: 1, Column: 4}, 6: {Line: 2, Column: 1}, 7: {Line: 3, Column: 1}, 10: {Line: 3, Column: 4}}
	cursor := spans.NewCursor(text)
	for _, offset := range slices.Sorted(maps.Keys(want)) {
		if got := cursor.To(offset); got != want[offset] {
			t.Errorf("byte %d is at %v; want %v", offset, got, want[offset])
		}
		if got := spans.Offset(text, want[offset]); got != offset {
			t.Errorf("%v is at byte %d; want %d", want[offset], got, offset)
		}
	}
	for _, p := range []jsondoc.Pos{{}, {Line: 1, Column: 5}, {Line: 3, Column: 5}, {Line: 4, Column: 1}} {
		if got := spans.Offset(text, p); got != -1 {
			t.Errorf("%v is at byte %d; want none", p, got)
		}
	}
}

func FuzzJSONStrings(f *testing.F) {
	f.Add("one\ntwo \"é\" \u202e😀", 3, 8)
	f.Fuzz(func(t *testing.T, value string, start, end int) {
		text, err := json.Marshal([]string{value})
		if err != nil {
			t.Skip()
		}
		n, err := jsondoc.Parse(text, jsondoc.DefaultLimits)
		if err != nil {
			t.Skip()
		}
		read := n.Items[0].Text
		runes := []rune(read)
		if len(runes) == 0 {
			t.Skip()
		}
		start = min(max(start, 0), len(runes)-1)
		end = min(max(end, start+1), len(runes))
		from, to := len(string(runes[:start])), len(string(runes[:end]))
		s, ok := spans.New(text).Value(n.Items[0].Pos, read, from, to)
		if !ok {
			t.Fatalf("%q not found in %s", read[from:to], text)
		}
		var got string
		if err := json.Unmarshal([]byte(`"`+between(t, string(text), s)+`"`), &got); err != nil || got != read[from:to] {
			t.Errorf("%q of %s: found %q", read[from:to], text, got)
		}
	})
}
