package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits bound what Parse takes in. Bytes counts bytes of source text; Depth
// counts nested lists and objects.
type Limits struct {
	Bytes int
	Depth int
}

// DefaultLimits fit every document toolcrib reads: 8 MiB, 128 levels.
var DefaultLimits = Limits{Bytes: 8 << 20, Depth: 128}

// Parse reads exactly one JSON value (RFC 8259). The error is a Problems: all
// duplicate keys and NULs together; reading ends at the first broken token.
// The node is nil when there are problems.
func Parse(data []byte, lim Limits) (*Node, error) {
	p := newParser(data, lim)
	if len(data) > lim.Bytes {
		p.problems.Add(Root, "the document has %d bytes; at most %d are read", len(data), lim.Bytes)
		return nil, p.problems
	}
	n, err := p.value(Root, 0)
	if err != nil {
		return nil, p.broken(err)
	}
	if err := p.end(); err != nil {
		return nil, p.broken(err)
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return n, nil
}

// ParseStream reads a stream of JSON values with white space between them
// (NDJSON, or objects simply following each other), or one array whose
// elements are taken as the stream. Paths are relative to each value; the
// positions are of the whole text.
func ParseStream(data []byte, lim Limits) ([]*Node, error) {
	p := newParser(data, lim)
	var nodes []*Node
	for {
		if kind := p.dec.PeekKind(); kind == 0 {
			if _, err := p.dec.ReadToken(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, p.broken(err)
			}
		}
		start := p.dec.InputOffset()
		n, err := p.value(Root, 0)
		if err != nil {
			return nil, p.broken(err)
		}
		if p.dec.InputOffset()-start > int64(lim.Bytes) {
			p.problems = append(p.problems, Problem{Path: Root, Pos: n.Pos, Message: fmt.Sprintf("the document has more than %d bytes", lim.Bytes)})
		}
		nodes = append(nodes, n)
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	if len(nodes) == 1 && nodes[0].Kind == Array {
		return nodes[0].Items, nil
	}
	return nodes, nil
}

// parser builds the tree from jsontext's tokens.
type parser struct {
	data     []byte
	lim      Limits
	dec      *jsontext.Decoder
	problems Problems

	at   int // pos is the position of this offset: the next one costs only the distance
	pos  Pos
	path string // of the value that is being read
}

func newParser(data []byte, lim Limits) *parser {
	return &parser{
		data: data,
		lim:  lim,
		dec:  jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true)),
		pos:  Pos{Line: 1, Column: 1},
		path: Root,
	}
}

// errDepth ends the reading of a document that nests too deeply.
var errDepth = errors.New("nested too deeply")

// value reads the next value, which stands at path, inside depth others.
func (p *parser) value(path string, depth int) (*Node, error) {
	p.path = path
	pos := p.next()
	tok, err := p.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case '{', '[':
		if depth >= p.lim.Depth {
			return nil, errDepth
		}
		if tok.Kind() == '{' {
			return p.object(path, depth, pos)
		}
		return p.array(path, depth, pos)
	case '"':
		s := tok.String()
		p.refuseNUL(path, pos, s)
		return &Node{Kind: String, Pos: pos, Text: s}, nil
	case '0':
		p.refuseExponent(path, pos, tok.String())
		return &Node{Kind: Number, Pos: pos, Text: tok.String()}, nil
	case 't', 'f':
		return &Node{Kind: Bool, Pos: pos, Text: tok.String()}, nil
	default:
		return &Node{Kind: Null, Pos: pos}, nil
	}
}

func (p *parser) object(path string, depth int, pos Pos) (*Node, error) {
	n := &Node{Kind: Object, Pos: pos}
	seen := map[string]bool{}
	for p.dec.PeekKind() != '}' {
		keyPos := p.next()
		tok, err := p.dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := tok.String()
		at := Join(path, key)
		p.refuseNUL(at, keyPos, key)
		if seen[key] {
			p.problems = append(p.problems, Problem{Path: at, Pos: keyPos, Message: "the key stands here a second time; keep one"})
		}
		seen[key] = true
		v, err := p.value(at, depth+1)
		if err != nil {
			return nil, err
		}
		n.Members = append(n.Members, Member{Key: key, Pos: keyPos, Value: v})
	}
	_, err := p.dec.ReadToken()
	return n, err
}

func (p *parser) array(path string, depth int, pos Pos) (*Node, error) {
	n := &Node{Kind: Array, Pos: pos}
	for p.dec.PeekKind() != ']' {
		v, err := p.value(Index(path, len(n.Items)), depth+1)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, v)
	}
	_, err := p.dec.ReadToken()
	return n, err
}

// end makes sure that nothing follows the value.
func (p *parser) end() error {
	p.path = Root
	p.next()
	_, err := p.dec.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.New("something follows the document; one value is expected")
}

// refuseNUL reports a NUL, which no text for a model needs and which cuts
// strings short in programs written in C.
func (p *parser) refuseNUL(path string, pos Pos, s string) {
	if strings.IndexByte(s, 0) >= 0 {
		p.problems = append(p.problems, Problem{Path: path, Pos: pos, Message: "holds a NUL character; take it out"})
	}
}

// maxExponentDigits bounds a number's exponent: far beyond what any program
// can hold, and small enough to compute with.
const maxExponentDigits = 6

// refuseExponent reports a number with an exponent out of all proportion.
func (p *parser) refuseExponent(path string, pos Pos, literal string) {
	i := strings.IndexAny(literal, "eE")
	if i < 0 {
		return
	}
	if len(strings.TrimLeft(literal[i+1:], "+-0")) > maxExponentDigits {
		p.problems = append(p.problems, Problem{Path: path, Pos: pos, Message: "the number's exponent is out of range"})
	}
}

// broken turns the error that ended the reading into the last problem.
func (p *parser) broken(err error) Problems {
	problem := Problem{Path: p.path, Pos: p.pos}
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errDepth):
		problem.Message = fmt.Sprintf("nested more than %d levels deep", p.lim.Depth)
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		problem.Message = "nothing there; a JSON value is expected"
	case errors.Is(err, io.ErrUnexpectedEOF):
		problem.Message = "the document ends in the middle"
		problem.Pos = p.position(len(p.data))
	case errors.As(err, &syntax):
		problem.Message = strings.TrimPrefix(syntax.Err.Error(), "jsontext: ")
		problem.Pos = p.position(int(syntax.ByteOffset))
	default:
		problem.Message = err.Error()
	}
	return append(p.problems, problem)
}

// next returns the position of the token that will be read next: what stands
// between two tokens is only white space, a comma or a colon.
func (p *parser) next() Pos {
	i := int(p.dec.InputOffset())
	for i < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[i]) >= 0 {
		i++
	}
	return p.position(i)
}

// position turns a byte offset into line and column. Offsets grow from call
// to call, so the whole document is walked once.
func (p *parser) position(offset int) Pos {
	for p.at < min(offset, len(p.data)) {
		if p.data[p.at] == '\n' {
			p.pos = Pos{Line: p.pos.Line + 1, Column: 1}
			p.at++
			continue
		}
		_, size := utf8.DecodeRune(p.data[p.at:])
		p.at += size
		p.pos.Column++
	}
	return p.pos
}
