// Package plaintext decides which texts can be stored: valid UTF-8 without U+0000,
// which PostgreSQL keeps in no text and JSON in no byte string. A SQLite file takes
// anything, so whatever comes from outside is checked before it gets there.
package plaintext

import (
	"strings"
	"unicode/utf8"
)

// Problem returns what keeps s from being stored, as the end of a sentence that
// begins with its name; "" for nothing.
func Problem(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	case strings.IndexByte(s, 0) >= 0:
		return "contains a NUL character; remove it"
	}
	return ""
}

// Cut returns the first limit characters of s, and never a part of one.
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

// CutBytes returns the first characters of s that fit into so many bytes.
func CutBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// Clip is Cut with an ellipsis where something was cut off.
func Clip(s string, limit int) string {
	if cut := Cut(s, limit); len(cut) < len(s) {
		return cut + "…"
	}
	return s
}
