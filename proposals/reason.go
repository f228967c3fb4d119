package proposals

import "fmt"

// Reason returns an error that wraps err, and whose message is only the formatted reason.
func Reason(err error, format string, args ...any) error {
	return reason{err, fmt.Sprintf(format, args...)}
}

type reason struct {
	error
	message string
}

func (r reason) Error() string { return r.message }

func (r reason) Unwrap() error { return r.error }
