package clients

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"toolcrib/registry/jsondoc"
)

// mark is the byte order mark, which editors on Windows put in front of a file.
var mark = []byte("\uFEFF")

// parseJSON reads JSON with comments and trailing commas.
func parseJSON(data []byte) (*node, error) {
	skip := 0
	if bytes.HasPrefix(data, mark) {
		skip = len(mark)
	}
	if bytes.Count(data, []byte{'['})+bytes.Count(data, []byte{'{'}) > maxBrackets {
		return nil, Problem{Text: fmt.Sprintf("more than %d lists and objects", maxBrackets)}
	}
	// hujson wants a line break behind a comment at the end.
	value, err := hujson.Parse(append(slices.Clone(data[skip:]), '\n'))
	if err != nil {
		var line, column int
		message := err.Error()
		if n, _ := fmt.Sscanf(message, "hujson: line %d, column %d:", &line, &column); n == 2 {
			_, message, _ = strings.Cut(message, ": ")
			_, message, _ = strings.Cut(message, ": ")
		}
		if endLine, endColumn := place(data, len(data)); line > endLine {
			line, column = endLine, endColumn
		}
		return nil, Problem{Line: line, Column: column, Text: message}
	}
	b := jsonTree{data: data, skip: skip}
	return b.node(&value, 0)
}

type jsonTree struct {
	data  []byte
	skip  int
	nodes int
}

func (b *jsonTree) span(v *hujson.Value) span {
	return span{v.StartOffset + b.skip, v.EndOffset + b.skip}
}

func (b *jsonTree) node(v *hujson.Value, depth int) (*node, error) {
	n := &node{span: b.span(v)}
	if b.nodes++; b.nodes > maxNodes {
		return nil, problemAt(b.data, n.span.from, "more than %d values", maxNodes)
	}
	if depth > maxDepth {
		return nil, problemAt(b.data, n.span.from, "nested deeper than %d levels", maxDepth)
	}
	switch value := v.Value.(type) {
	case *hujson.Object:
		for i := range value.Members {
			m := &value.Members[i]
			child, err := b.node(&m.Value, depth+1)
			if err != nil {
				return nil, err
			}
			name, _ := m.Name.Value.(hujson.Literal)
			n.fields = append(n.fields, field{name.String(), []span{b.span(&m.Name)}, child})
		}
	case *hujson.Array:
		n.kind = list
		for i := range value.Elements {
			child, err := b.node(&value.Elements[i], depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, child)
		}
	case hujson.Literal:
		switch value.Kind() {
		case '"':
			n.kind, n.text = text, value.String()
		case 't', 'f':
			n.kind, n.text = truth, string(value)
		default:
			n.kind, n.text = other, string(value)
		}
	}
	return n, nil
}

// quote returns a text as JSON, without escaping for HTML. It is valid TOML and
// YAML too, neither of which takes a raw DEL.
func quote(s string) string {
	written, err := jsondoc.Encode(s)
	if err != nil {
		return `""` // a text always encodes
	}
	return strings.ReplaceAll(strings.TrimSuffix(string(written), "\n"), "\x7f", `\u007f`)
}
