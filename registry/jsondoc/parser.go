package jsondoc

import (
	"bytes"
	"errors"
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

// DefaultLimits fit every document toolcrib reads, the largest skill included: 32 MiB, 128
// levels.
var DefaultLimits = Limits{Bytes: 32 << 20, Depth: 128}

// Limits that hold for every document, whatever its Limits.
const (
	maxValues   = 1 << 20 // a tree takes some 100 bytes a value
	maxStream   = 100_000 // documents
	maxTotal    = 4 << 20 // values of a stream
	maxKey      = 1_024   // characters; a path repeats every key on its way
	maxDigits   = 1_000
	maxExponent = 9_999
)

// Parse reads exactly one JSON value (RFC 8259). The error is a Problems with
// everything that is refused; reading ends at the first broken token. The node
// is nil when there are problems.
func Parse(data []byte, lim Limits) (*Node, error) {
	p := newParser(data, lim)
	if len(data) > lim.Bytes {
		p.problems.Add(Root, "the document has %d bytes; the limit is %d", len(data), lim.Bytes)
		return nil, p.problems
	}
	if p.refuseMark() {
		return nil, p.problems
	}
	return p.one()
}

// Members calls fn with the name and the text of each member of an object, without
// reading further than where each ends: for documents that were written by this program,
// which names no member twice.
// A text is valid until fn returns.
func Members(data []byte, fn func(name string, value []byte) error) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return errors.Join(err, errors.New("expected an object"))
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String() // the token ends with the next read
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := fn(key, value); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// one reads the only value.
func (p *parser) one() (*Node, error) {
	n, err := p.document()
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, p.broken(err)
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return n, nil
}

// ParseStream reads a stream of JSON values with white space between them
// (NDJSON, or objects simply following each other), or one array whose
// elements are taken as the stream. The limits hold for each value. Paths are
// relative to the value; positions are those in the whole text. The nodes are
// nil when there are problems.
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

// parser builds the tree from jsontext's tokens.
type parser struct {
	data     []byte
	lim      Limits
	dec      *jsontext.Decoder
	stream   bool // the elements of an outermost array are documents
	trusted  bool // the text comes from encoding/json
	problems Problems

	at  int // pos is the position of this offset: the next one costs only the distance
	pos Pos

	// way leads to the value that is being read. A path is made of it only for
	// a problem: made for every value, one long key around many values would
	// cost its length times their number.
	way    []step
	values int // in this document so far
	total  int // in all documents so far
	read   int // documents so far

	spare []Node // nodes that are made together, as one at a time costs more
}

// start is where every text begins.
var start = Pos{Line: 1, Column: 1}

func newParser(data []byte, lim Limits) *parser {
	return &parser{
		data: data,
		lim:  lim,
		dec:  jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true)),
		pos:  start,
	}
}

// document reads a value that the limits hold for.
func (p *parser) document() (*Node, error) {
	p.way, p.values = p.way[:0], 0
	pos := p.next()
	if p.read++; p.read > maxStream+1 { // an array around the others counts too
		return nil, errStream
	}
	from := p.at
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	outermost := p.stream && n.Kind == Array
	if size := int(p.dec.InputOffset()) - from; size > p.lim.Bytes && !outermost {
		p.refuse(pos, "the document has %d bytes; the limit is %d", size, p.lim.Bytes)
	}
	return n, nil
}

// value reads the next value, which stands inside depth others.
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
	n := p.node()
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

// node returns a new node, one of as many more as there are so far.
func (p *parser) node() *Node {
	const least, most = 4, 64
	if len(p.spare) == 0 {
		p.spare = make([]Node, min(max(p.total, least), most))
	}
	n := &p.spare[0]
	p.spare = p.spare[1:]
	return n
}

func (p *parser) members(n *Node, depth int) error {
	var seen keys
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
		p.way = append(p.way, step{key: key})
		p.refuseNUL(pos, key)
		p.refuseLongKey(pos, key)
		if seen.add(key, n) {
			p.refuse(pos, "duplicate key; keep one")
		}
		v, err := p.value(depth)
		if err != nil {
			return err
		}
		n.Members = append(n.Members, Member{Key: key, Pos: pos, Value: v})
		p.way = p.way[:len(p.way)-1]
	}
	_, err := p.dec.ReadToken()
	return err
}

// keys holds the keys of one object. Few are found in its members, many in a map.
type keys struct{ set map[string]bool }

// add reports whether key stands among the members of n already.
func (k *keys) add(key string, n *Node) bool {
	const few = 16
	if len(n.Members) < few {
		return n.Get(key) != nil
	}
	if k.set == nil {
		k.set = make(map[string]bool, 2*few)
		for _, m := range n.Members {
			k.set[m.Key] = true
		}
	}
	again := k.set[key]
	k.set[key] = true
	return again
}

func (p *parser) items(n *Node, depth int) error {
	for p.dec.PeekKind() != ']' {
		p.way = append(p.way, step{index: len(n.Items), indexed: true})
		v, err := p.value(depth)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, v)
		p.way = p.way[:len(p.way)-1]
	}
	_, err := p.dec.ReadToken()
	return err
}

// documents reads the elements of a stream's outermost array.
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

// next returns the position of the next token: only white space, a comma or a
// colon can precede it.
func (p *parser) next() Pos {
	i := int(p.dec.InputOffset())
	for i < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[i]) >= 0 {
		i++
	}
	return p.position(i)
}

// position turns a byte offset into line and column. Offsets grow from call
// to call, so the whole document is walked once. What does not come from a text
// has no positions.
func (p *parser) position(offset int) Pos {
	if p.trusted {
		return Pos{}
	}
	if offset = min(offset, len(p.data)); p.at >= offset {
		return p.pos
	}
	passed := p.data[p.at:offset]
	p.at = offset
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		p.pos = Pos{Line: p.pos.Line + bytes.Count(passed, []byte{'\n'}), Column: 1}
		passed = passed[i+1:]
	}
	p.pos.Column += utf8.RuneCount(passed)
	return p.pos
}

// Locate fills in the positions that are not known yet from the document that
// the problems are about. A path that the document lacks takes the position of
// the nearest value around it.
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

// Lead follows a path as far as it leads and returns the value reached, with its
// key; key is nil for the document itself and for the elements of a list. whole
// reports that the path led all the way.
func (n *Node) Lead(path string) (at *Node, key *Member, whole bool) {
	rest := trimRoot(path)
	at = n
	for at != nil && rest != "" {
		s, after, ok := cutStep(rest, len(rest) == len(path))
		if !ok {
			return at, key, false
		}
		next := s.from(at)
		if next == nil {
			return at, key, false
		}
		key = nil
		for i := range at.Members {
			if at.Members[i].Value == next {
				key = &at.Members[i]
			}
		}
		at, rest = next, after
	}
	return at, key, true
}

// Enclosing returns the innermost object that path leads into, which is the value at
// path when that is an object, and the document itself when there is none.
func (n *Node) Enclosing(path string) *Node {
	rest, around := trimRoot(path), n
	for at := n; rest != ""; {
		s, after, ok := cutStep(rest, len(rest) == len(path))
		if !ok {
			return around
		}
		if at = s.from(at); at == nil {
			return around
		}
		if at.Kind == Object {
			around = at
		}
		rest = after
	}
	return around
}
