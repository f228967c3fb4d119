// Package draw puts text into terminal cells. What it is given as Safe has
// passed the gate for untrusted text; nothing else can become a Span.
package draw

import (
	"fmt"

	"toolcrib/visible"
)

// Safe is one line of text that may be written to a terminal: constants of the
// program, and what Show returns.
type Safe string

// Show passes untrusted text through the gate. Line feeds and tabs are shown
// as what they are.
func Show[T ~string](s T) Safe { return Safe(visible.Line(string(s))) }

// Showf formats and passes the result through the gate.
func Showf(format string, args ...any) Safe { return Show(fmt.Sprintf(format, args...)) }
