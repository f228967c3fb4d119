package statement

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// field is a field of a line.
type field interface {
	name() string
	text() string
	// problem returns the reason why text is not a valid value of the field, or "".
	// Each value has exactly one text.
	problem(text string) string
	// set stores the value of a valid text.
	set(text string)
}

// form describes the syntax of a field.
type form struct {
	valid    func(string) bool
	expected string
	optional bool // "-" means ""
}

// The forms of text fields. None allows control characters, line ends, or non-ASCII
// characters; only the name of a change set may contain spaces.
var (
	hash         = form{valid: isHash, expected: "64 lower-case hex digits"}
	optionalHash = form{valid: isHash, expected: `64 lower-case hex digits or "-"`, optional: true}
	uuid         = form{valid: isUUID, expected: "a UUID in lower case"}
	principal    = form{valid: ValidPrincipal, expected: `"user:" and a name of 1 to 64 of A-Z, a-z, 0-9, "_" and, after the first, ".@+-"`}
	token        = form{valid: isToken, expected: `1 to 256 of A-Z, a-z, 0-9 and "_.:/-", a letter first`}
	setName      = form{valid: isSetName, expected: `"-" or 1 to 64 letters, digits, spaces and "._-", a letter or digit first`, optional: true}
	tierName     = form{valid: isTier, expected: `"auto_approve", "requires_approval" or "-"`, optional: true}
)

type textField struct {
	label string
	form  form
	to    *string
}

func text(label string, f form, to *string) field { return textField{label, f, to} }

func (f textField) name() string { return f.label }

// text quotes the value "-" to make it invalid: the decoder would read "-" as "".
func (f textField) text() string {
	switch {
	case f.form.optional && *f.to == "":
		return none
	case f.form.optional && *f.to == none:
		return strconv.Quote(none)
	}
	return *f.to
}

func (f textField) problem(text string) string {
	if f.form.valid(text) || f.form.optional && text == none {
		return ""
	}
	return fmt.Sprintf("expected %s; got %.80q", f.form.expected, text)
}

func (f textField) set(text string) {
	if f.form.optional && text == none {
		text = ""
	}
	*f.to = text
}

type numberField[T int | int64] struct {
	label string
	least T
	to    *T
}

func number[T int | int64](label string, least T, to *T) field {
	return numberField[T]{label, least, to}
}

func (f numberField[T]) name() string { return f.label }
func (f numberField[T]) text() string { return strconv.FormatInt(int64(*f.to), 10) }

func (f numberField[T]) problem(text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < int64(f.least) || int64(T(n)) != n || strconv.FormatInt(n, 10) != text {
		return fmt.Sprintf("expected a number of at least %d; got %.80q", f.least, text)
	}
	return ""
}

func (f numberField[T]) set(text string) {
	n, _ := strconv.ParseInt(text, 10, 64) // checked by problem
	*f.to = T(n)
}

// Formats of times; the history uses the first.
const (
	micros = "2006-01-02T15:04:05.000000Z"
)

type stampField struct {
	label    string
	optional bool
	to       *time.Time
}

func stamp(label string, to *time.Time) field         { return stampField{label, false, to} }
func optionalStamp(label string, to *time.Time) field { return stampField{label, true, to} }

func (f stampField) name() string { return f.label }

// text returns an invalid text for a time that is more precise than a microsecond:
// rounding it would change it.
func (f stampField) text() string {
	switch {
	case f.optional && f.to.IsZero():
		return none
	case f.to.Nanosecond()%1000 != 0:
		return f.to.UTC().Format(time.RFC3339Nano)
	}
	return f.to.UTC().Format(micros)
}

func (f stampField) problem(text string) string {
	if f.optional && text == none {
		return ""
	}
	t, err := time.Parse(micros, text)
	if err != nil || t.Format(micros) != text || t.IsZero() {
		return fmt.Sprintf("expected a time in UTC with microseconds, such as 2026-12-01T10:00:00.000000Z; got %.80q", text)
	}
	return ""
}

func (f stampField) set(text string) {
	*f.to = time.Time{}
	if text != none {
		*f.to, _ = time.Parse(micros, text) // checked by problem
	}
}

const (
	digits    = "0123456789"
	hexDigits = digits + "abcdef"
	letters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// consistsOf reports whether s consists of 1 to most of the allowed characters and
// starts with one of first.
func consistsOf(s, first, allowed string, most int) bool {
	if s == "" || len(s) > most || !strings.Contains(first, s[:1]) {
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

// ValidPrincipal reports whether s has the form of a principal: "user:" and the
// name of an actor.
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
