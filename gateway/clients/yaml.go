package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/registry/spans"
)

// parseYAML reads a file of one YAML document. An alias counts as often as it is
// used; what it stands for is not edited, nor is an object with a merge key.
func parseYAML(data []byte) (*node, error) {
	t := yamlTree{data: data, lines: []int{0}}
	if bytes.HasPrefix(data, mark) {
		t.lines[0] = len(mark)
	}
	text := withoutDirectives(data[t.lines[0]:])
	var first, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	switch err := dec.Decode(&first); {
	case errors.Is(err, io.EOF):
		return &node{}, nil
	case err != nil:
		return nil, yamlProblem(text, err)
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, Problem{Text: "more than one YAML document"}
	}
	t.file = spans.New(text)
	for at, c := range data {
		if c == '\n' {
			t.lines = append(t.lines, at+1)
		}
	}
	return t.node(first.Content[0], 0)
}

// directive matches a line before the document that the library refuses: YAML 1.2, and
// names that a reader is to ignore.
var directive = lazily(`^%(YAML[ \t]+1\.|[^YT \t]|Y[^A]|YA[^M]|YAM[^L]|YAML[^ \t]|T[^A]|TA[^G]|TAG[^ \t])`)

// withoutDirectives makes comments of such lines, of the same length.
func withoutDirectives(text []byte) []byte {
	text = bytes.Clone(text)
	for at := 0; at < len(text); at = lineEnd(text, at) + 1 {
		switch line := text[at:lineEnd(text, at)]; {
		case directive().Match(line):
			text[at] = '#'
		case len(bytes.TrimSpace(line)) > 0 && line[0] != '#' && line[0] != '%':
			return text
		}
	}
	return text
}

func yamlProblem(text []byte, err error) Problem {
	at, message := mdfile.YAMLError(string(text), err)
	return Problem{Line: at.Line, Column: at.Column, Text: message}
}

type yamlTree struct {
	data  []byte
	file  *spans.File
	lines []int // where each begins
	nodes int
}

// offset returns the byte offset of the place of a node.
func (t *yamlTree) offset(line, column int) int {
	if line < 1 || line > len(t.lines) {
		return len(t.data)
	}
	at := t.lines[line-1]
	for range column - 1 {
		_, size := utf8.DecodeRune(t.data[at:])
		at += size
	}
	return min(at, len(t.data))
}

// scalar returns where a scalar is written.
func (t *yamlTree) scalar(v *yaml.Node) span {
	at := span{from: t.offset(v.Line, v.Column)}
	at.to = at.from
	if s, ok := t.file.Value(jsondoc.Pos{Line: v.Line, Column: v.Column}, v.Value, 0, len(v.Value)); ok {
		at.from, at.to = min(at.from, t.offset(s.From.Line, s.From.Column)), t.offset(s.To.Line, s.To.Column)
	}
	if v.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && at.to < len(t.data) {
		at.to++ // the quote
	}
	return at
}

func (t *yamlTree) node(v *yaml.Node, depth int) (*node, error) {
	n := &node{fixed: v.Anchor != "" || v.Style&yaml.TaggedStyle != 0}
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		return nil, Problem{Line: v.Line, Column: v.Column, Text: fmt.Sprintf("more than %d values, or nested deeper than %d levels", maxNodes, maxDepth)}
	}
	switch v.Kind {
	case yaml.AliasNode:
		aliased, err := t.node(v.Alias, depth+1)
		if err == nil {
			aliased.walk(func(n *node) { n.fixed = true })
		}
		return aliased, err
	case yaml.MappingNode:
		for i := 0; i+1 < len(v.Content); i += 2 {
			key := v.Content[i]
			child, err := t.node(v.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			n.fixed = n.fixed || key.ShortTag() == "!!merge"
			n.fields = append(n.fields, field{key.Value, []span{t.scalar(key)}, child})
		}
	case yaml.SequenceNode:
		n.kind = list
		for _, item := range v.Content {
			child, err := t.node(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, child)
		}
	default:
		n.kind, n.text, n.span = other, v.Value, t.scalar(v)
		switch v.ShortTag() {
		case "!!str":
			n.kind = text
		case "!!bool":
			n.kind, n.text = truth, strings.ToLower(v.Value)
		}
		return n, nil
	}
	if v.Style&yaml.FlowStyle != 0 && !n.fixed {
		n.span = t.brackets(v, n)
	}
	return n, nil
}

// brackets returns where a value in brackets is written.
func (t *yamlTree) brackets(v *yaml.Node, n *node) span {
	at := span{from: t.offset(v.Line, v.Column)}
	at.to = at.from + 1
	n.walk(func(below *node) {
		at.to = max(at.to, below.span.to)
		for _, fd := range below.fields {
			at.to = max(at.to, fd.keys[0].to)
		}
	})
	for at.to < len(t.data) {
		switch c := t.data[at.to]; c {
		case '#':
			at.to = lineEnd(t.data, at.to)
		case ']', '}':
			at.to++
			return at
		default:
			at.to++
		}
	}
	return at
}

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
