// This file defines the syntax of fields.

package statement

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// field is a value in a line of a statement.
type field struct {
	name string
	text string // encoded value
	// problem returns the reason why text is not a valid encoding of the field, or "".
	// Each value has exactly one encoding.
	problem func(text string) string
	set     func(text string) // decodes a valid text and stores the value
}

// form describes the syntax of a text field.
type form struct {
	valid    func(string) bool
	expected string
	optional bool // "-" encodes the value ""
}

// The forms of text fields. No form permits control characters, line ends, or non-ASCII
// characters. Only the name of a change set may contain spaces.
var (
	hash         = form{valid: isHash, expected: "64 lower-case hex digits"}
	optionalHash = form{valid: isHash, expected: `64 lower-case hex digits or "-"`, optional: true}
	uuid         = form{valid: isUUID, expected: "a UUID in lower case"}
	principal    = form{valid: ValidPrincipal, expected: `"user:" and a name of 1 to 64 of A-Z, a-z, 0-9, "_" and, after the first, ".@+-"`}
	token        = form{valid: isToken, expected: `1 to 256 of A-Z, a-z, 0-9 and "_.:/-", a letter first`}
	setName      = form{valid: isSetName, expected: `"-" or 1 to 64 letters, digits, spaces and "._-", a letter or digit first`, optional: true}
	tierName     = form{valid: isTier, expected: `"auto_approve", "requires_approval" or "-"`, optional: true}
)

func text(name string, f form, to *string) field {
	absent := func(text string) bool { return f.optional && text == none }
	text := *to
	switch {
	case absent(text):
		text = strconv.Quote(none) // an invalid encoding, because the decoder would read "-" as ""
	case f.optional && text == "":
		text = none
	}
	problem := func(text string) string {
		if f.valid(text) || absent(text) {
			return ""
		}
		return fmt.Sprintf("expected %s; got %.80q", f.expected, text)
	}
	return field{name, text, problem, func(text string) {
		if *to = text; absent(text) {
			*to = ""
		}
	}}
}

func number[T int | int64](name string, least T, to *T) field {
	problem := func(text string) string {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < int64(least) || int64(T(n)) != n || strconv.FormatInt(n, 10) != text {
			return fmt.Sprintf("expected a number of at least %d; got %.80q", least, text)
		}
		return ""
	}
	return field{name, strconv.FormatInt(int64(*to), 10), problem, func(text string) {
		n, _ := strconv.ParseInt(text, 10, 64) // problem has checked the text
		*to = T(n)
	}}
}

// micros is the layout of times.
const micros = "2006-01-02T15:04:05.000000Z"

func stamp(name string, to *time.Time) field {
	text := to.UTC().Format(micros)
	if to.Nanosecond()%1000 != 0 {
		text = to.UTC().Format(time.RFC3339Nano) // deliberately invalid, because the value cannot be encoded without rounding
	}
	problem := func(text string) string {
		t, err := time.Parse(micros, text)
		if err != nil || t.Format(micros) != text || t.IsZero() {
			return fmt.Sprintf("expected a time in UTC with microseconds, such as 2026-12-01T10:00:00.000000Z; got %.80q", text)
		}
		return ""
	}
	return field{name, text, problem, func(text string) {
		*to, _ = time.Parse(micros, text) // problem has checked the text
	}}
}

// optionalStamp is like stamp, but "-" encodes the zero time.
func optionalStamp(name string, to *time.Time) field {
	f := stamp(name, to)
	if to.IsZero() {
		f.text = none
	}
	required, set := f.problem, f.set
	f.problem = func(text string) string {
		if text == none {
			return ""
		}
		return required(text)
	}
	f.set = func(text string) {
		if *to = (time.Time{}); text != none {
			set(text)
		}
	}
	return f
}

const (
	digits    = "0123456789"
	hexDigits = digits + "abcdef"
	letters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// consistsOf reports whether s begins with a character in initial and contains only
// characters in allowed. limit is the maximum length of s, which must not be empty.
func consistsOf(s, initial, allowed string, limit int) bool {
	if s == "" || len(s) > limit || !strings.Contains(initial, s[:1]) {
		return false
	}
	return strings.Trim(s, allowed) == ""
}

func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, hexDigits) == ""
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash && s[i] != '-' || !dash && strings.IndexByte(hexDigits, s[i]) < 0 {
			return false
		}
	}
	return true
}

// ValidPrincipal reports whether s is a valid principal: "user:" and the name of an actor.
func ValidPrincipal(s string) bool {
	name, ok := strings.CutPrefix(s, "user:")
	return ok && consistsOf(name, letters+digits+"_", letters+digits+"_.@+-", 64)
}

func isToken(s string) bool {
	return consistsOf(s, letters, letters+digits+"_.:/-", 256)
}

func isSetName(s string) bool {
	return consistsOf(s, letters+digits, letters+digits+" ._-", 64)
}

func isTier(s string) bool { return s == "auto_approve" || s == "requires_approval" }
