package gateway

import (
	"fmt"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
	"toolcrib/internal/visible"
	"toolcrib/review"
)

// MaxCallerText is the longest name of an agent, a user, or a customer, in
// characters. They are keys of the call log and of the assistant's data.
const MaxCallerText = 200

// maxLogged limits how much of a name that was called the audit keeps, in
// characters.
const maxLogged = 128

// Check returns review.ErrText for a caller that cannot be written down.
func (c Caller) Check() error {
	for _, text := range []struct{ what, value string }{
		{"agent", c.Agent},
		{"user", c.User},
		{"customer", c.Customer},
		{"layer", string(c.Layer)},
		{"actor", c.Actor.Name},
	} {
		if err := checkText(text.what, text.value); err != nil {
			return err
		}
	}
	return nil
}

func checkText(what, value string) error {
	if n := utf8.RuneCountInString(value); n > MaxCallerText {
		return fmt.Errorf("%w: the name of the %s has %d characters; the limit is %d", review.ErrText, what, n, MaxCallerText)
	}
	if problem := plaintext.Problem(value); problem != "" {
		return fmt.Errorf("%w: the name of the %s %s", review.ErrText, what, problem)
	}
	return nil
}

// CheckReason returns review.ErrText for a reason that cannot be stored.
func CheckReason(reason string) error {
	if n := utf8.RuneCountInString(reason); n > MaxReason {
		return fmt.Errorf("%w: the reason has %d characters; the limit is %d", review.ErrText, n, MaxReason)
	}
	if problem := plaintext.Problem(reason); problem != "" {
		return fmt.Errorf("%w: the reason %s", review.ErrText, problem)
	}
	return nil
}

// logged returns a name that was called as the audit keeps it: cut, and with
// what cannot be stored escaped.
func logged(name string) string {
	name = plaintext.Cut(name, maxLogged)
	if plaintext.Problem(name) != "" {
		name = plaintext.Cut(visible.Line(name), maxLogged)
	}
	return name
}
