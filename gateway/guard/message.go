// This file implements the strict parser of JSON-RPC messages, and encodes messages and headers.

package guard

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"toolcrib/registry/jsondoc"
)

// kind distinguishes requests, notifications, and responses.
type kind int

const (
	request kind = iota + 1
	notification
	response
)

// message is a JSON-RPC 2.0 message and the positions of its members in text.
type message struct {
	text                    []byte
	kind                    kind
	id                      span // the id in its JSON encoding
	named                   span // the method in its JSON encoding
	method                  string
	params, result, failure span
	// mirrored contains the arguments of a call that an HTTP server also receives as headers, keyed by header name.
	mirrored map[string]string
	unread   []byte // the original result if readable has replaced list entries; otherwise nil
}

// memberNames contains the member names that JSON-RPC defines for messages.
var memberNames = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// gatedMethods contains the methods for which the guard may change or refuse messages.
var gatedMethods = []string{"initialize", "server/discover", "tools/list", "tools/call", "prompts/list", "prompts/get"}

// read parses a message. If text is not valid JSON, it returns a malformed error. If text is not a message with exactly
// one meaning, it returns an ambiguous error. In both cases, the returned message contains the members that could be
// parsed, because the guard must respond to a request.
func read(text []byte) (message, error) {
	m := message{text: text}
	err := m.parse(strict)
	switch {
	case err == nil:
		return m, m.classify()
	case errors.As(err, new(ambiguous)):
		return m, err
	}
	refused := malformed{err}
	m = message{text: text}
	err = m.parse(lenient)
	if !jsontext.Value(m.id.of(text)).IsValid() {
		m.id = span{}
	}
	if err == nil || errors.As(err, new(ambiguous)) {
		return m, ambiguous(refused.Error())
	}
	return m, refused
}

// parse sets the positions of the members of m. It returns the same errors as the function object.
func (m *message) parse(opts []jsontext.Options) error {
	return object(m.text, span{0, len(m.text)}, opts, memberNames, func(name string, value span) {
		switch name {
		case "id":
			m.id = value
		case "method":
			m.named = value
		case "params":
			m.params = value
		case "result":
			m.result = value
		case "error":
			m.failure = value
		}
	})
}

// classify sets m.kind and m.method. It returns an ambiguous error if the kind of m is not unique.
func (m *message) classify() error {
	switch {
	case m.named.present() && (m.result.present() || m.failure.present()), m.result.present() && m.failure.present():
		return ambiguous("the message has both a method and a result or error, or both a result and an error")
	case m.id.present() && !strings.ContainsRune(`"-0123456789`, rune(m.text[m.id.from])) && (m.text[m.id.from] != 'n' || !m.failure.present()):
		return ambiguous("the id of the message is neither a string nor a number") // an error response has the id null if the request could not be parsed
	case m.named.present():
		if m.text[m.named.from] != '"' {
			return ambiguous("the method is not a string")
		}
		m.method, m.kind = m.str(m.named), notification
		for _, known := range gatedMethods {
			if m.method != known && strings.EqualFold(m.method, known) {
				return ambiguous("the method is " + strconv.Quote(m.method) + ", which some parsers treat as " + strconv.Quote(known))
			}
		}
		if m.id.present() {
			m.kind = request
		}
		return nil
	case m.result.present(), m.failure.present():
		m.kind = response
		return nil
	}
	return ambiguous("the message has neither a method nor a result")
}

// isResponse reports whether m is a response. Unlike m.kind, the result is also meaningful for an invalid message.
func (m *message) isResponse() bool {
	return m.id.present() && (!m.named.present() || m.result.present() || m.failure.present())
}

// key returns a map key for the id of m. Equal ids have the same key, even if their encodings differ. A number and a
// string never have the same key.
func (m *message) key() string { return idKey(m.id.of(m.text)) }

func idKey(id []byte) string {
	switch {
	case len(id) == 0:
		return ""
	case id[0] == '"':
		return `"` + unquote(id)
	case bytes.ContainsAny(id, ".eE"):
		return string(jsondoc.Canonical(jsondoc.NewNumber(string(id))))
	}
	return string(id)
}

// members calls visit for every member of the object at pos. It does nothing if the value at pos is not an object. It
// returns the same errors as the function object.
func (m *message) members(pos span, known []string, visit func(name string, value span)) error {
	if !pos.present() || m.text[pos.from] != '{' {
		return nil
	}
	return object(m.text, pos, lenient, known, visit)
}

