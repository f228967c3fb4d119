// This file parses single documents and streams of documents, and enforces limits on them.

package jsondoc

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits limits the documents that Parse accepts. Bytes is the maximum size of the source
// text. Depth is the maximum nesting of arrays and objects.
type Limits struct {
	Bytes int
	Depth int
}

// DefaultLimits are large enough for every document that toolcrib reads, including the
// largest skill.
var DefaultLimits = Limits{Bytes: 32 << 20, Depth: 128}

// Further limits, which apply to every document and do not depend on the argument lim.
const (
	maxValues   = 1 << 20 // a node takes some 100 bytes
	maxStream   = 100_000 // documents in a stream
	maxTotal    = 4 << 20 // values in a stream
	MaxKey      = 1_024   // characters; a path contains all keys of its parents
	maxDigits   = 1_000
	maxExponent = 9_999
)

// Parse parses exactly one JSON value (RFC 8259). The error is a Problems with all
// problems up to the first syntax error. If the error is not nil, the node is nil.
func Parse(data []byte, lim Limits) (*Node, error) {
	p := newParser(data, lim)
	if len(data) > lim.Bytes {
		p.problems.Add(Root, "the document is larger than %[2]d bytes (got %[1]d)", len(data), lim.Bytes)
		return nil, p.problems
	}
	if p.refuseMark() {
		return nil, p.problems
	}
	return p.one()
}

// Members calls fn for each member of the JSON object in data. The arguments are the name,
// the text of the value, and the offset of this text in data. The text is valid until fn
// returns. Members checks neither the values nor the strings. Use it only for documents
// that this program wrote, or to find parts that are parsed afterwards.
func Members(data []byte, fn func(name string, value []byte, offset int) error) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return cmp.Or(err, errors.New("expected an object"))
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String() // the next read invalidates the token
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := fn(key, value, int(d.InputOffset())-len(value)); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// one parses a text that contains one value.
func (p *parser) one() (*Node, error) {
	n, err := p.document()
	if err == nil {
		p.steps = p.steps[:0]
		if rest := bytes.TrimLeft(p.data[int(p.dec.InputOffset()):], " \t\r\n"); len(rest) > 0 {
			p.position(len(p.data) - len(rest))
			err = errTrailing
		}
	}
	if err != nil {
		return nil, p.broken(err)
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return n, nil
}

// ParseStream parses a stream of JSON values with white space between them (NDJSON or
// concatenated objects). If the stream is a single array, ParseStream returns the elements
// of the array. The limits apply to each value. Paths are relative to a value, and
// positions to the whole text. If the error is not nil, the result is nil.
func ParseStream(data []byte, lim Limits) ([]*Node, error) {
	p := newParser(data, lim)
	p.stream = true
	if p.refuseMark() {
		return nil, p.problems
	}
	var nodes []*Node
	for {
		if p.dec.PeekKind() == 0 {
			_, err := p.dec.ReadToken()
			if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				break
			}
			return nil, p.broken(err)
		}
		n, err := p.document()
		if err != nil {
			return nil, p.broken(err)
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

// parser builds a tree from the tokens of jsontext.
type parser struct {
	data     []byte
	lim      Limits
	dec      *jsontext.Decoder
	stream   bool // the elements of the outermost array are documents
	trusted  bool // the text comes from encoding/json; skip the checks
	problems Problems

	at  int // offset of pos, from which the next position is computed
	pos Pos

	// steps is the path of the current value. It is converted to text only to report
	// problems. A text for every value would repeat the long keys of its parents.
	steps  []step
	values int // number of values in the current document so far
	total  int // number of values in all documents so far
	read   int // number of documents so far

	spare []Node // nodes allocated in advance, because single allocations are slower
}

// start is the position of the first character.
var start = Pos{Line: 1, Column: 1}

func newParser(data []byte, lim Limits) *parser {
	return &parser{
		data: data,
		lim:  lim,
		dec:  jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true)),
		pos:  start,
	}
}

// document parses the next document and checks its size.
func (p *parser) document() (*Node, error) {
	p.steps, p.values = p.steps[:0], 0
	pos := p.next()
	if p.read++; p.read > maxStream+1 { // the counter includes the outermost array
		return nil, errStream
	}
	from := p.at
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	outermost := p.stream && n.Kind == Array
	if size := int(p.dec.InputOffset()) - from; size > p.lim.Bytes && !outermost {
		p.refuse(pos, "the document is larger than %d bytes (got %d)", p.lim.Bytes, size)
	}
	return n, nil
}

// value parses the next value. The argument depth is the number of values that contain the
// next value.
func (p *parser) value(depth int) (*Node, error) {
	p.values++
	p.total++
	switch {
	case p.trusted:
	case p.values > maxValues:
		return nil, errValues
	case p.total > maxTotal:
		return nil, errStream
	}
	pos := p.next()
	tok, err := p.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	if len(p.spare) == 0 { // allocate as many nodes as have been parsed, within bounds
		p.spare = make([]Node, min(max(p.total, 4), 64))
	}
	n := &p.spare[0]
	p.spare = p.spare[1:]
	n.Pos = pos
	switch tok.Kind() {
	case '{', '[':
		if depth >= p.lim.Depth {
			return nil, errDepth
		}
		switch {
		case tok.Kind() == '{':
			n.Kind = Object
			err = p.members(n, depth+1)
		case p.stream && depth == 0:
			n.Kind = Array
			err = p.documents(n)
		default:
			n.Kind = Array
			err = p.items(n, depth+1)
		}
	case '"':
		n.Kind, n.Text = String, tok.String()
		p.refuseNUL(pos, n.Text)
	case '0':
		n.Kind, n.Text = Number, tok.String()
		p.refuseNumber(pos, n.Text)
	case 't', 'f':
		n.Kind, n.Text = Bool, tok.String()
	default:
		n.Kind = Null
	}
	return n, err
}

func (p *parser) members(n *Node, depth int) error {
	const few = 16
	var seen map[string]bool // nil while the object has few members
	if p.dec.PeekKind() != '}' {
		n.Members = make([]Member, 0, 4)
	}
	for p.dec.PeekKind() != '}' {
		pos := p.next()
		tok, err := p.dec.ReadToken()
		if err != nil {
			return err
		}
		key := tok.String()
		p.steps = append(p.steps, step{key: key})
		p.refuseNUL(pos, key)
		if len(key) > MaxKey && !p.trusted {
			if n := utf8.RuneCountInString(key); n > MaxKey {
				p.refuse(pos, "the key is longer than %[2]d characters (got %[1]d)", n, MaxKey)
			}
		}
		again := seen[key]
		switch {
		case len(n.Members) < few:
			again = n.Get(key) != nil
		case seen == nil:
			seen = make(map[string]bool, 2*few)
			for _, m := range n.Members {
				seen[m.Key] = true
			}
			again = seen[key]
			fallthrough
		default:
			seen[key] = true
		}
		if again {
			p.refuse(pos, "duplicate key; keep one")
		}
		v, err := p.value(depth)
		if err != nil {
			return err
		}
		n.Members = append(n.Members, Member{Key: key, Pos: pos, Value: v})
		p.steps = p.steps[:len(p.steps)-1]
	}
	_, err := p.dec.ReadToken()
	return err
}

func (p *parser) items(n *Node, depth int) error {
	for p.dec.PeekKind() != ']' {
		p.steps = append(p.steps, step{index: len(n.Items), indexed: true})
		v, err := p.value(depth)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, v)
		p.steps = p.steps[:len(p.steps)-1]
	}
	_, err := p.dec.ReadToken()
	return err
}

