package process

import (
	"errors"
	"fmt"
)

// FindingsUnless is errFindings when ok is not set.
func FindingsUnless(ok bool) error {
	if ok {
		return nil
	}
	return ErrFindings
}

// ErrUsage is wrapped by errors about the command line itself.
var ErrUsage = errors.New("usage")

// Usagef returns an error about the command line.
func Usagef(format string, args ...any) error {
	return fmt.Errorf("%s%w", fmt.Sprintf(format, args...), Hide(ErrUsage))
}

// Hide returns err without its words.
func Hide(err error) error { return hidden{err} }

// hidden is an error that can be found but adds no words.
type hidden struct{ error }

func (hidden) Error() string { return "" }

func (h hidden) Unwrap() error { return h.error }

// ErrFindings ends a command that did its work and found something. What it
// found is printed already.
var ErrFindings = errors.New("findings")

// ExitStatus ends a command with the exit status of a program that it ran.
type ExitStatus int

// Error names the status.
func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// ErrNoDryRun refuses --dry-run for what cannot be tried without doing it.
func ErrNoDryRun(what string) error {
	return Usagef("%s cannot be tried with --dry-run: it would have to write, start, or send something; nothing was done", what)
}

// ErrPrinted ends a command that printed a statement instead of deciding.
var ErrPrinted = errors.New("statement printed")
