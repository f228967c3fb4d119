package store

import (
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// into parses text into dst.
func into[T any](dst *T, parse func(string) (T, error), text string) error {
	v, err := parse(text)
	if err != nil {
		return unreadable{text, err}
	}
	*dst = v
	return nil
}

// unreadable describes the problem with a stored text. It quotes only the
// beginning of both: a revision may have megabytes, and so may the message.
type unreadable struct {
	text string
	err  error
}

func (u unreadable) Error() string {
	return fmt.Sprintf("%v: stored %s cannot be read: %s", ErrDamaged, jsondoc.Quote(u.text), jsondoc.Printable(u.err.Error()))
}

func (u unreadable) Unwrap() []error { return []error{ErrDamaged, u.err} }

func parseActor(s string) (proposals.Actor, error) {
	var a proposals.Actor
	err := a.UnmarshalText([]byte(s))
	return a, err
}

func notFound(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), review.ErrNotFound)
}
