package review

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
	"toolcrib/proposals"
)

// Errors of the review service. Each error that the service returns contains the name of the object, and wraps one of
// these errors, proposals.ErrAuthority, or proposals.ErrState.
var (
	ErrAmbiguous   = errors.New("ambiguous")
	ErrStale       = errors.New("stale")
	ErrDigest      = errors.New("review digest differs")
	ErrChangeSet   = errors.New("change set is not complete")
	ErrLocked      = errors.New("locked (core)")
	ErrBlocked     = errors.New("open blocking finding")
	ErrUnlisted    = errors.New("allow-list not found")
	ErrLimit       = errors.New("too many open proposals")
	ErrPace        = errors.New("hourly limit reached")
	ErrExcess      = errors.New("size limit exceeded")
	ErrRepeated    = errors.New("rejected before")
	ErrIncomplete  = errors.New("incomplete")
	ErrNoReason    = errors.New("a reason is missing")
	ErrUnseen      = errors.New("you have not been shown what you are approving")
	ErrNoExpect    = errors.New("review digest is missing")
	ErrNotWaivable = errors.New("cannot be waived")
	ErrNotWaived   = errors.New("the finding is not waived")
	ErrReadOnly    = errors.New("the database is read-only")
	ErrMerge       = errors.New("conflicting changes")
	// ErrText means that a note, a reason, or a comment cannot be stored.
	ErrText = errors.New("invalid text")
	// ErrOpinion means that the answer of an external reviewer is not valid.
	ErrOpinion = errors.New("invalid opinion")
	// ErrConsultant means that an external reviewer could not be reached or did not answer.
	ErrConsultant = errors.New("the reviewer did not answer")
)

// ErrOutdated indicates that the latest assessment does not cover the current content, or that it used rules that are
// no longer in force. The proposal must then be assessed again. ErrOutdated wraps proposals.ErrConflict.
var ErrOutdated = fmt.Errorf("%w", proposals.ErrConflict)

// Incomplete lists the problems that prevent the submission of a revision. If Excess is set, the content cannot even be
// stored as a draft. Incomplete wraps ErrExcess if Excess is set, and ErrIncomplete otherwise.
type Incomplete struct {
	What     string // the subject, such as "tool:user/scene_pacer", or "a draft"
	Problems proposals.Problems
	Excess   bool // the content cannot even be stored as a draft
}

// Head returns the start of the error message, which contains the subject and the operation that failed.
func (e *Incomplete) Head() string {
	if e.Excess {
		return e.What + " cannot be stored"
	}
	return e.What + " cannot be submitted"
}

// Error lists the problems.
func (e *Incomplete) Error() string { return e.Head() + ": " + e.Problems.String() }

// Unwrap returns ErrIncomplete or ErrExcess.
func (e *Incomplete) Unwrap() error {
	if e.Excess {
		return ErrExcess
	}
	return ErrIncomplete
}

// CheckText returns an error if text is too long or not valid text. It is used for notes, reasons, and comments. label
// describes the text in the error message, for example "reason".
func CheckText(label, text string) error {
	if message := Unusable(text, proposals.MaxComment); message != "" {
		return fmt.Errorf("%w: the %s %s", ErrText, label, message)
	}
	return nil
}

// Unusable returns the reason why text cannot be stored, or "" if it can be stored. limit is the maximum number of
// characters.
func Unusable(text string, limit int) string {
	if n := utf8.RuneCountInString(text); n > limit {
		return fmt.Sprintf("has %d characters; the limit is %d", n, limit)
	}
	return plaintext.Problem(text)
}

// Shorten returns s, shortened if necessary. limit is the maximum number of characters of the result. A shortened text
// ends with "…".
func Shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
