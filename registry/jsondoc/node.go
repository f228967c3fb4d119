// This file defines the tree of a document, paths within the tree, and the canonical and indented
// forms.

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

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of RFC 8259, section 3.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the kind with an article for use in messages, such as "a string" or "an object".
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "true or false"
	case Number:
		return "a number"
	case String:
		return "a string"
	case Array:
		return "a list"
	case Object:
		return "an object"
	}
	return "nothing"
}

// Pos is a position in the source text. Lines and columns count from 1. Columns count code points.
// The zero Pos means that the position is unknown.
type Pos struct {
	Line, Column int
}

// Node is a JSON value.
type Node struct {
	Kind    Kind
	Pos     Pos
	Text    string   // value of a string, literal of a number, "true" or "false"
	Items   []*Node  // elements of an array
	Members []Member // members of an object, in source order
}

// Member is a key of an object and its value.
type Member struct {
	Key   string
	Pos   Pos
	Value *Node
}

// NewString returns a string node without a position.
func NewString(s string) *Node { return &Node{Kind: String, Text: s} }

// NewNumber returns a number node without a position. The literal must be valid (RFC 8259, section
// 6).
func NewNumber(literal string) *Node { return &Node{Kind: Number, Text: literal} }

// NewBool returns a boolean node without a position.
func NewBool(v bool) *Node {
	return &Node{Kind: Bool, Text: strconv.FormatBool(v)}
}

// NewArray returns an array node without a position.
func NewArray(items ...*Node) *Node { return &Node{Kind: Array, Items: items} }

// NewObject returns an object node without a position.
func NewObject(members ...Member) *Node { return &Node{Kind: Object, Members: members} }

// Get returns the value of key, or nil if n is not an object or does not have key.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Key == key {
			return n.Members[i].Value
		}
	}
	return nil
}

// AsString returns the value of n if n is a string, and otherwise "". n can be nil.
func (n *Node) AsString() string {
	if n == nil || n.Kind != String {
		return ""
	}
	return n.Text
}

// Set sets the value of key. If n already has key, the position of the member does not change;
// otherwise, Set appends a member.
func (n *Node) Set(key string, v *Node) {
	for i := range n.Members {
		if n.Members[i].Key == key {
			n.Members[i].Value = v
			return
		}
	}
	n.Members = append(n.Members, Member{Key: key, Value: v})
}

// Remove removes key and returns its value. It returns nil if n does not have key.
func (n *Node) Remove(key string) *Node {
	for i := range n.Members {
		if n.Members[i].Key == key {
			v := n.Members[i].Value
			n.Members = append(n.Members[:i:i], n.Members[i+1:]...)
			return v
		}
	}
	return nil
}

// Walk calls visit for n and every value inside n, in source order, and for a parent before its
// children. It stops when visit returns false. The path of a value is computed only if visit calls
// its argument path.
func (n *Node) Walk(visit func(n *Node, path func() string) bool) {
	var steps []step
	path := func() string { return join(steps) }
	var walk func(n *Node) bool // reports whether to continue
	inside := func(s step, n *Node) bool {
		steps = append(steps, s)
		more := walk(n)
		steps = steps[:len(steps)-1]
		return more
	}
	walk = func(n *Node) bool {
		if !visit(n, path) {
			return false
		}
		for i, item := range n.Items {
			if !inside(step{index: i, indexed: true}, item) {
				return false
			}
		}
		for _, m := range n.Members {
			if !inside(step{key: m.Key}, m.Value) {
				return false
			}
		}
		return true
	}
	walk(n)
}

// Root is the path of the whole document.
const Root = "$"

// Join returns the path of key within the object at path. For example, "definition" and "prompt"
// give "definition.prompt". A key with characters other than letters, digits, "_", "-", and "$" is
// quoted, as in `properties["a b"]`.
func Join(path, key string) string {
	if !plain(key) {
		return trimRoot(path) + "[" + strconv.QuoteToASCII(key) + "]"
	}
	if p := trimRoot(path); p != "" {
		return p + "." + key
	}
	return key
}

// Index returns the path of the element with index i within the array at path. Indexes count from
// 0.
func Index(path string, i int) string {
	return trimRoot(path) + "[" + strconv.Itoa(i) + "]"
}

// Within reports whether path is equal to outer or leads to a value within outer.
func Within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, trimRoot(outer))
	return ok && (rest == "" || outer == Root || rest[0] == '.' || rest[0] == '[')
}

func trimRoot(path string) string {
	if path == Root {
		return ""
	}
	return path
}

// plain reports whether key needs no quotes in a path. The key "$" needs quotes because it would
// look like Root.
func plain(key string) bool {
	for _, r := range key {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '$':
		default:
			return false
		}
	}
	return key != "" && key != Root
}

// Find returns the node at path, or nil. The path must have the format that Join and Index
// produce.
func (n *Node) Find(path string) *Node {
	at, _, whole := n.Lead(path)
	if !whole {
		return nil
	}
	return at
}