// str returns the decoded string at pos, or "" if the value at pos is not a string.
func (m *message) str(pos span) string {
	if !pos.present() || m.text[pos.from] != '"' {
		return ""
	}
	return unquote(pos.of(m.text))
}

// called returns the name and the arguments of a tools/call request.
func (m *message) called() (name string, args []byte, err error) {
	var named bool
	err = m.members(m.params, []string{"name", "arguments"}, func(key string, value span) {
		switch key {
		case "name":
			named = m.text[value.from] == '"'
			name = m.str(value)
		case "arguments":
			args = value.of(m.text)
		}
	})
	if err == nil && !named {
		err = ambiguous("the name of the tool is missing")
	}
	if strings.TrimSpace(string(args)) == "null" {
		args = nil
	}
	return name, args, err
}

// member returns the position of a nested member. names is the path from the object at pos to the member. If the member
// does not exist, the result is an empty span.
func (m *message) member(pos span, names ...string) (found span) {
	for _, name := range names {
		found = span{}
		err := m.members(pos, nil, func(key string, value span) {
			if key == name {
				found = value
			}
		})
		if err != nil || !found.present() {
			return span{}
		}
		pos = found
	}
	return found
}

// batch splits a batch into messages without parsing these messages. It returns false if text is not a batch. Revision
// 2025-03-26 of the protocol permits batches. A batch cannot contain another batch.
func batch(text []byte) (messages [][]byte, ok bool) {
	if jsontext.Value(text).Kind() != '[' {
		return nil, false
	}
	err := array(text, func(value []byte) error {
		if value[0] != '{' {
			return ambiguous("the message is not an object")
		}
		messages = append(messages, value)
		return nil
	})
	return messages, err == nil
}

// headerPrefix is the prefix of the environment variables that contain the HTTP headers for a guarded URL. Headers are
// not passed as arguments, because every user of the machine can read the arguments of a process.
const headerPrefix = "TOOLCRIB_HEADER_"

// HeaderVariable returns the name of the environment variable that passes the HTTP header with the given name to a
// guard. The name consists of a prefix and the name of the header, in which "-" is replaced by "_". A "-" after another
// "-", and any character other than a letter, a digit, or "-", is replaced by "__" and its code in two hexadecimal
// digits. HeaderName is the inverse function.
func HeaderVariable(name string) string {
	var b strings.Builder
	b.WriteString(headerPrefix)
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			b.WriteByte(c)
		case c == '-' && (i == 0 || name[i-1] != '-'):
			b.WriteByte('_')
		default:
			b.WriteString("__" + hex.EncodeToString([]byte{c}))
		}
	}
	return b.String()
}

// HeaderName returns the name of the HTTP header that the given environment variable contains. It returns false if
// variable is not a result of HeaderVariable, which ensures that different variables refer to different headers.
func HeaderName(variable string) (string, bool) {
	rest, ok := strings.CutPrefix(variable, headerPrefix)
	if !ok || rest == "" {
		return "", false
	}
	var name []byte
	for i := 0; i < len(rest); i++ {
		if rest[i] != '_' {
			name = append(name, rest[i])
			continue
		}
		if i+3 < len(rest) && rest[i+1] == '_' {
			if c, err := hex.DecodeString(rest[i+2 : i+4]); err == nil {
				name = append(name, c[0])
				i += 3
				continue
			}
		}
		name = append(name, '-')
	}
	return string(name), HeaderVariable(string(name)) == variable
}

// headerValue encodes a value of a message as the value of an HTTP header (revision 2026-07-28, Streamable HTTP, Value
// Encoding).
func headerValue(value string) string {
	const begin, end = "=?base64?", "?="
	encoded := strings.HasPrefix(value, begin) && strings.HasSuffix(value, end)
	plain := strings.Trim(value, " \t") == value && !encoded
	for i := range len(value) {
		plain = plain && (value[i] == '\t' || ' ' <= value[i] && value[i] <= '~')
	}
	if plain {
		return value
	}
	return begin + base64.StdEncoding.EncodeToString([]byte(value)) + end
}

// Headers returns the HTTP headers in the given environment variables. Each element of environ has the form
// "NAME=value".
func Headers(environ []string) http.Header {
	headers := http.Header{}
	for _, entry := range environ {
		variable, value, _ := strings.Cut(entry, "=")
		if name, ok := HeaderName(variable); ok {
			headers.Add(name, value)
		}
	}
	return headers
}

// ambiguous is the error for a message that two parsers could interpret differently.
type ambiguous string

