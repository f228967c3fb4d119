package clients

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// expression is a line, or several, of a TOML file: a table's header or a key
// with its value.
type expression struct {
	path   []string // from the root
	span   span
	header bool
}

// tomlTree collects a TOML file into one tree, however its tables are split.
type tomlTree struct {
	parser unstable.Parser
	data   []byte
	root   *node
	all    []expression
	nodes  int
}

// parseTOML reads TOML. The decoder checks what the AST alone does not, such as
// a table that is defined twice.
func parseTOML(data []byte) (*node, []expression, error) {
	var checked map[string]any
	if err := toml.Unmarshal(data, &checked); err != nil {
		p := Problem{Text: strings.TrimPrefix(err.Error(), "toml: ")}
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			p.Line, p.Column = at.Position()
		}
		return nil, nil, p
	}
	t := tomlTree{data: data, root: &node{}}
	t.parser.Reset(data)
	table, prefix := t.root, []string(nil)
	for t.parser.NextExpression() {
		e := t.parser.Expression()
		keys, at := t.keys(e)
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			prefix = keys
			table = t.root.descend(keys, e.Kind == unstable.ArrayTable)
			begin := bytes.LastIndexByte(data[:at.from], '\n') + 1
			t.all = append(t.all, expression{keys, span{begin, lineEnd(data, at.to)}, true})
		case unstable.KeyValue:
			if err := t.put(table, e, 0); err != nil {
				return nil, nil, err
			}
			to := int(e.Raw.Offset + e.Raw.Length)
			t.all = append(t.all, expression{slices.Concat(prefix, keys), span{int(e.Raw.Offset), lineEnd(data, to)}, false})
		default: // comments are not asked for
		}
	}
	return t.root, t.all, t.parser.Error()
}

// lineEnd returns where the line ends that an offset is on, in front of its
// line break.
func lineEnd(data []byte, at int) int {
	if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
		return at + len(bytes.TrimSuffix(data[at:at+n], []byte{'\r'}))
	}
	return len(data)
}

func (t *tomlTree) keys(n *unstable.Node) ([]string, span) {
	var keys []string
	at := span{-1, 0}
	for it := n.Key(); it.Next(); {
		raw := it.Node().Raw
		if at.from < 0 {
			at.from = int(raw.Offset)
		}
		at.to = int(raw.Offset + raw.Length)
		keys = append(keys, string(it.Node().Data))
	}
	return keys, at
}

// descend returns the object at the end of a path of keys, and creates missing
// ones. In a list of tables it is the last one; grow adds one.
func (n *node) descend(keys []string, grow bool) *node {
	for i, key := range keys {
		child := n.get(key)
		if child == nil {
			child = &node{}
			if grow && i == len(keys)-1 {
				child.kind = list
			}
			n.fields = append(n.fields, field{name: key, value: child})
		}
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
	keys, at := t.keys(e)
	value, err := t.value(e.Value(), depth+1)
	if err != nil {
		return err
	}
	parent := table.descend(keys[:len(keys)-1], false)
	parent.fields = append(parent.fields, field{keys[len(keys)-1], at, value})
	return nil
}

func (t *tomlTree) value(v *unstable.Node, depth int) (*node, error) {
	n := &node{span: span{int(v.Raw.Offset), int(v.Raw.Offset + v.Raw.Length)}}
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

// tomlRegions returns the byte ranges that define the value at a path: the tables with
// their keys, and keys in other tables. A blank gap between two regions is part
// of the second one.
func tomlRegions(data []byte, all []expression, path []string) []span {
	var found []span
	inside := false
	for _, e := range all {
		within := len(e.path) >= len(path) && slices.Equal(e.path[:len(path)], path)
		switch {
		case e.header && within, !e.header && within && !inside:
			found = append(found, e.span)
		case inside && !e.header:
			found[len(found)-1].to = e.span.to
		}
		if e.header {
			inside = within
		}
	}
	for i := 1; i < len(found); i++ {
		if len(bytes.TrimSpace(data[found[i-1].to:found[i].from])) == 0 {
			found[i].from = found[i-1].to
		}
	}
	return found
}

// renderTOML returns a table with one entry, or one line where the servers
// stand above the first table: a header there would take in the keys below it.
func renderTOML(header bool, path []string, e Entry, members []member) string {
	path = append(slices.Clone(path), e.Name)
	lines := make([]string, len(members))
	for i, m := range members {
		lines[i] = m.name + " = " + quote(m.value) // strings and lists of JSON are those of TOML
	}
	if !header {
		return tomlKey(path) + " = { " + strings.Join(lines, ", ") + " }"
	}
	return "[" + tomlKey(path) + "]\n" + strings.Join(lines, "\n")
}

func tomlKey(path []string) string {
	keys := make([]string, len(path))
	for i, key := range path {
		keys[i] = key
		if key == "" || strings.Trim(strings.ToLower(key), "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			keys[i] = quote(key)
		}
	}
	return strings.Join(keys, ".")
}
