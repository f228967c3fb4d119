// Package draw puts text into terminal cells. A Span accepts only Safe text, which is escaped for the terminal.
package draw

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"toolcrib/internal/visible"
)

// Safe is a line of text that may be written to a terminal: a constant of the program, or a result of Show.
type Safe string

// Show escapes untrusted text for the terminal. It writes newlines and tabs as names, and replaces excessive
// combining marks, which would spill over neighboring lines, by their number.
func Show[T ~string](s T) Safe { return flat(visible.Line(string(s))) }

// flat replaces the marks of characters that have too many by their number.
func flat(s string) Safe {
	if len(s) <= maxStack {
		return Safe(s)
	}
	var b strings.Builder
	start := 0
	for i := 0; i < len(s); {
		n, _ := cluster(s[i:])
		if n > maxStack {
			b.WriteString(s[start:i])
			b.WriteString(stack(s[i : i+n]))
			start = i + n
		}
		i += n
	}
	if start == 0 {
		return Safe(s)
	}
	b.WriteString(s[start:])
	return Safe(b.String())
}

// stack returns the first code point of a character and the number of marks that follow.
func stack(whole string) string {
	first, _ := utf8.DecodeRuneInString(whole)
	return fmt.Sprintf("%c⟨+%d marks⟩", first, utf8.RuneCountInString(whole)-1)
}

// Showf formats text and escapes it.
func Showf(format string, args ...any) Safe { return Show(fmt.Sprintf(format, args...)) }

// cluster returns the length of the first user-perceived character of s, in bytes and cells.
func cluster(s string) (size, cells int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	c, cells := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if r, size := utf8.DecodeRuneInString(c); size < len(c) || r > maxAgreed {
		cells = max(cells, ansi.StringWidthWc(c))
	}
	return len(c), cells
}

// maxStack is the maximum length, in bytes, of a character that is drawn unchanged. More marks would spill over
// neighboring lines.
const maxStack = 32
