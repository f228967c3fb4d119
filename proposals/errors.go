package proposals

import "errors"

// Sentinel errors that several parts of the review return. Errors used by a single
// part are declared there. Errors wrap one of these and name the object.
var (
	ErrNotFound  = errors.New("not found")
	ErrConflict  = errors.New("conflict")
	ErrTampered  = errors.New("tampered with")
	ErrUnchanged = errors.New("nothing changed")
	ErrFourEyes  = errors.New("four eyes")
	ErrApprovals = errors.New("approvals are missing")
)
