// Package filter reads the language in which people, scripts, and agents ask for
// proposals: `state:user_review rule:S104 -author:agent:scout "night shift"`.
//
// A filter is a list of terms, separated by spaces, all of which must hold; Help
// explains each. A number, the beginning of an id and a rule are looked for as text
// too. A minus negates a term, and commas separate alternatives:
// -state:draft,rejected. Quotation marks take the meaning from everything: "stale" is a
// text. Inside them a backslash precedes a quotation mark or a backslash.
package filter

import (
	"errors"
	"fmt"
	"strings"

	"toolcrib/proposals/facts"
)

// Limits of a filter. Each term costs a look at every proposal that the terms
// before it leave.
const (
	MaxTerms  = 32
	MaxValues = 16 // alternatives of one term
)

// ErrSyntax is wrapped by every error about a filter that cannot be read.
var ErrSyntax = errors.New("not a filter")

// Error reports the first mistake in a filter.
type Error struct {
	Column  int // of the character where it stands, from 1
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("filter, column %d: %s", e.Column, e.Message) }

// Unwrap makes every mistake ErrSyntax.
func (e *Error) Unwrap() error { return ErrSyntax }

// Filter is a list of terms, all of which must hold. The zero value holds of
// every proposal.
type Filter struct{ Terms []Term }

// Term holds if any of its atoms does, or none of them when it is negated.
type Term struct {
	Not bool
	Any []facts.Atom
}

// Holds returns the term that an atom makes by itself.
func Holds(is facts.Property, value string) Term {
	return Term{Any: []facts.Atom{{Is: is, Value: value}}}
}

// Quote returns the term that looks for exactly this text.
func Quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// Join returns a filter that asks for everything that several do.
func Join(filters ...string) string {
	var all []string
	for _, f := range filters {
		if f = strings.TrimSpace(f); f != "" {
			all = append(all, f)
		}
	}
	return strings.Join(all, " ")
}

// IsNumber reports whether a filter asks for one proposal by its number.
func IsNumber(text string) bool {
	f, err := Parse(text)
	return err == nil && len(f.Terms) == 1 && !f.Terms[0].Not && len(f.Terms[0].Any) == 1 && f.Terms[0].Any[0].Is == facts.Number
}
