package engine

import (
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
)

// PostgreSQL stores only valid UTF-8 without U+0000 in a text, but a SQLite file stores any bytes. Input is validated
// before it is written, but earlier versions stored unvalidated names of calls in records that never change. So that
// such a database can be copied with all hashes unchanged, PostgreSQL stores a text with invalid bytes escaped, and all
// readers unescape it.

// escapeMark begins an escaped byte, which two hexadecimal digits follow: a
// character of the private use area in which no text of people's is written.
const escapeMark = "\U0010FFFD"

const hexDigits = "0123456789abcdef"

// EscapeText returns s in the form in which PostgreSQL stores it. UnescapeText is the inverse for every s.
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

// UnescapeText reverses EscapeText. It leaves marks that begin no escaped byte unchanged.
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

// EscapeTexts makes the connection store all texts in escaped form.
func (c *Conn) EscapeTexts() { c.escapes = true }

// escaped returns the arguments of a statement as the engine takes them.
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

// TextOf returns an argument of a statement as text, and false if it is not a text.
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

// CopyState is the state of the target of a copy.
type CopyState int

// The states of a target.
const (
	CopyBegun    CopyState = iota // its tables are empty
	CopyResumed                   // it has a part of the source
	CopyComplete                  // it is a database of toolcrib's
)

// ErrOtherCopy means that a target has an unfinished copy of another source.
var ErrOtherCopy = errors.New("there is an unfinished copy of another database")
