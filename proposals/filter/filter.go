// Package filter reads the language in which people, scripts, and agents ask for
// proposals: `state:user_review rule:S104 -author:agent:scout "night shift"`.
//
// A filter is a list of terms, separated by spaces, all of which must hold:
//
//	text  "more words"    subject, title, author, or change set contains it, in any case
//	#17                   the proposal with that number
//	17  01a2029f  S104    as text; also as a number, the beginning of an id, a rule
//	state:draft           in that state; open and closed stand for several states
//	author:mara           by that user, agent, or chief; author:agent: by any agent
//	user:mara  chief:desk by that actor
//	tool:pacer  list:x    on that tool or allow-list, tool:user/pacer in one layer, tool: on any
//	agent:scout           by that agent, or on it
//	set:NAME              in that change set
//	type:modify           of that type
//	layer:project         in that layer
//	rule:S104             with a finding of that rule
//	stale  blocked        drafted against an older version; with an open block
//
// A minus negates a term, and commas separate alternatives: -state:draft,rejected.
// Quotation marks take the meaning from everything: "stale" is a text. Inside them
// a backslash precedes a quotation mark or a backslash.
package filter

import (
	"errors"
	"fmt"
	"strings"
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
	Any []Atom
}

// Atom compares one property of a proposal.
type Atom struct {
	Is    Property
	Value string
}

// Property is the property that an atom compares.
type Property int

// The properties. The value is compared as a whole unless the comment says more.
const (
	Text       Property = iota // a part of subject, title, author, or change set, in any case
	Number                     // of the issue
	ID                         // the beginning of the id
	State                      // a proposals.State
	Type                       // a proposals.Type
	Author                     // an actor: "user:mara"
	AuthorKind                 // "user:", "agent:", "chief:"
	Subject                    // "tool:user/pacer"
	SubjectID                  // kind and id in any layer: "tool:pacer"
	Kind                       // of the subject: "tool"
	Layer                      // "global", "user", "project/novel"; "project/" for all projects
	Set                        // a change set
	Rule                       // of a finding in the newest assessment
	Stale                      // has no value
	Blocked                    // has no value
	Waits                      // for the approval of a user: "user:mara"
)

// Holds returns the term that an atom makes by itself.
func Holds(is Property, value string) Term { return Term{Any: []Atom{{is, value}}} }

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
	return err == nil && len(f.Terms) == 1 && !f.Terms[0].Not && len(f.Terms[0].Any) == 1 && f.Terms[0].Any[0].Is == Number
}
