// Package commonmark finds the lines of Markdown that begin and end code and those
// that are headings (https://spec.commonmark.org/0.31.2), for callers that do not
// need a syntax tree.
package commonmark

import "strings"

// Fence returns the backticks or tildes with which line opens a fenced code block
// (section 4.5), or "" if it opens none.
func Fence(line string) string {
	if n, info := marks(line, '`'); n >= 3 && !strings.Contains(info, "`") {
		return strings.Repeat("`", n)
	}
	if n, _ := marks(line, '~'); n >= 3 {
		return strings.Repeat("~", n)
	}
	return ""
}

// Closes reports whether line ends the code block that fence opened: it has at
// least as many of the same marks and nothing else.
func Closes(line, fence string) bool {
	n, rest := marks(line, fence[0])
	return n >= len(fence) && strings.Trim(rest, blanks) == ""
}

// HeadingLevel returns the level of an ATX heading (section 4.2), 1 to 6, or 0 if
// line is not a heading. A heading starts with one to six "#", followed by white
// space or the end of the line.
func HeadingLevel(line string) int {
	n, rest := marks(line, '#')
	if n > 6 || strings.Trim(rest[:min(1, len(rest))], blanks) != "" {
		return 0
	}
	return n
}

const blanks = " \t\r\n"

// marks counts the marks at the start of line, after at most three spaces, and
// returns the rest of the line.
func marks(line string, mark byte) (n int, rest string) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 {
		return 0, line
	}
	rest = strings.TrimLeft(s, string(mark))
	return len(s) - len(rest), rest
}
