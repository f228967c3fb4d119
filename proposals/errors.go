package proposals

import "errors"

// Errors that more than one part of the review returns. Each part declares those that
// it alone returns. Errors on the way up wrap one of them and name the object.
var (
	ErrNotFound  = errors.New("not found")
	ErrConflict  = errors.New("conflict")
	ErrTampered  = errors.New("tampered with")
	ErrUnchanged = errors.New("nothing changed")
	ErrFourEyes  = errors.New("four eyes")
	ErrApprovals = errors.New("approvals are missing")
)
