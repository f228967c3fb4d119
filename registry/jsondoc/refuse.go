package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/plaintext"

	"github.com/go-json-experiment/json/jsontext"
)

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
