// Package visible makes untrusted text safe to print. It replaces each character that a
// terminal would execute or not draw with the code point of the character. All untrusted
// text passes through this package before it reaches a screen, a pipe, or a pager.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether most terminals execute r or do not draw r. Hidden characters
// are:
//   - control and format characters, such as bidirectional overrides, zero-width spaces
//     and joiners, and tags
//   - variation selectors, fillers, and all other characters that Unicode ignores by
//     default (UAX #44, Default_Ignorable_Code_Point)
//   - line and paragraph separators
//   - surrogates, and private-use and unassigned code points
//
// Line feeds and tabs are hidden too. Use Text for text with several lines.
func Hidden(r rune) bool {
	switch {
	case r < 0x20, r == 0x7f:
		return true
	case r < 0x7f:
		return false
	case r == 0x2800: // the blank Braille pattern, which is drawn as white space
		return true
	case unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return true
	}
	// The visible categories are letters, marks, numbers, punctuation, symbols, and
	// spaces. C, Zl, and Zp remain.
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs)
}

// Text returns s in a form that is safe to print on several lines. It replaces each
// hidden character except line feeds and tabs with its code point, such as ⟨U+202E⟩, and
// each byte that is not UTF-8 with its value, such as ⟨0xFF⟩.
func Text(s string) string {
	return escape(s, func(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) })
}

// Line returns s in a form that is safe to print on a single line. It is like Text, but
// also replaces line feeds and tabs.
func Line(s string) string { return escape(s, Hidden) }

// Clean reports whether Text returns s unchanged.
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

// JSON returns a JSON text that has the same value as text and is safe to print. It
// escapes hidden characters in strings, such as \u202e. It also escapes the bracket in
// the prefix of a CI command (##\u005b). It replaces each byte that is not UTF-8 with
// \ufffd, as JSON decoders do, because some terminals execute such bytes. White space
// between values is not changed. Outside of strings, JSON contains no other hidden
// characters and no number signs.
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

// appendEscape appends r to b as a \u escape or, if r is greater than U+FFFF, as two
// escapes of a surrogate pair (RFC 8259, section 7).
func appendEscape(b []byte, r rune) []byte {
	if r <= 0xffff {
		return fmt.Appendf(b, `\u%04x`, r)
	}
	r -= 0x10000
	return fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
}
