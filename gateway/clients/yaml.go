package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

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
		return nil, yamlProblem(err)
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
var directive = regexp.MustCompile(`^%(YAML[ \t]+1\.|[^YT \t]|Y[^A]|T[^A])`)

// withoutDirectives makes comments of such lines, of the same length.
func withoutDirectives(text []byte) []byte {
	text = bytes.Clone(text)
	for at := 0; at < len(text); at = lineEnd(text, at) + 1 {
		switch line := text[at:lineEnd(text, at)]; {
		case directive.Match(line):
			text[at] = '#'
		case len(bytes.TrimSpace(line)) > 0 && line[0] != '#' && line[0] != '%':
			return text
		}
	}
	return text
}

func yamlProblem(err error) Problem {
	line, message := mdfile.YAMLError(err)
	return Problem{Line: line, Text: message}
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
