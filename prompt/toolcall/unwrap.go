package toolcall

import (
	"strings"
	"unicode"

	"toolcrib/internal/commonmark"
	"toolcrib/internal/visible"
)

// Unwrap returns answer without a code fence around all of it and without white
// space and invisible characters at the edges.
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

// unfence returns the text between the lines of a code fence around all of s.
func unfence(s string) (inside string, ok bool) {
	first, rest, ok := strings.Cut(s, "\n")
	if !ok {
		return "", false
	}
	fence := commonmark.Fence(first)
	if fence == "" {
		return "", false
	}
	at := 0
	for line := range strings.Lines(rest) {
		if commonmark.Closes(strings.TrimSpace(line), fence) {
			return rest[:at], at+len(line) == len(rest)
		}
		at += len(line)
	}
	return "", false
}
