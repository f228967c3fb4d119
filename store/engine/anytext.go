package engine

import (
	"reflect"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
)

// A PostgreSQL text must be valid UTF-8 without U+0000, but SQLite stores any bytes. Input is now
// validated before it is written, but earlier versions wrote unvalidated names of calls into
// append-only records. To copy such a database with unchanged hashes, PostgreSQL stores invalid
// bytes escaped, and all readers unescape them.

// escapeMark starts an escaped byte and is followed by two hexadecimal digits. It is a private-use
// character that does not occur in normal text.
const escapeMark = "\U0010FFFD"

const hexDigits = "0123456789abcdef"

// EscapeText returns the form of s that PostgreSQL can store. UnescapeText is the inverse for every
// s.
func EscapeText(s string) string {
	if plaintext.Problem(s) == "" && !strings.Contains(s, escapeMark) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		size := utf8.RuneLen(r)
		odd := r == 0 || strings.HasPrefix(s[i:], escapeMark)
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			size, odd = 1, true
		}
		for _, c := range []byte(s[i : i+size]) {
			if odd {
				b.WriteString(escapeMark)
				b.WriteByte(hexDigits[c>>4])
				b.WriteByte(hexDigits[c&15])
				continue
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// UnescapeText reverses EscapeText. It leaves marks without two hexadecimal digits unchanged.
func UnescapeText(s string) string {
	before, rest, found := strings.Cut(s, escapeMark)
	if !found {
		return s
	}
	var b strings.Builder
	for ; found; before, rest, found = strings.Cut(rest, escapeMark) {
		b.WriteString(before)
		high, low := -1, -1
		if len(rest) >= 2 {
			high, low = strings.IndexByte(hexDigits, rest[0]), strings.IndexByte(hexDigits, rest[1])
		}
		if high < 0 || low < 0 {
			b.WriteString(escapeMark)
			continue
		}
		b.WriteByte(byte(high<<4 | low))
		rest = rest[2:]
	}
	b.WriteString(before)
	return b.String()
}

// EscapeTexts makes the connection escape all texts before it stores them.
func (c *Conn) EscapeTexts() { c.escapes = true }

// escaped returns args with texts escaped if the connection escapes them.
func (c *Conn) escaped(args []any) []any {
	if !c.escapes {
		return args
	}
	own := args
	for i, arg := range args {
		s, ok := TextOf(arg)
		if !ok {
			continue
		}
		if e := EscapeText(s); e != s {
			if &own[0] == &args[0] {
				own = append([]any(nil), args...)
			}
			own[i] = e
		}
	}
	return own
}

// TextOf returns a statement argument as text. ok is false if the argument is not a text.
func TextOf(arg any) (s string, ok bool) {
	switch v := arg.(type) {
	case string:
		return v, true
	case nil, int, int64, bool, []byte:
		return "", false
	}
	if v := reflect.ValueOf(arg); v.Kind() == reflect.String {
		return v.String(), true
	}
	return "", false
}
