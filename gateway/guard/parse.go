package guard

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"toolcrib/registry/jsondoc"
)

// ambiguous is a message that two readers could understand differently.
type ambiguous string

// Error returns what is ambiguous.
func (a ambiguous) Error() string { return string(a) }

// malformed is a text that is not JSON.
type malformed struct{ cause error }

// Error returns what is wrong with the text, and where.
func (m malformed) Error() string {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(m.cause, io.ErrUnexpectedEOF), errors.Is(m.cause, io.EOF):
		return "it is not valid JSON: it is truncated"
	case errors.As(m.cause, &syntax) && errors.Is(syntax, jsontext.ErrDuplicateName):
		return "it has the member " + strconv.Quote(clip(syntax.JSONPointer.LastToken())) + " twice"
	case errors.As(m.cause, &syntax):
		return fmt.Sprintf("it is not valid JSON: %s at byte %d", jsondoc.Printable(strings.TrimPrefix(syntax.Err.Error(), "jsontext: ")), syntax.ByteOffset+1)
	}
	return "it is not valid JSON: " + jsondoc.Printable(m.cause.Error())
}

// errTrailing reports a text with more than one value.
var errTrailing = errors.New("text follows the value")

// span is a part of a text.
type span struct{ from, to int }

func (s span) of(text []byte) []byte { return text[s.from:s.to] }

func (s span) there() bool { return s.to > s.from }

// strict defines what a message is: RFC 8259 in UTF-8, without a raw control character,
// a name twice in an object, or half of a surrogate pair, nested at most 10,000 levels
// deep. lenient reads the structure of a text whose strings or names are refused.
var (
	strict  []jsontext.Options
	lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
)

// decoders keeps decoders with their buffers: a message has a few objects to read.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// object calls each with the name of every member of the object at a place of text, and
// with the place of its value. It returns an ambiguous for a value that is not an object, and
// for a name that differs from a known one in case alone, since some readers ignore
// case; any other error is why the parser refuses the text.
func object(text []byte, at span, opts []jsontext.Options, known []string, each func(name string, value span)) error {
	d := decoders.Get().(*jsontext.Decoder) //nolint:forcetypeassert // of New
	defer decoders.Put(d)
	d.Reset(bytes.NewBuffer(at.of(text)), opts...)
	begin, err := d.ReadToken()
	switch {
	case err != nil:
		return err
	case begin.Kind() != '{':
		return ambiguous("it is not an object")
	}
	var unclear error
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := token.String() // the token is valid until the next read
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		for _, k := range known {
			if name != k && strings.EqualFold(name, k) {
				unclear = ambiguous("it has the member " + strconv.Quote(clip(name)) + ", which some readers take for " + strconv.Quote(k))
			}
		}
		end := at.from + int(d.InputOffset())
		each(name, span{end - len(value), end})
	}
	return cmp.Or(finish(d), unclear)
}

// array calls each with every value of an array until each returns an error. Its error is
// that, or why the parser refuses the text.
func array(text []byte, opts []jsontext.Options, each func(value []byte) error) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), opts...)
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for kind := d.PeekKind(); kind != ']' && kind != jsontext.KindInvalid; kind = d.PeekKind() {
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := each(value); err != nil {
			return err
		}
	}
	return finish(d)
}

// finish reads the end of the value that d is in, and requires it to be the end of the text.
func finish(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	_, err := d.ReadToken()
	switch {
	case err == nil:
		return errTrailing
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// unquote returns the text of a string of a message, "" for one that the parser refuses.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return ""
	}
	return string(text)
}

// lineBreaks are the characters at which some reader begins a new line and that a valid
// message may contain as they are, with their replacements: CR and LF as white space between
// tokens, the others in strings (Python's splitlines and Node's readline divide there).
var lineBreaks = [...]struct{ raw, instead []byte }{
	{[]byte("\r"), []byte(" ")},
	{[]byte("\n"), []byte(" ")},
	{[]byte("\u0085"), []byte(`\u0085`)},
	{[]byte("\u2028"), []byte(`\u2028`)},
	{[]byte("\u2029"), []byte(`\u2029`)},
}

// oneLine returns a message as exactly one line, with a line feed at its end, for every
// reader. A message that the parser accepts keeps its meaning: a backslash precedes no
// line break there. Every message is written through oneLine, which cannot fail, so the
// number of lines depends on no earlier step.
func oneLine(text []byte) []byte {
	body, changed := bytes.TrimRight(text, "\r\n"), false
	for _, b := range lineBreaks {
		if bytes.Contains(body, b.raw) {
			body, changed = bytes.ReplaceAll(body, b.raw, b.instead), true
		}
	}
	if !changed && bytes.HasPrefix(text[len(body):], []byte("\n")) {
		return text[:len(body)+1]
	}
	return append(bytes.Clone(body), '\n')
}
