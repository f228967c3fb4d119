package review

import (
	"fmt"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
	"toolcrib/proposals"
)

// CheckText refuses a note, a reason or a comment that is too long or not text.
// what names it.
func CheckText(what, text string) error {
	if message := Unusable(text, proposals.MaxComment); message != "" {
		return fmt.Errorf("%w: the %s %s", ErrText, what, message)
	}
	return nil
}

// Unusable returns why text cannot be stored, "" if it can. limit is in
// characters.
func Unusable(text string, limit int) string {
	if n := utf8.RuneCountInString(text); n > limit {
		return fmt.Sprintf("has %d characters; the limit is %d", n, limit)
	}
	return plaintext.Problem(text)
}

// Shorten shortens a text to a number of characters.
func Shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
