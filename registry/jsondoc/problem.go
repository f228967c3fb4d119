package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"toolcrib/internal/plaintext"
)

// Problem is one problem of a document: its place and the expected value. Message
// is a clause without a full stop and without control or invisible characters of
// the document.
type Problem struct {
	Path    string
	Pos     Pos
	Message string
}

// maxShownPath limits how many bytes of a path String shows.
const maxShownPath = 1_000

// String returns "path (line 3, column 7): message". The middle of a very long
// path is left out.
func (p Problem) String() string {
	path := p.Path
	if len(path) > maxShownPath {
		path = path[:maxShownPath/2] + "..." + path[len(path)-maxShownPath/2:]
	}
	if p.Pos == (Pos{}) {
		return path + ": " + p.Message
	}
	return fmt.Sprintf("%s (line %d, column %d): %s", path, p.Pos.Line, p.Pos.Column, p.Message)
}

// Problems is everything that is wrong with a document. As an error it lists
// all of them.
type Problems []Problem

// MaxProblems limits how many problems are listed. One more reports that there are
// others.
const MaxProblems = 100

// Error returns the problems, separated by "; ".
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "; ")
}

// Err returns ps as an error, nil when there are none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// Add appends a problem at path, whose place is not known.
func (ps *Problems) Add(path, format string, args ...any) {
	ps.Append(Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// Append adds the given problems as long as there are fewer than MaxProblems.
func (ps *Problems) Append(more ...Problem) {
	for _, p := range more {
		if ps.Full() {
			return
		}
		if len(*ps) == MaxProblems {
			p = Problem{Path: Root, Message: fmt.Sprintf("there are more problems than the first %d listed here", MaxProblems)}
		}
		*ps = append(*ps, p)
	}
}

// Full reports whether nothing more is taken in.
func (ps Problems) Full() bool { return len(ps) > MaxProblems }

// Errors that end the reading besides a broken token.
var (
	errDepth    = errors.New("nested too deeply")
	errValues   = errors.New("too many values")
	errStream   = errors.New("too much in a stream")
	errTrailing = errors.New("unexpected text after the document; expected one value")
)

// refuse reports a problem with the value that is being read.
func (p *parser) refuse(pos Pos, format string, args ...any) {
	if !p.problems.Full() {
		p.problems.Append(Problem{Path: p.path(), Pos: pos, Message: fmt.Sprintf(format, args...)})
	}
}

// path returns the path of the value that is being read. A key too long to be
// taken in is cut in it.
func (p *parser) path() string {
	way := slices.Clone(p.way)
	for i := range way {
		way[i].key = plaintext.Cut(way[i].key, maxKey)
	}
	return join(way)
}

// refuseMark reports a byte order mark, which RFC 8259, section 8.1, forbids
// and some editors write unseen.
func (p *parser) refuseMark() bool {
	switch {
	case bytes.HasPrefix(p.data, []byte("\xef\xbb\xbf")):
		p.refuse(start, "begins with a byte order mark (BOM); save it as UTF-8 without one")
	case bytes.HasPrefix(p.data, []byte("\xff\xfe")), bytes.HasPrefix(p.data, []byte("\xfe\xff")):
		p.refuse(start, "is written in UTF-16; save it as UTF-8 without a byte order mark")
	default:
		return false
	}
	return true
}

// refuseNUL reports a NUL, which no text for a model needs and which cuts
// strings short in programs written in C.
func (p *parser) refuseNUL(pos Pos, s string) {
	if !p.trusted && strings.IndexByte(s, 0) >= 0 {
		p.refuse(pos, "contains a NUL character; remove it")
	}
}

func (p *parser) refuseLongKey(pos Pos, key string) {
	if p.trusted || len(key) <= maxKey {
		return
	}
	if n := utf8.RuneCountInString(key); n > maxKey {
		p.refuse(pos, "the key has %d characters; the limit is %d", n, maxKey)
	}
}

// refuseNumber reports a number out of all proportion, on which exact
// arithmetic would take long. Zeros before and after its digits do not count:
// they are in the exponent.
func (p *parser) refuseNumber(pos Pos, literal string) {
	if p.trusted || len(literal) < maxDigits && !strings.ContainsAny(literal, "eE") {
		return
	}
	digits, point, _ := decimal(literal)
	switch {
	case len(digits) > maxDigits:
		p.refuse(pos, "the number has %d digits; the limit is %d", len(digits), maxDigits)
	case digits != "" && (point-1 > maxExponent || point-1 < -maxExponent):
		p.refuse(pos, "the number is out of range; exponents from -%d to %d are read", maxExponent, maxExponent)
	}
}

// end makes sure that nothing follows the value.
func (p *parser) end() error {
	p.way = p.way[:0]
	i := int(p.dec.InputOffset())
	for i < len(p.data) && strings.IndexByte(" \t\r\n", p.data[i]) >= 0 {
		i++
	}
	p.position(i)
	if i < len(p.data) {
		return errTrailing
	}
	return nil
}

// broken turns the error that ended the reading into the last problem.
func (p *parser) broken(err error) Problems {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errDepth):
		p.refuse(p.pos, "nested more than %d levels deep", p.lim.Depth)
	case errors.Is(err, errValues):
		p.refuse(p.pos, "the document has more than %d values", maxValues)
	case errors.Is(err, errStream):
		p.refuse(p.pos, "more than %d documents, or %d values in them; divide the text", maxStream, maxTotal)
	case errors.Is(err, io.ErrUnexpectedEOF):
		p.refuse(p.position(len(p.data)), "the document is truncated")
	case errors.Is(err, io.EOF):
		p.refuse(p.pos, "empty; expected a JSON value")
	case errors.As(err, &syntax):
		p.at, p.pos = 0, start // the break may be a comma that was looked past
		p.refuse(p.position(int(syntax.ByteOffset)), "%s", p.explain(int(syntax.ByteOffset), syntax.Err))
	default:
		p.refuse(p.pos, "%v", err)
	}
	return p.problems
}

// explain describes the broken token at offset, in the words of encoding/json
// where they are plain; they may quote the document.
func (p *parser) explain(offset int, err error) string {
	rest := p.data[min(offset, len(p.data)):]
	if r, size := utf8.DecodeRune(rest); r == utf8.RuneError && size <= 1 {
		return "is not valid UTF-8"
	}
	if len(rest) > 3 && rest[0] == '\\' && rest[1] == 'u' && rest[2]|0x20 == 'd' && strings.IndexByte("89abcdefABCDEF", rest[3]) >= 0 {
		return "holds one half of a surrogate pair; write the whole character"
	}
	return Printable(strings.TrimPrefix(err.Error(), "jsontext: "))
}

// Limits of untrusted text in a message, in characters.
const (
	maxQuoted    = 64
	maxPrintable = 200
)

// Quote returns s for use inside a message: in double quotes, everything but
// printable ASCII escaped, and cut after 64 characters, so that a hostile text
// can neither act on a terminal, hide in the message, nor flood it.
func Quote(s string) string {
	cut := plaintext.Cut(s, maxQuoted)
	quoted := strconv.QuoteToASCII(cut)
	if len(cut) < len(s) {
		quoted += "..."
	}
	return quoted
}

// Printable returns a message that may repeat untrusted text in a form that is
// safe inside another message: everything but printable ASCII escaped, and cut
// after 200 characters.
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

// Keys returns the JSON keys of a struct, by its json tags, in their order.
func Keys(v any) []string {
	t := reflect.Indirect(reflect.ValueOf(v)).Type()
	keys := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		if key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}
