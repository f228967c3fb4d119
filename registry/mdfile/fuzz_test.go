package mdfile

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"toolcrib/registry/jsondoc"
)

// FuzzText writes and reads any text in every place.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"", " ", "x", "x\n", "\nx", "  x\n\n y ", "## Goals", "\\## Goals", "a\n\\\\## Prompt \nb", "---\n", "...\n",
		"a: b", "- a", "# c", "'", "\"", "null", "1e5", "2026-11-21", "yes", "\t", "a\tb\nc", "é\u2028\u2029\u0085\u202e\ufeff",
		"\U0001F468\u200d\U0001F469", "a\r\nb", "\x1b[0m", "<<", "*a", "&a", "!t", "%d", "@x", "`", "a #b", "a\n  b\n c\n",
		"a\n\n\n", strings.Repeat("k", 1000), strings.Repeat("k ", 100) + "\n\n x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || strings.Contains(s, "\x00") || utf8.RuneCountInString(s) >= jsondoc.MaxKey {
			return
		}
		in := File{Front: jsondoc.NewObject(
			jsondoc.Member{Key: s, Value: jsondoc.NewString(s)},
			jsondoc.Member{Key: s + "2", Value: jsondoc.NewArray(jsondoc.NewString(s), jsondoc.NewObject(jsondoc.Member{Key: s, Value: jsondoc.NewArray(jsondoc.NewString(s))}))},
		)}
		if Representable(s) {
			in.Sections = []Section{{Title: "Goals", Text: s}, {Title: "Prompt", Text: s}}
		}
		roundTrip(t, in)
	})
}

// FuzzFile writes and reads every file that can be parsed.
func FuzzFile(f *testing.F) {
	f.Add([]byte("---\nid: a\n---\n\n## Goals\n\nx\n\\## Goals\n\n## Prompt\n\ny\n"))
	f.Add([]byte("---\na: [1, 2.50, {b: |\n  x\n  }]\n---\n"))
	f.Add([]byte("\ufeff---\r\n? a\r\n: >\r\n  x\r\n  y\r\n---\r\n## prompt\r\n\r\n  x\ry"))
	f.Add([]byte("---\na: &x {<<: *x}\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := Parse(data, titles)
		if err != nil {
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Errorf("the error contains unescaped source text: %q", err)
			}
			return
		}
		if _, err := jsondoc.Parse(jsondoc.Canonical(in.Front), jsondoc.DefaultLimits); err != nil {
			t.Errorf("accepted as YAML and refused as JSON: %v", err)
		}
		in.Sections = slices.DeleteFunc(in.Sections, func(s Section) bool { return !Representable(s.Text) })
		roundTrip(t, in)
	})
}

func roundTrip(t *testing.T, in File) {
	t.Helper()
	b, err := Format(in, titles)
	if err != nil {
		t.Fatalf("Format(%+v): %v", in, err)
	}
	out, err := Parse(b, titles)
	if err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
	if got, want := jsondoc.Canonical(out.Front), jsondoc.Canonical(in.Front); !bytes.Equal(got, want) {
		t.Errorf("front = %q, want %q in\n%s", got, want, b)
	}
	same := func(a, b Section) bool { return a.Title == b.Title && a.Text == b.Text }
	if !slices.EqualFunc(out.Sections, in.Sections, same) {
		t.Errorf("sections = %+v, want %+v in\n%s", out.Sections, in.Sections, b)
	}
}
