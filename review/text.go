package review

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
	"toolcrib/proposals"
)

// ErrText is wrapped when a note, a reason or a comment cannot be kept as it
// is.
var ErrText = errors.New("not usable as text")

// checkText refuses a note, a reason or a comment that is too long or not text.
// what names it.
func checkText(what, text string) error {
	if message := unusable(text, proposals.MaxComment); message != "" {
		return fmt.Errorf("%w: the %s %s", ErrText, what, message)
	}
	return nil
}

// unusable returns why text cannot be stored, "" if it can. limit is in
// characters.
func unusable(text string, limit int) string {
	if n := utf8.RuneCountInString(text); n > limit {
		return fmt.Sprintf("has %d characters; the limit is %d", n, limit)
	}
	return plaintext.Problem(text)
}

// cutTo shortens a text to a number of characters.
func cutTo(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
