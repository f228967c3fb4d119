// Package visible is the one gate that untrusted text passes before it reaches a
// screen, a pipe or a pager: it shows the code point of every character that a
// terminal would obey, or draw as nothing.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether r is one of the characters that most terminals obey
// or draw as nothing: controls, format characters (bidirectional overrides,
// zero-width spaces and joiners, tags), variation selectors, fillers and
// everything else that Unicode calls ignorable by default (UAX #44,
// Default_Ignorable_Code_Point), line and paragraph separators, surrogates,
// private use and what is not assigned at all. Line feed and tab are hidden
// too; who prints several lines asks Text.
func Hidden(r rune) bool {
	switch {
	case r < 0x20, r == 0x7f:
		return true
	case r < 0x7f:
		return false
	case r == 0x2800: // the blank Braille pattern
		return true
	case unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return true
	}
	// Whatever has a shape or is a space; the rest are the categories C, Zl, Zp
	// and code points that mean nothing yet.
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs)
}

// Text returns s safe to print over several lines: line feeds and tabs stay,
// every other hidden character becomes its code point in angle brackets, such
// as ⟨U+202E⟩, and a byte that is no UTF-8 becomes ⟨0xFF⟩.
func Text(s string) string {
	return escape(s, func(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) })
}

// Line is Text for a place that has one line: line feeds and tabs are shown
// too.
func Line(s string) string { return escape(s, Hidden) }

// Clean reports whether Text would not change s.
func Clean(s string) bool {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") || r != '\n' && r != '\t' && Hidden(r) {
			return false
		}
	}
	return true
}

func escape(s string, hide func(rune) bool) string {
	var b strings.Builder
	start := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(s[start:i])
			fmt.Fprintf(&b, "⟨0x%02X⟩", s[i])
			start = i + size
		case hide(r):
			b.WriteString(s[start:i])
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			start = i + size
		}
		i += size
	}
	if start == 0 {
		return s
	}
	b.WriteString(s[start:])
	return b.String()
}

// JSON returns JSON text in which every hidden character is an escape (\u202e),
// and so is the bracket of a CI runner's command (##\u005b): the same document,
// safe to print. A byte that is no UTF-8, which some terminals obey, becomes
// \ufffd, as every reader of JSON would have it. Outside of strings JSON has no
// hidden characters but white space, which stays, and no number signs.
func JSON(text []byte) []byte {
	var out []byte
	var line commandScan
	start := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		command := line.completes(r) && r == '['
		if command || r >= 0x7f && (Hidden(r) || r == utf8.RuneError && size == 1) {
			out = append(out, text[start:i]...)
			out = appendEscape(out, r)
			start = i + size
		}
		i += size
	}
	if start == 0 {
		return text
	}
	return append(out, text[start:]...)
}

// appendEscape writes r as RFC 8259, section 7, has it: as a pair of
// surrogates beyond U+FFFF.
func appendEscape(b []byte, r rune) []byte {
	if r <= 0xffff {
		return fmt.Appendf(b, `\u%04x`, r)
	}
	r -= 0x10000
	return fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
}
