// Package commonmark recognizes headings and the first and last lines of fenced code
// blocks in Markdown texts (https://spec.commonmark.org/0.31.2). It is for callers that
// do not need a syntax tree.
package commonmark

import "strings"

// Fence returns the opening fence, such as "```" or "~~~", if line begins a fenced code
// block (section 4.5). Otherwise, it returns "".
func Fence(line string) string {
	if n, info := marks(line, '`'); n >= 3 && !strings.Contains(info, "`") {
		return strings.Repeat("`", n)
	}
	if n, _ := marks(line, '~'); n >= 3 {
		return strings.Repeat("~", n)
	}
	return ""
}

// Closes reports whether line ends the code block that began with fence. Such a line
// contains only backticks or tildes of the same kind, at least as many as fence.
func Closes(line, fence string) bool {
	n, rest := marks(line, fence[0])
	return n >= len(fence) && strings.Trim(rest, blanks) == ""
}

// HeadingLevel returns the level (1 to 6) of the ATX heading in line (section 4.2), or 0
// if line is not an ATX heading. An ATX heading starts with at most six "#" characters,
// followed by white space or the end of the line.
func HeadingLevel(line string) int {
	n, rest := marks(line, '#')
	if n > 6 || strings.Trim(rest[:min(1, len(rest))], blanks) != "" {
		return 0
	}
	return n
}

const blanks = " \t\r\n"

// marks returns the number of consecutive mark characters at the start of line, after at
// most three spaces, and the rest of the line.
func marks(line string, mark byte) (n int, rest string) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 {
		return 0, line
	}
	rest = strings.TrimLeft(s, string(mark))
	return len(s) - len(rest), rest
}
