package overlap

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"toolcrib/internal/shortrun"
)

func TestWords(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", " \n--!", nil},
		{"case and punctuation", "Read the FILE, then: stop.", []string{"read", "the", "file", "then", "stop"}},
		{"ids", "file_reader get-page2", []string{"file", "reader", "get", "page2"}},
		{"apostrophes", "don't don’t", []string{"dont", "dont"}},
		{"accents", "Café cafe\u0301 naïve ÅNGSTRÖM", []string{"cafe", "cafe", "naive", "angstrom"}},
		{"compatibility forms", "ﬁle ＦＩＬＥ ①② ⅷ", []string{"file", "file", "12", "viii"}},
		{"invisible characters", "re\u200bad fi\u00adle \U000e0041x", []string{"read", "file", "x"}},
		{"invisible alone", "\u200b\u2060 \ufe0f", nil},
		{"scripts without spaces", "読む file を", []string{"読", "む", "file", "を"}},
		{"other scripts", "Прочитай файл اقرأ الملف", []string{"прочитаи", "фаил", "اقرا", "الملف"}},
		{"emoji", "go 👩‍🚀 home", []string{"go", "home"}},
		{"no UTF-8", "a\xffb", []string{"a", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			words(tt.text, func(w word) { got = append(got, string(w.folded)) })
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Read the ﬁle\u200b_reader, café 読む\xff")
	f.Add(strings.Repeat("ﷺ", 9))
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		words(text, func(w word) {
			if w.start < last || w.end <= w.start || w.end > len(text) {
				t.Fatalf("word at %d to %d after %d of %d bytes", w.start, w.end, last, len(text))
			}
			if len(w.folded) == 0 || !utf8.Valid(w.folded) {
				t.Fatalf("word %q", w.folded)
			}
			last = w.end
		})
		if s := Of(text); s.IsZero() != (last == 0) {
			t.Fatalf("words up to %d, sketch %x", last, s)
		}
	})
}

// Texts that are expensive to fold, sketch, or compare are still processed in time.
func TestHostileTexts(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	const size = 1 << 20
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	var rare strings.Builder
	for r := rune(0xac00); rare.Len() < size; r++ {
		if r > 0xd7a3 {
			r = 0x4e00
		}
		rare.WriteRune(r)
	}
	for name, text := range map[string]string{
		"one word":         repeat("a "),
		"two words":        repeat("a b "),
		"no word":          repeat("\u200b"),
		"one long word":    repeat("x"),
		"decomposing":      repeat("ﷺ"),
		"rare characters":  rare.String(),
		"broken":           repeat("\xff"),
		"accents on end":   "a" + repeat("\u0301"),
		"words of a glyph": repeat("読"),
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			Of(text)
			Common(text, text)
			if took := time.Since(began); took > 2*time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}
