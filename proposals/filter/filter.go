// Package filter parses the language for finding proposals: `state:user_review
// rule:S104 -author:agent:scout "night shift"`.
//
// A filter is a list of terms, separated by spaces, which must all match; Help
// explains them. Numbers, prefixes of ids and rules are also searched as text. A
// minus negates a term, and commas separate alternatives: -state:draft,rejected.
// Quoted text is always searched as text, such as "stale"; inside quotes, a
// backslash escapes a quotation mark or a backslash.
package filter

import (
	"errors"
	"fmt"
	"strings"

	"toolcrib/proposals/facts"
)

// Limits of a filter. Each term is checked for every proposal that the previous
// terms match.
const (
	MaxTerms  = 32
	MaxValues = 16 // alternatives of one term
)

// ErrSyntax is wrapped by all errors about malformed filters.
var ErrSyntax = errors.New("not a filter")

// Error is the first mistake in a filter.
type Error struct {
	Column  int // column of the mistake in characters, from 1
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("filter, column %d: %s", e.Column, e.Message) }

// Unwrap returns ErrSyntax.
func (e *Error) Unwrap() error { return ErrSyntax }

// Filter is a list of terms that must all match. The zero value matches every
// proposal.
type Filter struct{ Terms []Term }

// Term matches if one of its atoms matches or, if negated, if none does.
type Term struct {
	Not bool
	Any []facts.Atom
}

// Holds returns a term with a single atom.
func Holds(is facts.Property, value string) Term {
	return Term{Any: []facts.Atom{{Is: is, Value: value}}}
}

// Quote returns the term that searches for exactly this text.
func Quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// Join combines filters: the result matches if all of them match.
func Join(filters ...string) string {
	var all []string
	for _, f := range filters {
		if f = strings.TrimSpace(f); f != "" {
			all = append(all, f)
		}
	}
	return strings.Join(all, " ")
}

// IsNumber reports whether a filter is a single number of a proposal.
func IsNumber(text string) bool {
	f, err := Parse(text)
	return err == nil && len(f.Terms) == 1 && !f.Terms[0].Not && len(f.Terms[0].Any) == 1 && f.Terms[0].Any[0].Is == facts.Number
}
