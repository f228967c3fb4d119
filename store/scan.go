package store

import (
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/review"
)

// into parses text into dst.
func into[T any](dst *T, parse func(string) (T, error), text string) error {
	v, err := parse(text)
	if err != nil {
		return fmt.Errorf("%w: stored %q can not be read: %w", ErrDamaged, text, err)
	}
	*dst = v
	return nil
}

// readAll joins what several reads of one row had to complain about.
func readAll(errs ...error) error { return errors.Join(errs...) }

func parseActor(s string) (proposals.Actor, error) {
	var a proposals.Actor
	err := a.UnmarshalText([]byte(s))
	return a, err
}

func notFound(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), review.ErrNotFound)
}
