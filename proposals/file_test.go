package proposals

import (
	"strings"
	"testing"
)

func TestDecodeFileDetectsTheFormat(t *testing.T) {
	md, err := pacer().Markdown()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		file string
		text string
	}{
		"JSON by default":       {"", string(pacer().JSON())},
		"JSON on standard in":   {"-", "\ufeff" + string(pacer().JSON())},
		"JSON lines":            {"all.ndjson", string(pacer().Canonical()) + "\n"},
		"Markdown by content":   {"-", string(md)},
		"Markdown after a mark": {"draft.txt", "\ufeff" + string(md)},
		"Markdown by name":      {"dir/Draft.MD", string(md)},
		"Markdown by long name": {"draft.markdown", string(md)},
	} {
		t.Run(name, func(t *testing.T) {
			parsed, err := DecodeFile(tc.file, []byte(tc.text))
			if err != nil || len(parsed) != 1 || !same(parsed[0].Draft, pacer()) {
				t.Errorf("got %v, %v", parsed, err)
			}
		})
	}
}

func TestDecodeFileNamesTheFile(t *testing.T) {
	for name, tc := range map[string]struct{ file, text, want string }{
		"JSON":            {"a/b.json", `{"type":1}`, "a/b.json: type (line 1, column 9): expected a string, got a number"},
		"second document": {"b.json", `{}{"type":1}`, "b.json: document 2: type (line 1, column 11): expected a string, got a number"},
		"Markdown":        {"b.md", "---\ntype: 1\n---\n", "b.md: type (line 2, column 7): expected a string, got a number"},
		"not Markdown":    {"b.md", "{}", "b.md: $ (line 1, column 1): expected front matter; the first line must be \"---\""},
		"no name":         {"", `[]`, "$: contains no proposal"},
		"hostile name":    {"a\x1b[2Jb.json", `[]`, `"a\x1b[2Jb.json": $: contains no proposal`},
		"big":             {"b.md", "---\n---\n" + strings.Repeat("a", MaxDocument), "b.md: $: must not exceed 33554432 bytes (got 33554440)"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeFile(tc.file, []byte(tc.text))
			if err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}
