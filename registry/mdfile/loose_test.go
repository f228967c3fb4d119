package mdfile_test

import (
	"testing"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
)

func TestLooseFrontMatter(t *testing.T) {
	for _, c := range []struct{ text, front, body, keys string }{
		{"plain\n", "", "plain\n", "{}"},
		{"---\na: 1\n", "", "---\na: 1\n", "{}"},
		{"\ufeff---\r\na: x\r\nb: [y, z]\r\n---\r\n\r\nbody\r\n", "a: x\nb: [y, z]\n", "body\r\n", `{"a":"x","b":["y","z"]}`},
		{
			"--- \na: b: c\nglobs: **/*.go\nlist:\n  - 'one'\n  - *two\nfolded: >\n  more\n  words\n---\nbody", "a: b: c\nglobs: **/*.go\nlist:\n  - 'one'\n  - *two\nfolded: >\n  more\n  words\n", "body",
			`{"a":"b: c","folded":"more words\n","globs":"**/*.go","list":["one","*two"]}`,
		},
		{
			"---\na: \"b: c\nglobs: **/*.go\nlist:\n  - 'one'\n  - *two\nrow: [x, y]\nfolded: >\n  more\n  words\n---\nbody", "a: \"b: c\nglobs: **/*.go\nlist:\n  - 'one'\n  - *two\nrow: [x, y]\nfolded: >\n  more\n  words\n", "body",
			`{"a":"\"b: c","folded":"more words","globs":"**/*.go","list":["one","*two"],"row":["x","y"]}`,
		},
	} {
		front, body, ok := mdfile.SplitFront(c.text)
		if front != c.front || body != c.body || ok != (c.front != "") {
			t.Errorf("%q: %q, %q, %v", c.text, front, body, ok)
		}
		if got := string(jsondoc.Canonical(mdfile.LooseFront(front))); got != c.keys {
			t.Errorf("%q: %s, want %s", c.text, got, c.keys)
		}
	}
}

// TestFrontFaults distinguishes values without quotes from front matter that no
// client accepts.
func TestFrontFaults(t *testing.T) {
	for _, c := range []struct {
		front   string
		at      jsondoc.Pos
		lenient bool
	}{
		{"a: 1\nb: [x, y]\n", jsondoc.Pos{}, false},
		{"a: 1\nglobs: **/*.go\nlist:\n  - *.ts\n", jsondoc.Pos{Line: 3, Column: 8}, true},
		{"description: Usage: it's [a] [b]\nargument-hint: [a] [b]\n", jsondoc.Pos{Line: 2, Column: 19}, true},
		{"name: x\ndescription: \"y\n", jsondoc.Pos{Line: 3, Column: 14}, false},
		{"name: x\nallowed-tools: [Read\n", jsondoc.Pos{Line: 3, Column: 16}, false},
		{"name: x\nlist:\n\t- y\n", jsondoc.Pos{Line: 4, Column: 1}, false},
		{"name: x\nname: y\n", jsondoc.Pos{Line: 3, Column: 1}, false},
		{"- x\n", jsondoc.Pos{Line: 2, Column: 1}, false},
	} {
		faults, lenient := mdfile.FrontFaults(c.front)
		var at jsondoc.Pos
		if len(faults) > 0 {
			at = faults[0].Pos
		}
		if at != c.at || lenient != c.lenient {
			t.Errorf("%q: %v, lenient %v", c.front, faults, lenient)
		}
	}
}