// step is a step of a path: the key of an object, or the index of an array.
type step struct {
	key     string
	index   int
	indexed bool
}

func (s step) apply(n *Node) *Node {
	if !s.indexed {
		return n.Get(s.key)
	}
	if s.index >= len(n.Items) {
		return nil
	}
	return n.Items[s.index]
}

// join returns the path that consists of steps.
func join(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		switch {
		case s.indexed:
			b.WriteString(Index("", s.index))
		case b.Len() > 0 && plain(s.key):
			b.WriteByte('.')
			b.WriteString(s.key)
		default:
			b.WriteString(Join("", s.key))
		}
	}
	if b.Len() == 0 {
		return Root
	}
	return b.String()
}

// cutStep splits the first step off path. The argument start is true at the start of a path. After
// the start, a dot precedes each key that is not quoted.
func cutStep(path string, start bool) (s step, rest string, ok bool) {
	if strings.HasPrefix(path, `["`) {
		quoted, err := strconv.QuotedPrefix(path[1:])
		if err != nil {
			return step{}, "", false
		}
		key, err := strconv.Unquote(quoted)
		rest, closed := strings.CutPrefix(path[1+len(quoted):], "]")
		return step{key: key}, rest, err == nil && closed
	}
	if strings.HasPrefix(path, "[") {
		digits, rest, closed := strings.Cut(path[1:], "]")
		i, err := strconv.Atoi(digits)
		return step{index: i, indexed: true}, rest, err == nil && closed && i >= 0
	}
	if !start {
		if path, ok = strings.CutPrefix(path, "."); !ok {
			return step{}, "", false
		}
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	return step{key: path[:end]}, path[end:], plain(path[:end])
}

// Canonical returns the canonical form of n. This is the form of the JSON Canonicalization Scheme
// (RFC 8785), except that numbers keep their full precision. Keys are sorted by their UTF-16 code
// units. There is no white space between values, and strings escape only the characters that JSON
// requires. Text is neither normalized nor escaped for HTML.
func Canonical(n *Node) []byte {
	return appendCanonical(make([]byte, 0, n.size()), n)
}

// size estimates the length of the canonical form of n. Canonical allocates its buffer once, with this size.
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

// Marshal returns the canonical form of v, which must be a value that encoding/json can marshal.
func Marshal(v any) ([]byte, error) {
	n, err := FromValue(v)
	if err != nil {
		return nil, err
	}
	return Canonical(n), nil
}

// FromValue converts v to a tree. v must be a value that encoding/json can marshal. Unlike Parse,
// FromValue accepts NUL characters and numbers of any size.
func FromValue(v any) (*Node, error) {
	text, err := Encode(v)
	if err != nil {
		return nil, err
	}
	p := newParser(text, Limits{Bytes: len(text), Depth: 1 << 10})
	p.trusted = true
	return p.one()
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

// compareUTF16 compares strings by UTF-16 code units, as RFC 8785, section 3.2.3, requires. The
// order differs from the order of code points only for characters above U+FFFF.
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

// appendString appends s as a JSON string, as RFC 8785, section 3.2.2.2, requires. Invalid UTF-8
// becomes U+FFFD; no parsed document contains invalid UTF-8.
func appendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

// appendNumber appends the canonical form of a number. This is the format of ECMAScript's
// Number::toString (see RFC 8785, section 3.2.2.3), but with all significant digits of the
// literal.
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

// decimal splits a JSON number into its significant digits and the position of the decimal point
// relative to the first significant digit. For example, it returns "12" and -2 for 0.00120. Zero
// has no significant digits. Exponents beyond 32 bits are clamped.
func decimal(literal string) (digits string, point int, negative bool) {
	literal, negative = strings.CutPrefix(literal, "-")
	exp := 0
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		v, _ := strconv.ParseInt(strings.TrimPrefix(literal[i+1:], "+"), 10, 32) // ParseInt saturates
		exp = int(v)
		literal = literal[:i]
	}
	whole, frac, _ := strings.Cut(literal, ".")
	digits = strings.TrimLeft(whole+frac, "0")
	point = len(whole) + exp - (len(whole+frac) - len(digits))
	return strings.TrimRight(digits, "0"), point, negative
}

// Encode returns v as one line of JSON that ends with a line feed. Unlike encoding/json, it does
// not escape characters for HTML.
func Encode(v any) ([]byte, error) { return encode(v, "") }

// EncodeIndented is like Encode but indents the JSON by two spaces.
func EncodeIndented(v any) ([]byte, error) { return encode(v, "  ") }

func encode(v any, indent string) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return buf.Bytes(), err
}

// Indent returns n as JSON for people and version control. The JSON is indented by two spaces and
// ends with a line feed. The order of the members and the notation of numbers do not change.
// Strings escape only the characters that JSON requires.
func Indent(n *Node) []byte {
	return append(appendIndented(nil, n, "\n"), '\n')
}

// appendIndented appends the indented form of n. The argument newline is a line feed followed by
// the indentation of n.
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
