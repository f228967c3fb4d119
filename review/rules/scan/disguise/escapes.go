// This file decodes escape sequences.

package disguise

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"
)

// escapeWindow is the maximum number of bytes before and after an escape sequence that are decoded
// together with it. These bytes must be in the same line as the escape sequence.
const escapeWindow = 240

// decodeEscapes decodes percent escapes (RFC 3986), HTML character references, and the \u, \x, and
// \U escapes of JSON and similar languages. It queues a line if one of its escapes represents a
// letter, a digit, or an invisible character.
func (s *Decoder) decodeEscapes() {
	text := s.text
	for i := 0; i < len(text); {
		k := strings.IndexAny(text[i:], `%&\`)
		if k < 0 {
			return
		}
		i += k
		if _, n := unescape(text[i:]); n == 0 {
			i++
			continue
		}
		i = s.unescapeLine(i)
	}
}

// unescapeLine decodes and queues the line around the escape at i. It returns the position at which
// to continue.
func (s *Decoder) unescapeLine(i int) int {
	text := s.text
	start := max(0, i-escapeWindow)
	if nl := strings.LastIndexByte(text[start:i], '\n'); nl >= 0 {
		start += nl + 1
	}
	for start < i && !utf8.RuneStart(text[start]) {
		start++
	}
	var out []byte
	var offs []int32
	worth := false
	last := i // end of the last escape
	j := start
	for j < len(text) && text[j] != '\n' && j-last <= escapeWindow {
		r, n := unescape(text[j:])
		if n == 0 {
			out, offs = append(out, text[j]), append(offs, int32(j))
			j++
			continue
		}
		worth = worth || unicode.IsLetter(r) || unicode.IsDigit(r) || letters.Ignorable(r)
		before := len(out)
		out = utf8.AppendRune(out, r)
		for range len(out) - before {
			offs = append(offs, int32(j))
		}
		j += n
		last = j
	}
	if worth {
		s.push(string(out), start, j, append(offs, int32(j)), Escaped)
	}
	return max(j, i+1)
}

// unescape parses the escape sequence at the start of s. It returns the character and the length of
// the escape sequence. The length is 0 if s does not begin with an escape sequence.
func unescape(s string) (r rune, n int) {
	switch s[0] {
	case '%':
		return percent(s)
	case '&':
		return reference(s)
	case '\\':
		return backslash(s)
	}
	return 0, 0
}

// percent parses the percent escapes of one UTF-8 character.
func percent(s string) (rune, int) {
	var b [utf8.UTFMax]byte
	for k := range b {
		at := 3 * k
		if len(s) < at+3 || s[at] != '%' || runKind[s[at+1]]&runKind[s[at+2]]&inHex == 0 {
			return 0, 0
		}
		v, err := strconv.ParseUint(s[at+1:at+3], 16, 8)
		if err != nil {
			return 0, 0
		}
		b[k] = byte(v)
		if utf8.FullRune(b[:k+1]) {
			r, size := utf8.DecodeRune(b[:k+1])
			if r == utf8.RuneError || size != k+1 {
				return 0, 0
			}
			return r, at + 3
		}
	}
	return 0, 0
}

// reference parses an HTML character reference.
func reference(s string) (rune, int) {
	end := strings.IndexByte(s[:min(len(s), 12)], ';')
	if end < 3 {
		return 0, 0
	}
	un := html.UnescapeString(s[:end+1])
	r, n := utf8.DecodeRuneInString(un)
	if n != len(un) || un == s[:end+1] {
		return 0, 0
	}
	return r, end + 1
}

// backslash parses \xNN, \uNNNN, \u{N…}, and \UNNNNNNNN.
func backslash(s string) (rune, int) {
	if len(s) < 4 {
		return 0, 0
	}
	digits, n := 0, 2
	switch s[1] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
		if s[2] == '{' {
			end := strings.IndexByte(s[:min(len(s), 12)], '}')
			if end < 4 {
				return 0, 0
			}
			return parseRune(s[3:end], end+1)
		}
	case 'U':
		digits = 8
	}
	if digits == 0 || len(s) < n+digits {
		return 0, 0
	}
	return parseRune(s[n:n+digits], n+digits)
}

func parseRune(digits string, n int) (rune, int) {
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || v > unicode.MaxRune || v >= 0xd800 && v < 0xe000 || v == 0 {
		return 0, 0
	}
	return rune(v), n
}
