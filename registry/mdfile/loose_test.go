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
			`{"a":"b: c","folded":"more words","globs":"**/*.go","list":["one","*two"]}`,
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
