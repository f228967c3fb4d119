// Package draw puts text into terminal cells. A Span takes only Safe text, which was escaped for
// the terminal.
package draw

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"toolcrib/internal/visible"
)

// Safe is one line of text that may be written to a terminal: constants of the
// program, and what Show returns.
type Safe string

// Show escapes untrusted text for the terminal. It shows newlines and tabs as their names, and
// counts combining marks that would spill over the lines around.
func Show[T ~string](s T) Safe { return flat(visible.Line(string(s))) }

// flat counts the marks of characters that have too many to be drawn.
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

// stack writes a character of many marks as its first and how many follow.
func stack(whole string) string {
	first, _ := utf8.DecodeRuneInString(whole)
	return fmt.Sprintf("%c⟨+%d marks⟩", first, utf8.RuneCountInString(whole)-1)
}

// Showf formats and escapes text.
func Showf(format string, args ...any) Safe { return Show(fmt.Sprintf(format, args...)) }

// cluster returns the length in bytes and cells of the first character of s
// that a user would see as one.
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

// maxStack is the longest character in bytes that is drawn unchanged; one with
// more marks would spill over the lines around it.
const maxStack = 32
