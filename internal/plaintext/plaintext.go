// Package plaintext decides which texts can be stored: valid UTF-8 without U+0000,
// which PostgreSQL allows neither in text nor in jsonb. SQLite would store
// anything, so text from outside is checked before it reaches the database.
package plaintext

import (
	"strings"
	"unicode/utf8"
)

// Problem returns the reason why s cannot be stored, as a predicate that follows
// the name of the value ("is not valid UTF-8"), or "".
func Problem(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	case strings.IndexByte(s, 0) >= 0:
		return "contains a NUL character; remove it"
	}
	return ""
}

// Cut returns at most the first limit characters of s.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i]
		}
		n++
	}
	return s
}

// CutBytes returns the longest prefix of s that has at most limit bytes and does
// not split a character.
func CutBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// ClipBytes does the same as CutBytes and appends an ellipsis if it cut s.
func ClipBytes(s string, limit int) string {
	if cut := CutBytes(s, limit); len(cut) < len(s) {
		return cut + "…"
	}
	return s
}

// Clip does the same as Cut and appends an ellipsis if it cut s.
func Clip(s string, limit int) string {
	if cut := Cut(s, limit); len(cut) < len(s) {
		return cut + "…"
	}
	return s
}
