// This file fills Go values from a document, and composes the messages about
// problems of documents.

package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/go-json-experiment/json/jsontext"

	"toolcrib/internal/lists"
	"toolcrib/internal/plaintext"
)

// Binder is implemented by types that convert a node themselves, for example
// because their value has several forms in JSON.
type Binder interface {
	BindJSON(n *Node, path string) Problems
}

// Bind fills the struct that dst points to from the object n, using the json tags of
// the struct. It returns all mismatches: unknown keys, values of the wrong type, and
// null. The fields can be strings, booleans, integers, maps with string keys, nested
// structs, pointers and slices, a json.RawMessage, which receives the canonical form,
// and Binders. If n lacks a key, the field does not change; the caller checks for
// required keys.
func Bind(n *Node, path string, dst any) Problems {
	var ps Problems
	bind(n, path, reflect.ValueOf(dst).Elem(), &ps)
	return ps
}

func bind(n *Node, path string, v reflect.Value, ps *Problems) {
	if b, ok := v.Addr().Interface().(Binder); ok {
		ps.Append(b.BindJSON(n, path)...)
		return
	}
	if raw, ok := v.Addr().Interface().(*json.RawMessage); ok {
		*raw = Canonical(n)
		return
	}
	switch v.Kind() {
	case reflect.String:
		if expect(n, path, String, ps) {
			v.SetString(n.Text)
		}
	case reflect.Bool:
		if expect(n, path, Bool, ps) {
			v.SetBool(n.Text == "true")
		}
	case reflect.Int, reflect.Int64:
		if expect(n, path, Number, ps) {
			i, err := strconv.ParseInt(string(appendNumber(nil, n.Text)), 10, v.Type().Bits())
			switch {
			case errors.Is(err, strconv.ErrRange):
				ps.add(n, path, "expected a smaller whole number, got "+Printable(n.Text))
			case err != nil:
				ps.add(n, path, "expected a whole number, got "+Printable(n.Text))
			}
			v.SetInt(i)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		bind(n, path, v.Elem(), ps)
	case reflect.Slice:
		if expect(n, path, Array, ps) {
			v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
			for i, item := range n.Items {
				bind(item, Index(path, i), v.Index(i), ps)
			}
		}
	case reflect.Map:
		if expect(n, path, Object, ps) {
			v.Set(reflect.MakeMap(v.Type()))
			for _, m := range n.Members {
				elem := reflect.New(v.Type().Elem()).Elem()
				bind(m.Value, Join(path, m.Key), elem, ps)
				v.SetMapIndex(reflect.ValueOf(m.Key).Convert(v.Type().Key()), elem)
			}
		}
	case reflect.Struct:
		if expect(n, path, Object, ps) {
			bindStruct(n, path, v, ps)
		}
	default:
		panic("jsondoc: cannot bind " + v.Type().String())
	}
}

func bindStruct(n *Node, path string, v reflect.Value, ps *Problems) {
	fields := fieldsOf(v.Type())
	for _, m := range n.Members {
		i := slices.Index(fields.keys, m.Key)
		switch {
		case i < 0 || m.Key == "" || m.Key == "-":
			if !ps.Full() {
				ps.Append(Problem{Path: Join(path, m.Key), Pos: m.Pos, Message: unknownKey(m.Key, fields.keys)})
			}
		case fields.texts[i] && m.Value.Kind == String: // the common case; it does not compute the path
			v.Field(i).SetString(m.Value.Text)
		default:
			bind(m.Value, Join(path, m.Key), v.Field(i), ps)
		}
	}
}

// fields describes the fields of a struct, in the order of the struct.
type fields struct {
	keys  []string // names in the json tags
	texts []bool   // whether the field is a plain string
}

// fieldCache caches the results of fieldsOf.
var fieldCache sync.Map // reflect.Type to fields

func fieldsOf(t reflect.Type) fields {
	if f, ok := fieldCache.Load(t); ok {
		return f.(fields)
	}
	f := fields{make([]string, t.NumField()), make([]bool, t.NumField())}
	for i := range f.keys {
		field := t.Field(i)
		f.keys[i], _, _ = strings.Cut(field.Tag.Get("json"), ",")
		f.texts[i] = field.Type.Kind() == reflect.String && !reflect.PointerTo(field.Type).Implements(reflect.TypeFor[Binder]())
	}
	fieldCache.Store(t, f)
	return f
}

// unknownKey returns the message for an unknown key. The message suggests the known
// key that was probably meant.
func unknownKey(key string, keys []string) string {
	known := named(keys)
	switch meant, slips := closest(key, known); {
	case meant == "":
		return "unknown key; known keys: " + strings.Join(known, ", ")
	case slips == 0:
		return "unknown key; use " + strconv.Quote(meant)
	default:
		return "unknown key; did you mean " + strconv.Quote(meant) + "?"
	}
}

// Closest returns the candidate that word probably misspells, or "".
func Closest(word string, candidates []string) string {
	meant, _ := closest(word, candidates)
	return meant
}

// closest returns the candidate that key probably misspells or writes in another
// notation, and the number of spelling errors. It returns "" if no candidate is
// close enough.
func closest(key string, candidates []string) (meant string, slips int) {
	if len(key) > maxQuoted { // too long to be a misspelling, and slow to compare
		return "", 0
	}
	fold := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
	}
	slips = min(3, len(key)/2+1) // a word with this many errors is a different word
	for _, k := range candidates {
		d := levenshtein.ComputeDistance(fold(k), fold(key))
		if d == 2 && letters(fold(k)) == letters(fold(key)) {
			d = 1 // two letters are swapped
		}
		if d < slips {
			meant, slips = k, d
		}
	}
	return meant, slips
}

