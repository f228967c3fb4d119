// This file parses YAML, TOML, and JSON.

package spanedit

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

	"toolcrib/internal/lazyregexp"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/registry/spans"
)

// parseYAML parses a file with a single YAML document. An aliased value counts against the limits at each use of the
// alias. Aliased values and objects with a merge key are Fixed.
func parseYAML(data []byte) (*Node, error) {
	t := yamlTree{data: data, lines: []int{0}}
	if bytes.HasPrefix(data, BOM) {
		t.lines[0] = len(BOM)
	}
	text := withoutDirectives(data[t.lines[0]:])
	var first, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	switch err := dec.Decode(&first); {
	case errors.Is(err, io.EOF):
		return &Node{}, nil
	case err != nil:
		at, message := mdfile.YAMLError(string(text), err)
		return nil, Problem{Line: at.Line, Column: at.Column, Text: message}
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

// directive matches a YAML directive that parsers must accept but the library rejects: a version such as 1.2, or an
// unknown directive.
var directive = lazyregexp.New(`^%(YAML[ \t]+1\.|[^YT \t]|Y[^A]|YA[^M]|YAM[^L]|YAML[^ \t]|T[^A]|TA[^G]|TAG[^ \t])`)

// withoutDirectives returns a copy of text in which each directive that the library rejects is replaced by a comment of
// the same length.
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

type yamlTree struct {
	data  []byte
	file  *spans.File
	lines []int // offset at which each line begins
	nodes int
}

// offset converts a line and a column, both counted from 1, to a byte offset.
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

// scalar returns the position of a scalar, including its quotes.
func (t *yamlTree) scalar(v *yaml.Node) Span {
	at := Span{From: t.offset(v.Line, v.Column)}
	at.To = at.From
	if s, ok := t.file.Value(jsondoc.Pos{Line: v.Line, Column: v.Column}, v.Value, 0, len(v.Value)); ok {
		at.From, at.To = min(at.From, t.offset(s.From.Line, s.From.Column)), t.offset(s.To.Line, s.To.Column)
	}
	if v.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && at.To < len(t.data) {
		at.To++ // the closing quote
	}
	return at
}

func (t *yamlTree) node(v *yaml.Node, depth int) (*Node, error) {
	n := &Node{Fixed: v.Anchor != "" || v.Style&yaml.TaggedStyle != 0}
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		return nil, Problem{Line: v.Line, Column: v.Column, Text: fmt.Sprintf("more than %d values, or nested deeper than %d levels", maxNodes, maxDepth)}
	}
	switch v.Kind {
	case yaml.AliasNode:
		aliased, err := t.node(v.Alias, depth+1)
		if err == nil {
			aliased.Walk(func(n *Node) { n.Fixed = true })
		}
		return aliased, err
	case yaml.MappingNode:
		for i := 0; i+1 < len(v.Content); i += 2 {
			key := v.Content[i]
			child, err := t.node(v.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			n.Fixed = n.Fixed || key.ShortTag() == "!!merge"
			n.Fields = append(n.Fields, Field{key.Value, []Span{t.scalar(key)}, child})
		}
	case yaml.SequenceNode:
		n.Kind = List
		for _, item := range v.Content {
			child, err := t.node(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, child)
		}
	default:
		n.Kind, n.Text, n.Span = Other, v.Value, t.scalar(v)
		switch v.ShortTag() {
		case "!!str":
			n.Kind = Text
		case "!!bool":
			n.Kind, n.Text = Bool, strings.ToLower(v.Value)
		}
		return n, nil
	}
	if v.Style&yaml.FlowStyle != 0 && !n.Fixed {
		n.Span = t.brackets(v, n)
	}
	return n, nil
}

// brackets returns the position of v, a list or an object with brackets. n is the parsed form of v.
func (t *yamlTree) brackets(v *yaml.Node, n *Node) Span {
	at := Span{From: t.offset(v.Line, v.Column)}
	at.To = at.From + 1
	n.Walk(func(below *Node) {
		at.To = max(at.To, below.Span.To)
		for _, fd := range below.Fields {
			at.To = max(at.To, fd.Keys[0].To)
		}
	})
	for at.To < len(t.data) {
		switch c := t.data[at.To]; c {
		case '#':
			at.To = lineEnd(t.data, at.To)
		case ']', '}':
			at.To++
			return at
		default:
			at.To++
		}
	}
	return at
}

// tomlTree builds a tree from a TOML file. It combines tables that the file defines in several parts.
type tomlTree struct {
	parser unstable.Parser
	data   []byte
	skip   int // length of the byte order mark
	root   *Node
	nodes  int
}

// parseTOML parses TOML. It also runs the decoder of the library, which detects errors that the syntax tree does not
// reveal, such as a table that is defined twice.
func parseTOML(data []byte) (*Node, error) {
	t := tomlTree{data: data, root: &Node{}}
	if bytes.HasPrefix(data, BOM) {
		t.skip = len(BOM)
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
		default: // the parser does not return comments by default
		}
	}
	return t.root, t.parser.Error()
}

// key is a segment of a dotted key, and its position.
type key struct {
	name string
	span Span
}

func (t *tomlTree) span(raw unstable.Range) Span {
	from := t.skip + int(raw.Offset)
	return Span{from, from + int(raw.Length)}
}

func (t *tomlTree) keys(n *unstable.Node) []key {
	var keys []key
	for it := n.Key(); it.Next(); {
		keys = append(keys, key{string(it.Node().Data), t.span(it.Node().Raw)})
	}
	return keys
}

// descend returns the object at the end of the path keys below n. It creates missing objects. In an array of tables, it
// selects the last table. If grow is set, it appends a table to the array at the end of the path.
func (n *Node) descend(keys []key, grow bool) *Node {
	for i, k := range keys {
		fd := n.Field(k.name)
		if fd == nil {
			child := &Node{}
			if grow && i == len(keys)-1 {
				child.Kind = List
			}
			n.Fields = append(n.Fields, Field{Name: k.name, Value: child})
			fd = &n.Fields[len(n.Fields)-1]
		}
		fd.Keys = append(fd.Keys, k.span)
		child := fd.Value
		if child.Kind == List {
			if len(child.Items) == 0 || grow && i == len(keys)-1 {
				child.Items = append(child.Items, &Node{})
			}
			child = child.Items[len(child.Items)-1]
		}
		n = child
	}
	return n
}

// put adds the key and the value of the expression e to table.
func (t *tomlTree) put(table *Node, e *unstable.Node, depth int) error {
	keys := t.keys(e)
	value, err := t.value(e.Value(), depth+1)
	if err != nil {
		return err
	}
	last := keys[len(keys)-1]
	if value.Kind == Object || value.Kind == List { // the parser does not report the positions of tables and arrays
		rest := t.data[last.span.To:]
		value.Span = Span{len(t.data) - len(bytes.TrimLeft(rest, " \t=")), t.span(e.Raw).To}
	}
	parent := table.descend(keys[:len(keys)-1], false)
	parent.Fields = append(parent.Fields, Field{last.name, []Span{last.span}, value})
	return nil
}

func (t *tomlTree) value(v *unstable.Node, depth int) (*Node, error) {
	n := &Node{Span: t.span(v.Raw)}
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		return nil, ProblemAt(t.data, n.Span.From, "more than %d values, or nested deeper than %d levels", maxNodes, maxDepth)
	}
	switch v.Kind {
	case unstable.String:
		n.Kind, n.Text = Text, string(v.Data)
	case unstable.Bool:
		n.Kind, n.Text = Bool, string(v.Data)
	case unstable.Array:
		n.Kind = List
		for it := v.Children(); it.Next(); {
			item, err := t.value(it.Node(), depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, item)
		}
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			if err := t.put(n, it.Node(), depth); err != nil {
				return nil, err
			}
		}
	default:
		n.Kind, n.Text = Other, string(v.Data)
	}
	return n, nil
}

