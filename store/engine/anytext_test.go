package engine_test

import (
	"testing"

	"toolcrib/internal/plaintext"
	"toolcrib/store/engine"
)

// FuzzEscapeText converts arbitrary text to text that PostgreSQL accepts, and back.
func FuzzEscapeText(f *testing.F) {
	for _, s := range []string{"", "a", "é", "a\x00b", "\xff", "é"[:1], "\U0010FFFD", "\U0010FFFD00", "\U0010FFFD\x00", "\uFFFD\xff", "\xed\xa0\x80", "\U0010FFFDf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		stored := engine.EscapeText(s)
		if problem := plaintext.Problem(stored); problem != "" {
			t.Errorf("%q is stored as %q, which %s", s, stored, problem)
		}
		if got := engine.UnescapeText(stored); got != s {
			t.Errorf("%q is stored as %q and read as %q", s, stored, got)
		}
	})
}

// TestUnescapeText checks that marks that do not escape anything remain unchanged, as in older databases.
func TestUnescapeText(t *testing.T) {
	const mark = "\U0010FFFD"
	for _, s := range []string{mark, mark + "0", mark + "0G", mark + "FF", "a" + mark + "é", mark + mark} {
		if got := engine.UnescapeText(s); got != s {
			t.Errorf("%q is read as %q", s, got)
		}
	}
}