// letters returns the characters of word in sorted order.
func letters(word string) string {
	sorted := []rune(word)
	slices.Sort(sorted)
	return string(sorted)
}

// expect reports whether n is of kind k. If it is not, expect adds a problem.
func expect(n *Node, path string, k Kind, ps *Problems) bool {
	if n.Kind == k {
		return true
	}
	message := "expected " + k.String() + ", got " + n.Kind.String()
	if n.Kind == Null {
		message += "; omit the key instead"
	}
	ps.add(n, path, message)
	return false
}

func (ps *Problems) add(n *Node, path, message string) {
	ps.Append(Problem{Path: path, Pos: n.Pos, Message: message})
}

// Problem is a problem of a document. Message is a clause without a full stop. It
// contains no control characters and no invisible characters.
type Problem struct {
	Path    string
	Pos     Pos
	Message string
}

// maxShownPath is the maximum length of a path in a message, in bytes.
const maxShownPath = 100

// ShortPath returns path in a form for people. It omits the middle of a long path.
func ShortPath(path string) string {
	if len(path) <= maxShownPath {
		return path
	}
	return plaintext.CutBytes(path, maxShownPath/2) + "..." + strings.ToValidUTF8(path[len(path)-maxShownPath/2:], "")
}

// String returns "path (line 3, column 7): message". It omits the middle of a long
// path, and the position if it is unknown.
func (p Problem) String() string {
	path := ShortPath(p.Path)
	if p.Pos == (Pos{}) {
		return path + ": " + p.Message
	}
	return fmt.Sprintf("%s (line %d, column %d): %s", path, p.Pos.Line, p.Pos.Column, p.Message)
}

// Problems is the list of the problems of a document. Its error message contains every
// problem.
type Problems []Problem

// MaxProblems is the maximum number of problems in a list. If there are more
// problems, one additional entry states this.
const MaxProblems = 100

// Error returns the problems, separated by "; ".
func (ps Problems) Error() string {
	return strings.Join(lists.Map(ps, Problem.String), "; ")
}

