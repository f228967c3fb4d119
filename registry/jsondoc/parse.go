package jsondoc

import (
	"errors"
	"io"
)

// Limits bound what Parse takes in. Bytes counts bytes of source text; Depth
// counts nested lists and objects.
type Limits struct {
	Bytes int
	Depth int
}

// DefaultLimits fit every document toolcrib reads: 8 MiB, 128 levels.
var DefaultLimits = Limits{Bytes: 8 << 20, Depth: 128}

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
