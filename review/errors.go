package review

import (
	"errors"
	"fmt"
)

// Errors of the desk. Errors on the way up wrap one of these (or
// proposals.ErrAuthority, proposals.ErrState) and name the object.
var (
	ErrNotFound    = errors.New("not found")
	ErrAmbiguous   = errors.New("ambiguous")
	ErrConflict    = errors.New("conflict")
	ErrStale       = errors.New("stale")
	ErrDigest      = errors.New("review digest differs")
	ErrChangeSet   = errors.New("change set is not complete")
	ErrUnchanged   = errors.New("nothing changed")
	ErrLocked      = errors.New("locked (core)")
	ErrBlocked     = errors.New("open block")
	ErrFourEyes    = errors.New("four eyes")
	ErrApprovals   = errors.New("approvals are missing")
	ErrLimit       = errors.New("too many open proposals")
	ErrPace        = errors.New("hourly limit reached")
	ErrExcess      = errors.New("size limit exceeded")
	ErrRepeated    = errors.New("rejected before")
	ErrIncomplete  = errors.New("incomplete")
	ErrNoReason    = errors.New("a reason is missing")
	ErrNoExpect    = errors.New("review digest is missing")
	ErrNotWaivable = errors.New("cannot be waived")
	ErrNotWaived   = errors.New("no waiver covers it")
	ErrReadOnly    = errors.New("the database is read-only")
	ErrMerge       = errors.New("conflicting changes")
	ErrTampered    = errors.New("tampered with")
)

// ErrOutdated is the ErrConflict of an assessment that covers other content or other
// rules than those in force; another assessment removes it.
var ErrOutdated = fmt.Errorf("%w", ErrConflict)
