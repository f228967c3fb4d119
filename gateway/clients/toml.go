package clients

import (
	"bytes"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlTree collects a TOML file into one tree, however its tables are split.
type tomlTree struct {
	parser unstable.Parser
	data   []byte
	skip   int // a byte order mark
	root   *node
	nodes  int
}

// parseTOML reads TOML. The decoder checks what the AST alone does not, such as
// a table that is defined twice.
func parseTOML(data []byte) (*node, error) {
	t := tomlTree{data: data, root: &node{}}
	if bytes.HasPrefix(data, mark) {
		t.skip = len(mark)
	}
	var checked map[string]any
	if err := toml.Unmarshal(data[t.skip:], &checked); err != nil {
		p := Problem{Text: strings.TrimPrefix(err.Error(), "toml: ")}
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			p.Line, p.Column = at.Position()
		}
		return nil, p
	}
	t.parser.Reset(data[t.skip:])
	table := t.root
	for t.parser.NextExpression() {
		e := t.parser.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = t.root.descend(t.keys(e), e.Kind == unstable.ArrayTable)
		case unstable.KeyValue:
			if err := t.put(table, e, 0); err != nil {
				return nil, err
			}
		default: // comments are not asked for
		}
	}
	return t.root, t.parser.Error()
}

// key is a segment of a key, with its place.
type key struct {
	name string
	span span
}

func (t *tomlTree) span(raw unstable.Range) span {
	from := t.skip + int(raw.Offset)
	return span{from, from + int(raw.Length)}
}

func (t *tomlTree) keys(n *unstable.Node) []key {
	var keys []key
	for it := n.Key(); it.Next(); {
		keys = append(keys, key{string(it.Node().Data), t.span(it.Node().Raw)})
	}
	return keys
}

// descend returns the object at the end of a path of keys, and creates missing
// ones. In a list of tables it is the last one; grow adds one.
func (n *node) descend(keys []key, grow bool) *node {
	for i, k := range keys {
		fd := n.field(k.name)
		if fd == nil {
			child := &node{}
			if grow && i == len(keys)-1 {
				child.kind = list
			}
			n.fields = append(n.fields, field{name: k.name, value: child})
			fd = &n.fields[len(n.fields)-1]
		}
		fd.keys = append(fd.keys, k.span)
		child := fd.value
		if child.kind == list {
			if len(child.items) == 0 || grow && i == len(keys)-1 {
				child.items = append(child.items, &node{})
			}
			child = child.items[len(child.items)-1]
		}
		n = child
	}
	return n
}

// put adds the value of a key to a table.
func (t *tomlTree) put(table *node, e *unstable.Node, depth int) error {
	keys := t.keys(e)
	value, err := t.value(e.Value(), depth+1)
	if err != nil {
		return err
	}
	last := keys[len(keys)-1]
	if value.kind == object || value.kind == list { // the parser does not tell where these end
		rest := t.data[last.span.to:]
		value.span = span{len(t.data) - len(bytes.TrimLeft(rest, " \t=")), t.span(e.Raw).to}
	}
	parent := table.descend(keys[:len(keys)-1], false)
	parent.fields = append(parent.fields, field{last.name, []span{last.span}, value})
	return nil
}

func (t *tomlTree) value(v *unstable.Node, depth int) (*node, error) {
	n := &node{span: t.span(v.Raw)}
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		return nil, problemAt(t.data, n.span.from, "more than %d values, or nested deeper than %d levels", maxNodes, maxDepth)
	}
	switch v.Kind {
	case unstable.String:
		n.kind, n.text = text, string(v.Data)
	case unstable.Bool:
		n.kind, n.text = truth, string(v.Data)
	case unstable.Array:
		n.kind = list
		for it := v.Children(); it.Next(); {
			item, err := t.value(it.Node(), depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			if err := t.put(n, it.Node(), depth); err != nil {
				return nil, err
			}
		}
	default:
		n.kind, n.text = other, string(v.Data)
	}
	return n, nil
}
