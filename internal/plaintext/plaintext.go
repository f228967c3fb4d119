// Package plaintext checks whether texts can be stored in every database, and shortens
// texts. PostgreSQL accepts only valid UTF-8 without U+0000 in the types text and jsonb.
// SQLite would store any bytes, so untrusted texts are checked before they reach the
// database.
package plaintext

import (
	"strings"
	"unicode/utf8"
)

// Problem returns the reason why s cannot be stored, or "" if s can be stored. The reason
// is a predicate, such as "is not valid UTF-8", for a sentence that begins with the name
// of the value.
func Problem(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	case strings.IndexByte(s, 0) >= 0:
		return "contains a NUL character; remove it"
	}
	return ""
}

// Cut returns the first limit characters of s, or s if it has at most limit characters.
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

// CutBytes returns the longest prefix of s with at most limit bytes that does not end
// within a character.
func CutBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// ClipBytes returns the result of CutBytes, followed by an ellipsis if s was cut.
func ClipBytes(s string, limit int) string {
	if cut := CutBytes(s, limit); len(cut) < len(s) {
		return cut + "…"
	}
	return s
}

// Clip returns the result of Cut, followed by an ellipsis if s was cut.
func Clip(s string, limit int) string {
	if cut := Cut(s, limit); len(cut) < len(s) {
		return cut + "…"
	}
	return s
}