// documents parses the elements of the outermost array of a stream, each as a document.
func (p *parser) documents(n *Node) error {
	p.stream = false
	for p.dec.PeekKind() != ']' {
		v, err := p.document()
		if err != nil {
			return err
		}
		n.Items = append(n.Items, v)
	}
	p.stream = true
	_, err := p.dec.ReadToken()
	return err
}

// next returns the position of the next token. Only white space, a comma, or a colon can
// precede this token.
func (p *parser) next() Pos {
	i := int(p.dec.InputOffset())
	for i < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[i]) >= 0 {
		i++
	}
	return p.position(i)
}

// position converts a byte offset to a line and a column. Offsets must not decrease from
// call to call; position therefore scans the text only once. Trusted values have no
// position, because people do not read their source text.
func (p *parser) position(offset int) Pos {
	if p.trusted {
		return Pos{}
	}
	if offset = min(offset, len(p.data)); p.at >= offset {
		return p.pos
	}
	p.pos = p.pos.After(p.data[p.at:offset])
	p.at = offset
	return p.pos
}

// After returns the position at the end of a text that begins at p.
func (p Pos) After(passed []byte) Pos {
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		p = Pos{Line: p.Line + bytes.Count(passed, []byte{'\n'}), Column: 1}
		passed = passed[i+1:]
	}
	p.Column += utf8.RuneCount(passed)
	return p
}

// Locate sets the missing positions of ps from doc, the document to which the problems
// refer. If doc has no value at a path, Locate uses the position of the nearest parent. It
// returns ps.
func (ps Problems) Locate(doc *Node) Problems {
	if doc == nil {
		return ps
	}
	for i := range ps {
		if ps[i].Pos == (Pos{}) {
			around, _, _ := doc.Lead(ps[i].Path)
			ps[i].Pos = around.Pos
		}
	}
	return ps
}

// Lead follows path from n as far as possible. The result value is the last value that it
// reached. The result key is the member that contains this value, or nil if the value is n
// itself or an element of an array. The result complete reports whether Lead reached the
// end of path.
func (n *Node) Lead(path string) (value *Node, key *Member, complete bool) {
	rest := trimRoot(path)
	value = n
	for value != nil && rest != "" {
		s, after, ok := cutStep(rest, len(rest) == len(path))
		if !ok {
			return value, key, false
		}
		next := s.apply(value)
		if next == nil {
			return value, key, false
		}
		key = nil
		for i := range value.Members {
			if value.Members[i].Value == next {
				key = &value.Members[i]
			}
		}
		value, rest = next, after
	}
	return value, key, true
}

// Enclosing returns the innermost object on path. This can be the value at path itself. If
// no value on the path is an object, Enclosing returns n.
func (n *Node) Enclosing(path string) *Node {
	rest, around := trimRoot(path), n
	for at := n; rest != ""; {
		s, after, ok := cutStep(rest, len(rest) == len(path))
		if !ok {
			return around
		}
		if at = s.apply(at); at == nil {
			return around
		}
		if at.Kind == Object {
			around = at
		}
		rest = after
	}
	return around
}
