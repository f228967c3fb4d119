package tokens

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"

	"toolcrib/internal/shortrun"
)

func TestParagraphs(t *testing.T) {
	long := strings.Repeat("x", maxRun)
	for text, want := range map[string][]string{
		"":                       nil,
		"a\nb":                   {"a\nb"},
		"a\n\nb\n\n":             {"a\n\n", "b\n\n"},
		"a\n\n\nb":               {"a\n\n\nb"},
		"a\n\n\n\nb":             {"a\n\n\n\n", "b"},
		"a\n\n  b\n\n/c\n\n- d":  {"a\n\n  b\n\n/c\n\n", "- d"},
		"a\n\nä":                 {"a\n\nä"},
		long + "yz":              {long, "yz"},
		"a " + long + long + "b": {"a " + long, long, "b"},
		"ä" + long + "!":         {"ä" + long[2:], "xx!"},
	} {
		var got []string
		for _, p := range paragraphs(text) {
			got = append(got, p.text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.40q: got %.60q", text, got)
		}
	}
}

// TestParagraphsChangeNoCount checks that splitting a text without long runs does
// not change the count of a library.
func TestParagraphsChangeNoCount(t *testing.T) {
	shortrun.OneGoroutine(t)
	whole := map[*encoding]*codec.Codec{newEncoding(o200k): codec.NewO200kBase(), newEncoding(cl100k): codec.NewCl100kBase()}
	fragments := []string{"\n", "\n", "\n\n", "\n\n", "\r\n", " ", "\t", "/", "//", "#", "-", ".", "!?", "a", "Word", "12", "'s", "ä", "日本", "😀", "\u0301", "\u00a0", "\x00", "\x7f", "{", "`"}
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var b strings.Builder
		for range 1 + r.IntN(16) {
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
		text := b.String()
		for e, library := range whole {
			want, err := library.Count(text)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := e.count([][]paragraph{paragraphs(text)}); err != nil || got[0] != want {
				t.Errorf("%s, %q: %d tokens in pieces, %d whole: %v", library.GetName(), text, got, want, err)
			}
		}
	}
}

func FuzzParagraphs(f *testing.F) {
	f.Add("a\n\nb", 0)
	f.Add("x\n\n/y ä", 700)
	f.Fuzz(func(t *testing.T, text string, times int) {
		text = strings.Repeat(text, 1+min(max(times, 0), 1+4*maxRun/max(1, len(text))))
		var b strings.Builder
		for _, p := range paragraphs(text) {
			if p.text == "" {
				t.Error("an empty paragraph")
			}
			if longRun(p.text) != len(p.text) {
				t.Errorf("a paragraph of %d bytes has a run that is too long", len(p.text))
			}
			b.WriteString(p.text)
		}
		if b.String() != text {
			t.Errorf("%q in pieces is %q", text, b.String())
		}
	})
}
