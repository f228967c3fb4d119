package mdfile

import (
	"testing"

	"toolcrib/registry/jsondoc"
)

// TestScalars covers notations for which YAML and JSON differ.
func TestScalars(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "null",
		"~":                  "null",
		"null":               "null",
		"Null":               `"Null"`,
		"true":               "true",
		"True":               `"True"`,
		"yes":                `"yes"`,
		"'true'":             `"true"`,
		"0":                  "0",
		"-12.50":             "-12.5",
		"1e2":                "100",
		"1E400":              "1e+400",
		"007":                `"007"`,
		"0x1F":               `"0x1F"`,
		"0o17":               `"0o17"`,
		"1_000":              `"1_000"`,
		"+1":                 `"+1"`,
		".5":                 `".5"`,
		"5.":                 `"5."`,
		".inf":               `".inf"`,
		".nan":               `".nan"`,
		"12:30:45":           `"12:30:45"`,
		"2026-11-21":         `"2026-11-21"`,
		"2026-11-21 10h":     `"2026-11-21 10h"`,
		"'12'":               `"12"`,
		`"12"`:               `"12"`,
		"|-\n  12":           `"12"`,
		"<<":                 `"<<"`,
		`"\u00e9\U0001F600"`: "\"\u00e9\U0001F600\"",
		"{}":                 "{}",
		"[]":                 "[]",
		"[1, [a], {b: c}]":   `[1,["a"],{"b":"c"}]`,
		"{1: a, true: b, null: c, '<<': d, '': e}": `{"":"e","1":"a","<<":"d","null":"c","true":"b"}`,
	} {
		n, ps := parseFront("v: "+in+"\n", 0)
		if ps != nil {
			t.Errorf("%q: %v", in, ps)
			continue
		}
		if got := string(jsondoc.Canonical(n.Get("v"))); got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}

func TestFrontMatterCanBeEmpty(t *testing.T) {
	for _, in := range []string{"", "\n", "# only a comment\n"} {
		n, ps := parseFront(in, 1)
		if ps != nil || n.Kind != jsondoc.Object || len(n.Members) != 0 {
			t.Errorf("%q: %+v, %v", in, n, ps)
		}
	}
}

func TestPositions(t *testing.T) {
	n, ps := parseFront("é: 1\nlist:\n  - {a: ü, b: x}\n  - |\n    text\n", 1)
	if ps != nil {
		t.Fatal(ps)
	}
	for path, want := range map[string]jsondoc.Pos{
		"list":      {Line: 4, Column: 3},
		"list[0].a": {Line: 4, Column: 9},
		"list[0].b": {Line: 4, Column: 15},
		"list[1]":   {Line: 5, Column: 5},
	} {
		if got := n.Find(path).Pos; got != want {
			t.Errorf("%s is at %v, want %v", path, got, want)
		}
	}
}
