package tui

import (
	"errors"
	"strings"

	"toolcrib/review"
)

// sentence writes an error on one line for a person.
func sentence(err error) string {
	var whole *review.Incomplete
	if errors.As(err, &whole) && len(whole.Problems) > 0 {
		return whole.What + " cannot be submitted: " + whole.Problems[0].String()
	}
	text := strings.TrimSpace(strings.ReplaceAll(err.Error(), "\n", "; "))
	if text == "" {
		return "something failed without saying what"
	}
	return text
}
