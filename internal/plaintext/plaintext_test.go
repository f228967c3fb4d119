package plaintext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
)

// TestProblem accepts exactly the texts that both engines can store.
func TestProblem(t *testing.T) {
	for _, s := range []string{"", "a", "é", "\U0010FFFF", "\uFFFF", "\uFFFD", "a\nb\x1b\u202e", "\x7f"} {
		if got := plaintext.Problem(s); got != "" {
			t.Errorf("%q %s", s, got)
		}
	}
	for _, s := range []string{"\x00", "a\x00", "é"[:1], "a\xff", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"} {
		if plaintext.Problem(s) == "" {
			t.Errorf("%q is accepted", s)
		}
	}
}

// TestCut checks that no character is split.
func TestCut(t *testing.T) {
	const text = "aé€😀bé"
	runes := []rune(text)
	for n := range len(text) + 2 {
		want := string(runes[:min(n, len(runes))])
		if got := plaintext.Cut(text, n); got != want {
			t.Errorf("Cut %d is %q; want %q", n, got, want)
		}
		if got, want := plaintext.Clip(text, n), want; n < len(runes) && got != want+"…" || n >= len(runes) && got != text {
			t.Errorf("Clip %d is %q", n, got)
		}
		got := plaintext.CutBytes(text, n)
		if !utf8.ValidString(got) || len(got) > n || !strings.HasPrefix(text, got) || n < len(text) && len(got)+utf8.UTFMax <= n {
			t.Errorf("CutBytes %d is %q", n, got)
		}
	}
	if got := plaintext.Cut("a\xff\xffb", 3); got != "a\xff\xff" {
		t.Errorf("%q", got)
	}
}
