package disguise

import (
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"
)

// escapeWindow is how many bytes of a line around an escape are read with it.
const escapeWindow = 240

// escapes decodes percent escapes (RFC 3986), HTML character references, and the
// \u, \x and \U escapes of JSON and its relatives, and queues the lines in which
// one became a letter or an invisible character.
func (s *Decoder) escapes() {
	for i := 0; i < len(s.text); {
		k := strings.IndexAny(s.text[i:], `%&\`)
		if k < 0 {
			return
		}
		i += k
		if _, n := unescape(s.text[i:]); n > 0 {
			i = s.unescapeLine(i)
		} else {
			i++
		}
	}
}

// unescapeLine queues the line around the escape at i, unescaped, and returns
// where to go on.
func (s *Decoder) unescapeLine(i int) int {
	text := s.text
	start := max(0, i-escapeWindow)
	start += strings.LastIndexByte(text[start:i], '\n') + 1
	for start < i && !utf8.RuneStart(text[start]) {
		start++
	}
	var out []byte
	var offs []int32
	worth := false
	last := i // the end of the last escape
	j := start
	for j < len(text) && text[j] != '\n' && j-last <= escapeWindow {
		plain, n := unescape(text[j:])
		if n == 0 {
			plain, n = text[j:j+1], 1
		} else {
			worth = worth || strings.ContainsFunc(plain, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || letters.Ignorable(r) })
			last = j + n
		}
		for k := range len(plain) {
			out, offs = append(out, plain[k]), append(offs, int32(j))
		}
		j += n
	}
	if worth {
		s.push(string(out), start, j, append(offs, int32(j)), Escaped)
	}
	return max(j, i+1)
}

// unescape reads the escape at the start of s and returns the text that it stands for and
// the length of the escape, 0 when there is none.
func unescape(s string) (plain string, n int) {
	switch {
	case s[0] == '%' && len(s) > 2:
		for size := 3; size <= min(len(s), 3*utf8.UTFMax); size += 3 {
			if plain, err := url.PathUnescape(s[:size]); err == nil && utf8.ValidString(plain) && len(plain) == size/3 {
				return plain, size
			}
		}
	case s[0] == '&':
		end := strings.IndexByte(s[:min(len(s), 12)], ';') + 1
		if plain = html.UnescapeString(s[:end]); plain != s[:end] {
			return plain, end
		}
	case s[0] == '\\' && len(s) > 3 && strings.IndexByte("xuU", s[1]) >= 0:
		if digits, _, ok := strings.Cut(s[3:min(len(s), 12)], "}"); ok && s[2] == '{' { // \u{N…}
			if r, err := strconv.ParseUint(digits, 16, 21); err == nil && utf8.ValidRune(rune(r)) {
				return string(rune(r)), len(digits) + 4
			}
		}
		if r, _, tail, err := strconv.UnquoteChar(s[:min(len(s), 10)], 0); err == nil && r > 0 {
			return string(r), min(len(s), 10) - len(tail)
		}
	}
	return "", 0
}
