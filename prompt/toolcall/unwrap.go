package toolcall

import (
	"strings"
	"unicode"

	"toolcrib/internal/visible"
)

// Unwrap returns what stands in answer without the one code fence that may
// stand around all of it and without white space and invisible characters at
// the edges.
func Unwrap(answer string) string {
	answer = trim(answer)
	if inside, ok := unfence(answer); ok {
		return trim(inside)
	}
	return answer
}

func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || visible.Hidden(r) })
}

// unfence returns what stands between the lines of a code fence (CommonMark
// 0.31, section 4.5) that begins s and ends it.
func unfence(s string) (inside string, ok bool) {
	first, rest, ok := strings.Cut(s, "\n")
	if !ok {
		return "", false
	}
	mark := fence(first)
	if mark == "" || mark[0] == '`' && strings.ContainsRune(first[len(mark):], '`') {
		return "", false
	}
	at := 0
	for line := range strings.Lines(rest) {
		if closes(line, mark) {
			return rest[:at], at+len(line) == len(rest)
		}
		at += len(line)
	}
	return "", false
}

// closes reports whether line ends the fence that mark began.
func closes(line, mark string) bool {
	line = strings.TrimSpace(line)
	end := fence(line)
	return strings.HasPrefix(end, mark) && end == line
}

// fence returns the backticks or tildes that line begins with when they are
// enough for a fence.
func fence(line string) string {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 {
			return line[:n]
		}
	}
	return ""
}
