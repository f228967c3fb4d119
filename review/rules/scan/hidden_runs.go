package scan

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// add appends the character to the run before it when that is of the same kind
// and adjacent, and starts a run otherwise.
func (h *hiddenScan) add(k Kind, r rune, at, n int) {
	if last := len(h.found) - 1; last >= 0 {
		if f := &h.found[last]; f.Kind == k && (f.End == at || k == Stacked && at-f.End <= maxMarked) {
			f.End = at + n
			f.Count++
			return
		}
	}
	h.found = append(h.found, Hidden{Kind: k, Start: at, End: at + n, Count: 1, First: r})
}

// maxMarked is how many bytes may lie between two piled-up marks of one run.
const maxMarked = 8

// stacked reports a mark that does not compose with the Latin letter before
// it, or the third mark in a row.
func (h *hiddenScan) stacked(r rune) Kind {
	h.marks++
	if h.marks > 2 {
		return Stacked
	}
	if h.prev < 0x80 && unicode.IsLetter(h.prev) && h.marks == 1 {
		var b [8]byte
		pair := utf8.AppendRune(utf8.AppendRune(b[:0], h.prev), r)
		if utf8.RuneCount(norm.NFC.Bytes(pair)) > 1 {
			return Stacked
		}
	}
	return None
}

// hasRTL reports whether text has a letter of a right-to-left script.
func hasRTL(text string) bool {
	for _, r := range text {
		if r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc || r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1eeff {
			if unicode.IsLetter(r) {
				return true
			}
		}
	}
	return false
}

// Plain reports whether text is printable ASCII, line feeds and tabs, in which
// nothing can hide.
func Plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}
