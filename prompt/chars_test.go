package prompt

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzCountChars(f *testing.F) {
	for _, s := range []string{"", "1234567", "12345678", "1234567é9", strings.Repeat("é", 9), "\xff1234567\xc3", "日本語 plain text after it"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := countChars(s), utf8.RuneCountInString(s); got != want {
			t.Errorf("%q has %d characters, counted %d", s, want, got)
		}
	})
}
