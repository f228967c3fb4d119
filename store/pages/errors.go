package pages

import (
	"errors"
	"fmt"
)

// ErrUnsound says that pages do not hang together as the format wants it, or
// are of a sort that this package does not read.
var ErrUnsound = errors.New("the pages of the file do not hang together")

func unsound(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsound, fmt.Sprintf(format, args...))
}