// Error returns the description of the ambiguity.
func (a ambiguous) Error() string { return string(a) }

// malformed is the error for text that is not valid JSON.
type malformed struct{ cause error }

// Is reports whether target is ErrProtocol.
func (malformed) Is(target error) bool { return target == ErrProtocol }

// Error describes the syntax error and its position.
func (m malformed) Error() string {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(m.cause, io.ErrUnexpectedEOF), errors.Is(m.cause, io.EOF):
		return "the message is not valid JSON: the text is truncated"
	case errors.As(m.cause, &syntax) && errors.Is(syntax, jsontext.ErrDuplicateName):
		return "the message has the member " + strconv.Quote(clip(syntax.JSONPointer.LastToken())) + " twice"
	case errors.As(m.cause, &syntax):
		return fmt.Sprintf("the message is not valid JSON: %s at byte %d", jsondoc.Printable(strings.TrimPrefix(syntax.Err.Error(), "jsontext: ")), syntax.ByteOffset+1)
	}
	return "the message is not valid JSON: " + jsondoc.Printable(m.cause.Error())
}

// errTrailing is the cause of a malformed error if text follows the JSON value.
var errTrailing = errors.New("additional text follows the value")

// span is the position of a part of a text, as the half-open byte range [from, to). The span of a missing part is
// empty.
type span struct{ from, to int }

func (s span) of(text []byte) []byte { return text[s.from:s.to] }

func (s span) present() bool { return s.to > s.from }

// Options of the parser. With strict, the parser accepts JSON according to RFC 8259 in UTF-8 with at most 10,000 levels
// of nesting. It rejects raw control characters, duplicate names, and unpaired surrogates. With lenient, it also
// accepts duplicate names and invalid UTF-8.
var (
	strict  []jsontext.Options
	lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
)

// decoders is a pool of decoders, because object is called several times for each message.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// object calls visit with the name and the position of every member of the object at pos in text. It returns an
// ambiguous error if the value is not an object, or if a name differs from one of the known names only in case, because
// some parsers ignore case. Any other error is a syntax error.
func object(text []byte, pos span, opts []jsontext.Options, known []string, visit func(name string, value span)) error {
	d := decoders.Get().(*jsontext.Decoder) //nolint:forcetypeassert // the pool contains only decoders
	defer decoders.Put(d)
	d.Reset(bytes.NewBuffer(pos.of(text)), opts...)
	begin, err := d.ReadToken()
	switch {
	case err != nil:
		return err
	case begin.Kind() != '{':
		return ambiguous("the message is not an object")
	}
	var unclear error
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := token.String() // a copy, because the token is valid only until the next read
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		for _, k := range known {
			if name != k && strings.EqualFold(name, k) {
				unclear = ambiguous("the message has the member " + strconv.Quote(clip(name)) + ", which some parsers treat as " + strconv.Quote(k))
			}
		}
		end := pos.from + int(d.InputOffset())
		visit(name, span{end - len(value), end})
	}
	return cmp.Or(finish(d), unclear)
}

// array calls visit with every element of the JSON array in text. If visit returns an error, array stops and returns
// this error. Any other error is a syntax error.
func array(text []byte, visit func(value []byte) error) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), lenient...)
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for kind := d.PeekKind(); kind != ']' && kind != jsontext.KindInvalid; kind = d.PeekKind() {
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := visit(value); err != nil {
			return err
		}
	}
	return finish(d)
}

// finish reads the end of the object or array. If more text follows, it returns errTrailing.
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

// unquote decodes a JSON string. It returns "" if the string contains an invalid escape sequence.
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

// lineBreaks contains characters that some programs, such as Python's splitlines and Node's readline, treat as line
// breaks, with the replacement of each character. All these characters may occur unescaped in a valid message: CR and
// LF between tokens, and the others in strings.
var lineBreaks = [...]struct{ raw, instead []byte }{
	{[]byte("\r"), []byte(" ")},
	{[]byte("\n"), []byte(" ")},
	{[]byte("\u0085"), []byte(`\u0085`)},
	{[]byte("\u2028"), []byte(`\u2028`)},
	{[]byte("\u2029"), []byte(`\u2029`)},
}

// oneLine returns a message as exactly one line that ends with a line feed. The meaning of a valid message does not
// change, because none of the replaced line breaks follows a backslash. The guard applies oneLine to every message that
// it writes. Because oneLine cannot fail, even an invalid message is written as a single line.
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