// BOM is the byte order mark that some editors on Windows insert at the beginning of a file.
var BOM = []byte("\uFEFF")

// parseJSON parses JSON that may contain comments and trailing commas.
func parseJSON(data []byte) (*Node, error) {
	skip := 0
	if bytes.HasPrefix(data, BOM) {
		skip = len(BOM)
	}
	if bytes.Count(data, []byte{'['})+bytes.Count(data, []byte{'{'}) > maxBrackets {
		return nil, Problem{Text: fmt.Sprintf("more than %d lists and objects", maxBrackets)}
	}
	// hujson requires a line break after a final comment.
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

func (b *jsonTree) span(v *hujson.Value) Span {
	return Span{v.StartOffset + b.skip, v.EndOffset + b.skip}
}

func (b *jsonTree) node(v *hujson.Value, depth int) (*Node, error) {
	n := &Node{Span: b.span(v)}
	if b.nodes++; b.nodes > maxNodes {
		return nil, ProblemAt(b.data, n.Span.From, "more than %d values", maxNodes)
	}
	if depth > maxDepth {
		return nil, ProblemAt(b.data, n.Span.From, "nested deeper than %d levels", maxDepth)
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
			n.Fields = append(n.Fields, Field{name.String(), []Span{b.span(&m.Name)}, child})
		}
	case *hujson.Array:
		n.Kind = List
		for i := range value.Elements {
			child, err := b.node(&value.Elements[i], depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, child)
		}
	case hujson.Literal:
		switch value.Kind() {
		case '"':
			n.Kind, n.Text = Text, value.String()
		case 't', 'f':
			n.Kind, n.Text = Bool, string(value)
		default:
			n.Kind, n.Text = Other, string(value)
		}
	}
	return n, nil
}

// Quote encodes s as JSON that is also valid TOML and YAML. For these formats, it escapes DEL. It does not escape
// characters for HTML.
func Quote(s string) string {
	written, err := jsondoc.Encode(s)
	if err != nil {
		return `""` // cannot happen, because every string can be encoded
	}
	return strings.ReplaceAll(strings.TrimSuffix(string(written), "\n"), "\x7f", `\u007f`)
}
