package review

import (
	"errors"
	"fmt"
	"strconv"

	"toolcrib/proposals"
)

// Errors of the desk. Errors on the way up wrap one of these (or
// proposals.ErrAuthority, proposals.ErrState) and name the object.
var (
	ErrAmbiguous   = errors.New("ambiguous")
	ErrStale       = errors.New("stale")
	ErrDigest      = errors.New("review digest differs")
	ErrChangeSet   = errors.New("change set is not complete")
	ErrLocked      = errors.New("locked (core)")
	ErrBlocked     = errors.New("open block")
	ErrLimit       = errors.New("too many open proposals")
	ErrPace        = errors.New("hourly limit reached")
	ErrExcess      = errors.New("size limit exceeded")
	ErrRepeated    = errors.New("rejected before")
	ErrIncomplete  = errors.New("incomplete")
	ErrNoReason    = errors.New("a reason is missing")
	ErrUnseen      = errors.New("you were not shown what you approve")
	ErrNoExpect    = errors.New("review digest is missing")
	ErrNotWaivable = errors.New("cannot be waived")
	ErrNotWaived   = errors.New("no waiver covers it")
	ErrReadOnly    = errors.New("the database is read-only")
	ErrMerge       = errors.New("conflicting changes")
)

// ErrOutdated is the ErrConflict of an assessment that covers other content or other
// rules than those in force; another assessment removes it.
var ErrOutdated = fmt.Errorf("%w", proposals.ErrConflict)

// Reference returns the name of a proposal on the command line: its number, or
// its id before it has one.
func Reference(p proposals.Proposal) string {
	if p.Issue > 0 {
		return strconv.Itoa(p.Issue)
	}
	return string(p.ID)
}