// Err returns ps as an error, or nil if ps is empty.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// Add appends a problem without a position.
func (ps *Problems) Add(path, format string, args ...any) {
	ps.Append(Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// Append appends problems until the list is full.
func (ps *Problems) Append(more ...Problem) {
	for _, p := range more {
		if ps.Full() {
			return
		}
		if len(*ps) == MaxProblems {
			p = Problem{Path: Root, Message: fmt.Sprintf("more than %d problems; only the first %[1]d are listed", MaxProblems)}
		}
		*ps = append(*ps, p)
	}
}

// Full reports whether Append drops further problems.
func (ps Problems) Full() bool { return len(ps) > MaxProblems }

// Errors that, like syntax errors, end parsing.
var (
	errDepth    = errors.New("document is nested too deeply")
	errValues   = errors.New("too many values")
	errStream   = errors.New("stream is too large")
	errTrailing = errors.New("unexpected text after the document; expected one value")
)

// refuse adds a problem with the path of the current value.
func (p *parser) refuse(pos Pos, format string, args ...any) {
	if !p.problems.Full() {
		steps := slices.Clone(p.steps)
		for i := range steps {
			steps[i].key = plaintext.Cut(steps[i].key, MaxKey)
		}
		p.problems.Append(Problem{Path: join(steps), Pos: pos, Message: fmt.Sprintf(format, args...)})
	}
}

// refuseMark rejects a document that begins with a byte order mark, and reports whether
// it rejected the document. RFC 8259, section 8.1, forbids the mark, but some editors
// add it.
func (p *parser) refuseMark() bool {
	switch {
	case bytes.HasPrefix(p.data, []byte("\xef\xbb\xbf")):
		p.refuse(start, "begins with a byte order mark (BOM); save the file as UTF-8 without BOM")
	case bytes.HasPrefix(p.data, []byte("\xff\xfe")), bytes.HasPrefix(p.data, []byte("\xfe\xff")):
		p.refuse(start, "is encoded in UTF-16; save the file as UTF-8 without a byte order mark")
	default:
		return false
	}
	return true
}

// refuseNUL rejects a string that contains the NUL character. No text for a model
// needs this character, and C programs treat it as the end of a string.
func (p *parser) refuseNUL(pos Pos, s string) {
	if !p.trusted && strings.IndexByte(s, 0) >= 0 {
		p.refuse(pos, "contains a NUL character; remove it")
	}
}

// refuseNumber rejects a number with very many digits or a very large exponent,
// because exact arithmetic with such numbers is slow. Leading and trailing zeros do
// not count as digits.
func (p *parser) refuseNumber(pos Pos, literal string) {
	if p.trusted || len(literal) < maxDigits && !strings.ContainsAny(literal, "eE") {
		return
	}
	digits, point, _ := decimal(literal)
	switch {
	case len(digits) > maxDigits:
		p.refuse(pos, "the number has more than %[2]d digits (got %[1]d)", len(digits), maxDigits)
	case digits != "" && (point-1 > maxExponent || point-1 < -maxExponent):
		p.refuse(pos, "the number is out of range; exponents must be between -%d and %d", maxExponent, maxExponent)
	}
}

// broken adds the problem that ended parsing and returns all problems.
func (p *parser) broken(err error) Problems {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errDepth):
		p.refuse(p.pos, "nested more than %d levels deep", p.lim.Depth)
	case errors.Is(err, errValues):
		p.refuse(p.pos, "the document has more than %d values", maxValues)
	case errors.Is(err, errStream):
		p.refuse(p.pos, "more than %d documents or %d values; split the text", maxStream, maxTotal)
	case errors.Is(err, io.ErrUnexpectedEOF):
		p.refuse(p.position(len(p.data)), "the document is truncated")
	case errors.Is(err, io.EOF):
		p.refuse(p.pos, "empty; expected a JSON value")
	case errors.As(err, &syntax):
		p.at, p.pos = 0, start // the error can be at a comma before the current position
		p.refuse(p.position(int(syntax.ByteOffset)), "%s", p.explain(int(syntax.ByteOffset), syntax.Err))
	default:
		p.refuse(p.pos, "%v", err)
	}
	return p.problems
}

// explain describes the syntax error at offset. If no specific description applies,
// it returns the text of err, which can quote the document.
func (p *parser) explain(offset int, err error) string {
	rest := p.data[min(offset, len(p.data)):]
	if r, size := utf8.DecodeRune(rest); r == utf8.RuneError && size <= 1 {
		return "is not valid UTF-8"
	}
	if len(rest) > 3 && rest[0] == '\\' && rest[1] == 'u' && rest[2]|0x20 == 'd' && strings.IndexByte("89abcdefABCDEF", rest[3]) >= 0 {
		return "contains an unpaired surrogate; write the whole character"
	}
	return Printable(strings.TrimPrefix(err.Error(), "jsontext: "))
}

// Limits of untrusted text in a message, in characters.
const (
	maxQuoted    = 64
	maxPrintable = 200
)

// Quote returns s in double quotes for use in a message. It escapes everything
// except printable ASCII, and cuts s after 64 characters. A hostile text can
// therefore not control a terminal, hide in the message, or flood it.
func Quote(s string) string {
	cut := plaintext.Cut(s, maxQuoted)
	quoted := strconv.QuoteToASCII(cut)
	if len(cut) < len(s) {
		quoted += "..."
	}
	return quoted
}

// Printable converts s, which can contain untrusted text, to a form that is safe in a
// message. It escapes everything except printable ASCII, and cuts the text after 200
// characters.
func Printable(s string) string {
	cut := plaintext.Cut(s, maxPrintable)
	var b strings.Builder
	for _, r := range cut {
		if r >= ' ' && r <= '~' {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	if len(cut) < len(s) {
		b.WriteString("...")
	}
	return b.String()
}

// Keys returns the names in the json tags of the struct v, in the order of its
// fields.
func Keys(v any) []string {
	return named(fieldsOf(reflect.Indirect(reflect.ValueOf(v)).Type()).keys)
}

// named returns keys without the entries for fields that JSON omits.
func named(keys []string) []string {
	return lists.Filter(keys, func(key string) bool { return key != "" && key != "-" })
}
