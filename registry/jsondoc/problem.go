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

	"toolcrib/internal/lists"
	"toolcrib/internal/plaintext"
)

// Problem is one problem of a document. Message is a clause without a full stop; it
// has no control or invisible characters.
type Problem struct {
	Path    string
	Pos     Pos
	Message string
}

// maxShownPath limits the length of paths in String, in bytes.
const maxShownPath = 1_000

// String returns "path (line 3, column 7): message". It shortens very long paths in
// the middle.
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

// Problems is the list of a document's problems. As an error, it lists all of them.
type Problems []Problem

// MaxProblems limits the number of problems in a list. One more entry reports that
// there were others.
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

// Append appends problems up to the limit of MaxProblems.
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

// Full reports whether further problems are dropped.
func (ps Problems) Full() bool { return len(ps) > MaxProblems }

// Errors that end parsing, in addition to syntax errors.
var (
	errDepth    = errors.New("document is nested too deeply")
	errValues   = errors.New("too many values")
	errStream   = errors.New("stream is too large")
	errTrailing = errors.New("unexpected text after the document; expected one value")
)

// refuse adds a problem of the current value.
func (p *parser) refuse(pos Pos, format string, args ...any) {
	if !p.problems.Full() {
		steps := slices.Clone(p.steps)
		for i := range steps {
			steps[i].key = plaintext.Cut(steps[i].key, maxKey)
		}
		p.problems.Append(Problem{Path: join(steps), Pos: pos, Message: fmt.Sprintf(format, args...)})
	}
}

// refuseMark refuses a byte order mark, which RFC 8259, section 8.1, forbids and
// some editors add.
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

// refuseNUL refuses the NUL character, which no text for a model needs and which
// ends strings in C programs.
func (p *parser) refuseNUL(pos Pos, s string) {
	if !p.trusted && strings.IndexByte(s, 0) >= 0 {
		p.refuse(pos, "contains a NUL character; remove it")
	}
}

// refuseNumber refuses numbers of extreme size, which would slow down exact
// arithmetic. Leading and trailing zeros do not count as digits.
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

// broken converts the error that ended parsing into the last problem.
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
		p.at, p.pos = 0, start // the error may be at a comma before the current position
		p.refuse(p.position(int(syntax.ByteOffset)), "%s", p.explain(int(syntax.ByteOffset), syntax.Err))
	default:
		p.refuse(p.pos, "%v", err)
	}
	return p.problems
}

// explain describes the syntax error at offset. It uses the text of jsontext where
// that is clear; this text may quote the document.
func (p *parser) explain(offset int, err error) string {
	rest := p.data[min(offset, len(p.data)):]
	if r, size := utf8.DecodeRune(rest); r == utf8.RuneError && size <= 1 {
		return "is not valid UTF-8"
	}
	if len(rest) > 3 && rest[0] == '\\' && rest[1] == 'u' && rest[2]|0x20 == 'd' && strings.IndexByte("89abcdefABCDEF", rest[3]) >= 0 {
		return "contains one half of a surrogate pair; write the whole character"
	}
	return Printable(strings.TrimPrefix(err.Error(), "jsontext: "))
}

// Limits of untrusted text in a message, in characters.
const (
	maxQuoted    = 64
	maxPrintable = 200
)

// Quote returns s in double quotes for use in a message. It escapes everything
// except printable ASCII and cuts s after 64 characters, so that a hostile text
// cannot control a terminal, hide in the message, or flood it.
func Quote(s string) string {
	cut := plaintext.Cut(s, maxQuoted)
	quoted := strconv.QuoteToASCII(cut)
	if len(cut) < len(s) {
		quoted += "..."
	}
	return quoted
}

// Printable makes a text that may contain untrusted parts safe for use in a
// message. It escapes everything except printable ASCII and cuts the text after 200
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

// Keys returns the names in a struct's json tags, in order.
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
