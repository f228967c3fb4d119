package spans

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// style is a way to write a value.
type style struct {
	begin int // offset of the first character
	// next returns the value of the bytes at offset at, which may be "", and their
	// number. It returns false at the end of the value.
	next func(text string, at int) (piece string, width int, ok bool)
}

// styles returns the possible styles of a value that starts with written, most
// likely first.
func styles(written string) []style {
	as := style{0, literal}
	switch {
	case strings.HasPrefix(written, `"`):
		return []style{{1, doubleQuoted}, as}
	case strings.HasPrefix(written, `'`):
		return []style{{1, singleQuoted}, as}
	case strings.HasPrefix(written, "|"), strings.HasPrefix(written, ">"):
		return append([]style{as}, blocks(written)...)
	}
	return []style{as, {0, folded}}
}

// literal reads literal text.
func literal(text string, at int) (string, int, bool) {
	switch {
	case at >= len(text):
		return "", 0, false
	case strings.HasPrefix(text[at:], "\r\n"):
		return "\n", 2, true
	}
	_, size := utf8.DecodeRuneInString(text[at:])
	return text[at : at+size], size, true
}

// folded reads a plain scalar of YAML: a line end becomes a space, and several
// become one less (YAML 1.2.2, section 6.5).
func folded(text string, at int) (string, int, bool) {
	if piece, width, ok := fold(text, at); ok {
		return piece, width, true
	}
	return literal(text, at)
}

func singleQuoted(text string, at int) (string, int, bool) {
	switch {
	case strings.HasPrefix(text[at:], "''"):
		return "'", 2, true
	case strings.HasPrefix(text[at:], "'"):
		return "", 0, false
	}
	return folded(text, at)
}

// fold reads line ends with the white space around them.
func fold(text string, at int) (piece string, width int, ok bool) {
	end, breaks := at, 0
	for end < len(text) && strings.IndexByte(" \t\r\n", text[end]) >= 0 {
		if text[end] == '\n' {
			breaks++
		}
		end++
	}
	switch breaks {
	case 0:
		return "", 0, false
	case 1:
		return " ", end - at, true
	}
	return strings.Repeat("\n", breaks-1), end - at, true
}

// escapes maps the letter after a backslash to its character, in JSON (RFC 8259,
// section 7) and YAML (YAML 1.2.2, section 5.7).
var escapes = map[byte]string{
	'"': `"`, '\\': `\`, '/': "/", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t",
	'0': "\x00", 'a': "\a", 'v': "\v", 'e': "\x1b", ' ': " ", '\t': "\t", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// doubleQuoted reads a JSON string or a double-quoted scalar of YAML, which has
// additional escapes.
func doubleQuoted(text string, at int) (string, int, bool) {
	switch {
	case at >= len(text) || text[at] == '"':
		return "", 0, false
	case text[at] != '\\':
		return folded(text, at)
	case at+1 >= len(text):
		return "", 0, false
	}
	letter := text[at+1]
	if s, known := escapes[letter]; known {
		return s, 2, true
	}
	switch letter {
	case 'u':
		return unicodeEscape(text, at)
	case 'x':
		return hex(text, at, 2)
	case 'U':
		return hex(text, at, 8)
	case '\n', '\r': // line continuation
		if _, width, ok := fold(text, at+1); ok {
			return "", 1 + width, true
		}
	}
	return "", 0, false
}

// hex reads an escape with the given number of digits.
func hex(text string, at, digits int) (string, int, bool) {
	end := at + 2 + digits
	if end > len(text) {
		return "", 0, false
	}
	n, err := strconv.ParseUint(text[at+2:end], 16, 32)
	return string(rune(n)), end - at, err == nil
}

// unicodeEscape reads \uXXXX or a surrogate pair of them.
func unicodeEscape(text string, at int) (string, int, bool) {
	first, width, ok := surrogate(text, at)
	if !ok {
		return "", 0, false
	}
	if utf16.IsSurrogate(first) && strings.HasPrefix(text[at+width:], `\u`) {
		if second, more, ok := surrogate(text, at+width); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return string(r), width + more, true
			}
		}
	}
	return string(first), width, true
}

// surrogate reads \uXXXX and returns its number.
func surrogate(text string, at int) (rune, int, bool) {
	const width = 6
	if at+width > len(text) {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(text[at+2:at+width], 16, 32)
	return rune(n), width, err == nil
}

// blocks returns the styles of YAML block scalars: an indicator, then indented
// lines (YAML 1.2.2, section 8.1).
func blocks(written string) []style {
	header := strings.IndexByte(written, '\n')
	if header < 0 {
		return nil
	}
	body := written[header+1:]
	indent := 0
	for line := range strings.Lines(body) {
		if strings.TrimSpace(line) != "" {
			indent = len(line) - len(strings.TrimLeft(line, " "))
			break
		}
	}
	begin := header + 1 + leading(body, indent)
	kept := func(text string, at int) (string, int, bool) {
		piece, width, ok := literal(text, at)
		if piece == "\n" {
			width += leading(text[at+width:], indent)
		}
		return piece, width, ok
	}
	lines := func(text string, at int) (string, int, bool) {
		piece, width, ok := fold(text, at)
		if !ok {
			return literal(text, at)
		}
		run := text[at : at+width]
		if column := width - 1 - strings.LastIndexByte(run, '\n'); at+width < len(text) && column >= indent {
			return piece, width, true
		}
		if strings.Contains(written[:header], "+") { // "+" keeps all final line ends, otherwise one
			return strings.Repeat("\n", strings.Count(run, "\n")), width, true
		}
		return "\n", strings.IndexByte(run, '\n') + 1, true
	}
	return []style{{begin, kept}, {begin, lines}}
}

// leading counts the spaces at the start of text, up to most.
func leading(text string, most int) int {
	n := 0
	for n < most && n < len(text) && text[n] == ' ' {
		n++
	}
	return n
}
