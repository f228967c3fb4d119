package registry

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/sentences"
)

// FirstSentence returns the first sentence or line of s (Unicode Standard
// Annex 29).
func FirstSentence(s string) string {
	s = strings.TrimSpace(s)
	if it := sentences.FromString(s); it.Next() {
		return strings.TrimSpace(it.Value())
	}
	return s
}

// shorten returns s when it has at most limit characters, else as many whole
// words of it as fit with an ellipsis. What is seen as one character is never
// cut.
func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	end, used := 0, 0
	for it := graphemes.FromString(s); it.Next(); end += len(it.Value()) {
		if used += utf8.RuneCountInString(it.Value()); used > limit-1 {
			break
		}
	}
	cut := s[:end]
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 && s[end] != ' ' {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
