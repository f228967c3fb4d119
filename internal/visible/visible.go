// Package visible makes untrusted text safe to print. All such text passes it
// before it reaches a screen, a pipe or a pager: the package replaces every
// character that a terminal would execute or not draw by its code point.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether most terminals execute r or draw nothing for it: control
// and format characters (bidirectional overrides, zero-width spaces and joiners,
// tags), variation selectors, fillers and everything else that Unicode ignores by
// default (UAX #44, Default_Ignorable_Code_Point), line and paragraph separators,
// surrogates, private use and unassigned code points. Line feeds and tabs are
// hidden too; use Text for several lines.
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
	// Letters, marks, numbers, punctuation, symbols and spaces are visible. The
	// rest are the categories C, Zl and Zp.
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs)
}

// Text returns s in a form that is safe to print over several lines. It keeps line
// feeds and tabs, and replaces every other hidden character by its code point, such
// as ⟨U+202E⟩, and every byte that is not UTF-8 by its value, such as ⟨0xFF⟩.
func Text(s string) string {
	return escape(s, func(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) })
}

// Line does the same as Text for a single line: it also replaces line feeds and
// tabs.
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

// JSON escapes every hidden character in a JSON text (\u202e) and the bracket of a
// CI runner's command (##\u005b). The result is the same document, safe to print. A
// byte that is not UTF-8, which some terminals execute, becomes \ufffd, as JSON
// decoders would read it. Outside of strings, JSON has no hidden characters except
// white space, which stays, and no number signs.
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

// appendEscape appends r as a \u escape (RFC 8259, section 7): a surrogate pair
// beyond U+FFFF.
func appendEscape(b []byte, r rune) []byte {
	if r <= 0xffff {
		return fmt.Appendf(b, `\u%04x`, r)
	}
	r -= 0x10000
	return fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
}
