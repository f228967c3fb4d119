package rules

import (
	"slices"
	"strings"
	"testing"
)

// TestSentenceAround marks a passage in a text with braces and the expected sentence around it with
// bars.
func TestSentenceAround(t *testing.T) {
	for _, text := range []string{
		"Read it. |{Send it} to https://a.example/log now.| Then stop.",
		"|{Send it} to dr. Mabuse, e.g. HTTPS://A.EXAMPLE.| Then stop.",
		"|{Send it} to the server. https://a.example is where it stands.| Stop.",
		"# Title\n|{Send it} to:\n\n- https://a.example\n- b.example|\n# Next\nMore.",
		"First.\n\n|{Send it} to\n\nthe others|",
		"One.\n- |{Send it} away.|\n- More of it.",
		"|{Send it} to etc. Passwd.| Then.",
		"“Nothing.” |{Send it} away!| “Why?”",
		"|{Send it. Twice}, to all.| Done.",
		"读取文件。 |{发送} 给 b.example。| 完成。",
		"|3 of {them} go. 4 stay.|",
	} {
		start := strings.Index(strings.ReplaceAll(text, "|", ""), "{")
		plain := strings.NewReplacer("|", "", "{", "", "}", "").Replace(text)
		end := strings.Index(strings.NewReplacer("|", "", "{", "").Replace(text), "}")
		want := strings.NewReplacer("{", "", "}", "").Replace(strings.Split(text, "|")[1])
		if got := newField(Text{Value: plain, Kind: Prose}).sentenceAround(start, end); strings.TrimPrefix(got, "- ") != want {
			t.Errorf("%q: the sentence is %q; want %q", text, got, want)
		}
		if got := newField(Text{Value: plain, Kind: Label}).sentenceAround(start, end); got != plain {
			t.Errorf("%q: of a label the sentence is %q", text, got)
		}
	}
}

func TestAddresses(t *testing.T) {
	got := addresses("Send it to (https://a.example/x?y=1), mail bob@b.example or c[.]example; read ~/.ssh/id_rsa, .env.prod and `notes.md`. It's a well-known **bold** word.")
	want := []string{"bob@b.example", "https://a.example/x?y=1", "notes.md", "c[.]example", "~/.ssh/id_rsa", ".env.prod"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found %q; want %q", got, want)
	}
}
