package mdfile

import (
	"errors"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/jsondoc"
)

var titles = TitleSet("Goals", "Prompt")

func parse(t *testing.T, text string) File {
	t.Helper()
	f, err := Parse([]byte(text), titles)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return f
}

func TestParse(t *testing.T) {
	f := parse(t, "\ufeff---\r\nid: pacer\r\n---\r\n\r\n## goals \r\n\r\n  Name it.\r\n\r\n### Why\r\n## Other\r\n\r\n## Prompt\r\nRead.\r\n\\## Prompt\r\n\\\\## Goals\r\n\\## Other\r\n\r\n")
	if got := string(jsondoc.Canonical(f.Front)); got != `{"id":"pacer"}` {
		t.Errorf("front = %s", got)
	}
	if pos := f.Front.Get("id").Pos; pos != (jsondoc.Pos{Line: 2, Column: 5}) {
		t.Errorf("id is at %v", pos)
	}
	want := []Section{
		{Title: "Goals", Text: "  Name it.\n\n### Why\n## Other", Pos: jsondoc.Pos{Line: 7, Column: 1}},
		{Title: "Prompt", Text: "Read.\n## Prompt\n\\## Goals\n\\## Other", Pos: jsondoc.Pos{Line: 13, Column: 1}},
	}
	if len(f.Sections) != len(want) {
		t.Fatalf("sections = %+v", f.Sections)
	}
	for i := range want {
		if f.Sections[i] != want[i] {
			t.Errorf("section %d = %+v, want %+v", i, f.Sections[i], want[i])
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":           {"", "(line 1, column 1): expected front matter"},
		"no front matter":   {"## Goals\nx\n", "(line 1, column 1): expected front matter"},
		"no end":            {"---\na: 1\n", "unterminated front matter"},
		"a list":            {"---\n- a\n---\n", "expected an object with keys"},
		"stray text":        {"---\na: b\n---\n\n## Gaols\nx\n", "(line 5, column 1): text before the first section"},
		"section twice":     {"---\na: b\n---\n## Goals\nx\n## GOALS\ny\n", "(line 6, column 1): duplicate section"},
		"not UTF-8":         {"---\na: b\n---\n## Goals\nab\xff\n", "(line 5, column 3): invalid UTF-8"},
		"NUL":               {"---\na: b\n---\n## Goals\n\x00\n", "(line 5, column 1): contains a NUL"},
		"escaped NUL":       {"---\na: \"x\\0\"\n---\n", "a (line 2, column 4): contains a NUL"},
		"broken YAML":       {"---\na: b\nc: [\n---\n", "(line 3, column 1): not valid YAML"},
		"unknown alias":     {"---\na: *b\n---\n", "unknown anchor 'b' referenced"},
		"two documents":     {"---\na: b\n...\nc: d\n---\n", "contains more than one YAML document"},
		"duplicate key":     {"---\na: 1\nb: 2\na: 3\n---\n", "a (line 4, column 1): duplicate key"},
		"same key, quoted":  {"---\na: 1\n'a': 3\n---\n", "a (line 3, column 1): duplicate key"},
		"anchor":            {"---\na: &x 1\n---\n", "a (line 2, column 4): YAML anchors"},
		"anchor on a key":   {"---\n&x a: 1\n---\n", "a (line 2, column 1): YAML anchors"},
		"alias":             {"---\na: &x {b: 1}\nc: *x\n---\n", "c (line 3, column 4): YAML anchors"},
		"merge key":         {"---\na: {<<: {b: 1}}\n---\n", `a["<<"] (line 2, column 5): YAML merge keys`},
		"tag":               {"---\na: !!str 1\n---\n", "a (line 2, column 4): YAML tags"},
		"own tag":           {"---\na: !exec ls\n---\n", "a (line 2, column 4): YAML tags"},
		"tag on a map":      {"---\na: !!set {b: 1}\n---\n", "a (line 2, column 4): YAML tags"},
		"key is a list":     {"---\n? [a]\n: 1\n---\n", "(line 2, column 3): keys must be strings"},
		"no key":            {"---\n? \n: 1\n---\n", "missing key"},
		"exponent":          {"---\na: 1e10000\n---\n", "a (line 2, column 4): the number is out of range"},
		"long number":       {"---\na: 1" + strings.Repeat("1", 1_000) + "\n---\n", "a (line 2, column 4): the number is out of range"},
		"long key":          {"---\na: {? " + strings.Repeat("é", 1_025) + " : b}\n---\n", "a (line 2, column 7): a key is longer than 1024 characters"},
		"depth":             {"---\na: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\n---\n", "nested too deeply"},
		"long front matter": {"---\na: " + strings.Repeat("x", MaxFront) + "\n---\n", "the YAML is larger than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text), titles)
			var ps jsondoc.Problems
			if !errors.As(err, &ps) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestParseReportsEverythingAtOnce(t *testing.T) {
	_, err := Parse([]byte("---\na: &x 1\nb: !!int 2\n---\nstray\n## Goals\nx\n## Goals\n"), titles)
	var ps jsondoc.Problems
	if errors.As(err, &ps); len(ps) != 4 {
		t.Errorf("got %d problems, want 4: %v", len(ps), err)
	}
}

func TestParseLimitsProblems(t *testing.T) {
	shortrun.OneGoroutine(t)
	text := "---\n? " + strings.Repeat("k", jsondoc.MaxKey) + "\n: [" + strings.Repeat("&a x,", MaxFront/8) + "]\n---\n"
	_, err := Parse([]byte(text), titles)
	var ps jsondoc.Problems
	if errors.As(err, &ps); len(ps) != jsondoc.MaxProblems+1 {
		t.Errorf("got %d problems, want %d and one more", len(ps), jsondoc.MaxProblems)
	}
}

func TestFormatRefuses(t *testing.T) {
	shortrun.OneGoroutine(t)
	object := jsondoc.NewObject()
	for name, f := range map[string]File{
		"no front matter":   {},
		"front is a list":   {Front: jsondoc.NewArray()},
		"unknown title":     {Front: object, Sections: []Section{{Title: "Other", Text: "x"}}},
		"other spelling":    {Front: object, Sections: []Section{{Title: "goals", Text: "x"}}},
		"a title twice":     {Front: object, Sections: []Section{{Title: "Goals", Text: "x"}, {Title: "Goals", Text: "y"}}},
		"a lossy text":      {Front: object, Sections: []Section{{Title: "Goals", Text: "x\n"}}},
		"text not UTF-8":    {Front: jsondoc.NewObject(jsondoc.Member{Key: "a", Value: jsondoc.NewString("\xff")})},
		"long front matter": {Front: jsondoc.NewObject(jsondoc.Member{Key: "a", Value: jsondoc.NewString(strings.Repeat("x", MaxFront))})},
		"long section":      {Front: object, Sections: []Section{{Title: "Goals", Text: strings.Repeat("x", jsondoc.DefaultLimits.Bytes)}}},
		"text ends in a CR": {Front: object, Sections: []Section{{Title: "Goals", Text: "x\r"}}},
	} {
		if b, err := Format(f, titles); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: got %q, %v", name, b, err)
		}
	}
}

func TestFormatIsReadable(t *testing.T) {
	front := jsondoc.NewObject(
		jsondoc.Member{Key: "id", Value: jsondoc.NewString("pacer")},
		jsondoc.Member{Key: "description", Value: jsondoc.NewString("First line.\nSecond line.")},
		jsondoc.Member{Key: "schema", Value: jsondoc.NewObject(
			jsondoc.Member{Key: "on", Value: jsondoc.NewString("true")},
			jsondoc.Member{Key: "required", Value: jsondoc.NewArray(jsondoc.NewString("a b"), jsondoc.NewNumber("1e2"))},
			jsondoc.Member{Key: "additionalProperties", Value: jsondoc.NewBool(false)},
			jsondoc.Member{Key: "none", Value: jsondoc.NewObject()},
		)},
	)
	got, err := Format(File{Front: front, Sections: []Section{{Title: "Goals", Text: "x\n## Goals"}, {Title: "Prompt", Text: "y"}}}, titles)
	if err != nil {
		t.Fatal(err)
	}
	want := `---
id: pacer
description: |-
  First line.
  Second line.
schema:
  "on": "true"
  required:
    - a b
    - 1e2
  additionalProperties: false
  none: {}
---

## Goals

x
\## Goals

## Prompt

y
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
