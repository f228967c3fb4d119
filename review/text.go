package review

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

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
	switch n := utf8.RuneCountInString(text); {
	case n > limit:
		return fmt.Sprintf("has %d characters; the limit is %d", n, limit)
	case !utf8.ValidString(text):
		return "is not valid UTF-8"
	case strings.ContainsRune(text, 0):
		return "holds a NUL character"
	}
	return ""
}
