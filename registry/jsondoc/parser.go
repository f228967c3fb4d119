package jsondoc

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

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
	for p.at < min(offset, len(p.data)) {
		if p.data[p.at] == '\n' {
			p.pos = Pos{Line: p.pos.Line + 1, Column: 1}
			p.at++
			continue
		}
		size := 1
		if p.data[p.at] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(p.data[p.at:])
		}
		p.at += size
		p.pos.Column++
	}
	return p.pos
}
