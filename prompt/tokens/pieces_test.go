package tokens

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// The patterns in openai_public.py of tiktoken.
const (
	patternO200k = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternCl100k = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// comparer compares both matchers with an engine that runs the patterns.
type comparer struct {
	names   []string
	piece   []func(string) int
	pattern []*regexp2.Regexp
}

func newComparer() comparer {
	return comparer{
		names:   []string{"o200k", "cl100k"},
		piece:   []func(string) int{pieceO200k, pieceCl100k},
		pattern: []*regexp2.Regexp{regexp2.MustCompile(patternO200k, regexp2.None), regexp2.MustCompile(patternCl100k, regexp2.None)},
	}
}

func (c comparer) check(t *testing.T, text string) {
	t.Helper()
	for i, name := range c.names {
		var got, want []string
		for rest := text; rest != ""; {
			n := c.piece[i](rest)
			if n <= 0 || n > len(rest) {
				t.Fatalf("%s: a piece of %d bytes of %q", name, n, rest)
			}
			got, rest = append(got, rest[:n]), rest[n:]
		}
		m, err := c.pattern[i].FindStringMatch(text)
		for ; err == nil && m != nil; m, err = c.pattern[i].FindNextMatch(m) {
			want = append(want, m.String())
		}
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q is divided into %q, by the pattern into %q", name, text, got, want)
		}
	}
}

// TestPieces splits real prose, and texts of fragments in every order.
func TestPieces(t *testing.T) {
	c := newComparer()
	for _, s := range samples(t) {
		c.check(t, s.Text)
	}
	for _, name := range []string{"../../README.md", "../../docs/ARCHITECTURE.md", "counter.go"} {
		prose, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c.check(t, string(prose))
	}
	fragments := strings.Split("a|B|ab|AB|Ab|1|23|'s|'S|'ll|'LL|'re|'|/|(| |  |\t|\n|\r\n|\n |\u00a0|\u2028|\u3000|é|É|ß|ǅ|ʰ|ª|日|א|\u0301|\u0e31|²|Ⅷ|١|😀|_|-|.|\x00|\x7f|\x85|\u200b|\ufffd", "|")
	r := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		var b strings.Builder
		for range 1 + r.IntN(8) {
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
		c.check(t, strings.ToValidUTF8(b.String(), ""))
	}
}

func FuzzPieces(f *testing.F) {
	c := newComparer()
	f.Add("It's 12345 Wörter,\r\n  and\tMORE//\n")
	f.Fuzz(func(t *testing.T, text string) {
		if utf8.ValidString(text) {
			c.check(t, text)
		}
	})
}
