package proposals

import "errors"

// Errors that several packages of the review return, wrapped with the name of the
// object. Errors that only one package returns are declared in that package.
var (
	ErrNotFound  = errors.New("not found")
	ErrConflict  = errors.New("conflict")
	ErrTampered  = errors.New("tampered with")
	ErrUnchanged = errors.New("nothing changed")
	ErrFourEyes  = errors.New("four-eyes rule")
	ErrApprovals = errors.New("approvals are missing")
)
