package jsondoc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonical returns the one way to write n: the JSON Canonicalization Scheme
// (RFC 8785) with numbers kept at full precision. Keys are sorted by their
// UTF-16 code units, there is no white space, strings escape only what JSON
// demands, text is neither normalised nor HTML-escaped. A number is laid out
// as the scheme lays it out, but no digit of it is rounded away.
func Canonical(n *Node) []byte {
	return appendCanonical(make([]byte, 0, n.size()), n)
}

// size is about how long n is in canonical form, to make room for it once.
func (n *Node) size() int {
	size := len(n.Text) + len(n.Text)/16 + 2
	for _, item := range n.Items {
		size += item.size() + 1
	}
	for _, m := range n.Members {
		size += len(m.Key) + m.Value.size() + 4
	}
	return size
}

// Marshal returns v in canonical form. v must marshal with encoding/json.
func Marshal(v any) ([]byte, error) {
	n, err := FromValue(v)
	if err != nil {
		return nil, err
	}
	return Canonical(n), nil
}

// FromValue returns v as a tree. v must marshal with encoding/json. It accepts
// values that Parse refuses from outside, such as a NUL or a huge number.
func FromValue(v any) (*Node, error) {
	if n, ok := simple(v); ok {
		return n, nil
	}
	text, err := Encode(v)
	if err != nil {
		return nil, err
	}
	p := newParser(text, Limits{Bytes: len(text), Depth: 1 << 10})
	p.trusted = true
	return p.one()
}

// simple makes a tree of a map of strings, integers and booleans, as the log
// records it with every act; false for any other value.
func simple(v any) (*Node, bool) {
	switch v := v.(type) {
	case string:
		return NewString(v), utf8.ValidString(v)
	case int:
		return NewNumber(strconv.Itoa(v)), true
	case bool:
		return NewBool(v), true
	case map[string]any:
		n := NewObject(make([]Member, 0, len(v))...)
		for key, value := range v {
			member, ok := simple(value)
			if !ok || !utf8.ValidString(key) {
				return nil, false
			}
			n.Members = append(n.Members, Member{Key: key, Value: member})
		}
		slices.SortFunc(n.Members, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
		return n, true
	}
	return nil, false
}

func appendCanonical(b []byte, n *Node) []byte {
	switch n.Kind {
	case Null:
		return append(b, "null"...)
	case Bool:
		return append(b, n.Text...)
	case Number:
		return appendNumber(b, n.Text)
	case String:
		return appendString(b, n.Text)
	case Array:
		b = append(b, '[')
		for i, item := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCanonical(b, item)
		}
		return append(b, ']')
	case Object:
		members := slices.Clone(n.Members)
		slices.SortStableFunc(members, func(x, y Member) int { return compareUTF16(x.Key, y.Key) })
		b = append(b, '{')
		for i, m := range members {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, m.Key)
			b = append(b, ':')
			b = appendCanonical(b, m.Value)
		}
		return append(b, '}')
	}
	panic("jsondoc: node of no kind")
}

// compareUTF16 orders strings as RFC 8785, section 3.2.3, does. It differs
// from the order of code points only above U+FFFF.
func compareUTF16(x, y string) int {
	for x != "" && y != "" {
		rx, nx := utf8.DecodeRuneInString(x)
		ry, ny := utf8.DecodeRuneInString(y)
		if rx != ry {
			return cmp.Or(cmp.Compare(firstUnit(rx), firstUnit(ry)), cmp.Compare(rx, ry))
		}
		x, y = x[nx:], y[ny:]
	}
	return len(x) - len(y)
}

// firstUnit returns the first UTF-16 code unit of r.
func firstUnit(r rune) rune {
	if hi, _ := utf16.EncodeRune(r); hi != utf8.RuneError {
		return hi
	}
	return r
}

const hexDigits = "0123456789abcdef"

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, `\u00`...)
			b = append(b, hexDigits[c>>4], hexDigits[c&0xf])
		}
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// appendNumber lays a literal out as ECMAScript's Number::toString does (what
// RFC 8785, section 3.2.2.3, refers to), from the decimal digits as written
// instead of a rounded double.
func appendNumber(b []byte, literal string) []byte {
	digits, point, negative := decimal(literal)
	if digits == "" {
		return append(b, '0')
	}
	if negative {
		b = append(b, '-')
	}
	switch k := len(digits); {
	case k <= point && point <= 21:
		b = append(b, digits...)
		return append(b, strings.Repeat("0", point-k)...)
	case 0 < point && point <= 21:
		b = append(b, digits[:point]...)
		b = append(b, '.')
		return append(b, digits[point:]...)
	case -6 < point && point <= 0:
		b = append(b, "0."...)
		b = append(b, strings.Repeat("0", -point)...)
		return append(b, digits...)
	}
	b = append(b, digits[0])
	if len(digits) > 1 {
		b = append(b, '.')
		b = append(b, digits[1:]...)
	}
	b = append(b, 'e')
	if point > 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, int64(point-1), 10)
}

// decimal splits a JSON number into its significant digits and the position
// of the decimal point relative to the first: 0.00120 is "12" and -2. Zero has
// no digits. An exponent that no number in a document has is cut to a larger
// one than any has.
func decimal(literal string) (digits string, point int, negative bool) {
	literal, negative = strings.CutPrefix(literal, "-")
	exp := 0
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		v, _ := strconv.ParseInt(strings.TrimPrefix(literal[i+1:], "+"), 10, 32) // saturates
		exp = int(v)
		literal = literal[:i]
	}
	whole, frac, _ := strings.Cut(literal, ".")
	digits = strings.TrimLeft(whole+frac, "0")
	point = len(whole) + exp - (len(whole+frac) - len(digits))
	return strings.TrimRight(digits, "0"), point, negative
}

// Encode returns v as JSON on one line, which it ends, without the escapes that
// encoding/json has for HTML.
func Encode(v any) ([]byte, error) { return encode(v, "") }

// EncodeIndented is Encode for people: indented by two spaces.
func EncodeIndented(v any) ([]byte, error) { return encode(v, "  ") }

func encode(v any, indent string) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return buf.Bytes(), err
}

// Indent returns n for people and for files kept in version control: two
// spaces a level, members in their order, numbers as they were written, text
// escaped only where JSON demands it, a line break at the end.
func Indent(n *Node) []byte {
	return append(appendIndented(nil, n, "\n"), '\n')
}

// appendIndented writes n; newline is a line break and the white space of the
// level that n stands on.
func appendIndented(b []byte, n *Node, newline string) []byte {
	inside := newline + "  "
	switch {
	case n.Kind == Number:
		return append(b, n.Text...)
	case n.Kind == Array && len(n.Items) > 0:
		b = append(b, '[')
		for i, item := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, inside...)
			b = appendIndented(b, item, inside)
		}
		b = append(b, newline...)
		return append(b, ']')
	case n.Kind == Object && len(n.Members) > 0:
		b = append(b, '{')
		for i, m := range n.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, inside...)
			b = appendString(b, m.Key)
			b = append(b, ": "...)
			b = appendIndented(b, m.Value, inside)
		}
		b = append(b, newline...)
		return append(b, '}')
	}
	return appendCanonical(b, n)
}
