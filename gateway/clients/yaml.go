package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/spans"
)

// parseYAML reads a file of one YAML document. It refuses merge keys, on which
// parsers disagree; an alias counts as often as it is used.
func parseYAML(data []byte) (*node, error) {
	var first, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	switch err := dec.Decode(&first); {
	case errors.Is(err, io.EOF):
		return &node{}, nil
	case err != nil:
		return nil, yamlProblem(err)
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, Problem{Text: "more than one YAML document"}
	}
	t := yamlTree{data: data, file: spans.New(data), lines: []int{0}}
	for at, c := range data {
		if c == '\n' {
			t.lines = append(t.lines, at+1)
		}
	}
	return t.node(first.Content[0], 0)
}

var yamlLine = regexp.MustCompile(`line (\d+)`)

func yamlProblem(err error) Problem {
	p := Problem{Text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if found := yamlLine.FindStringSubmatch(p.Text); found != nil {
		p.Line, _ = strconv.Atoi(found[1])
	}
	return p
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
	n := &node{}
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		return nil, Problem{Line: v.Line, Column: v.Column, Text: fmt.Sprintf("more than %d values, or nested deeper than %d levels", maxNodes, maxDepth)}
	}
	switch v.Kind {
	case yaml.AliasNode:
		return t.node(v.Alias, depth+1)
	case yaml.MappingNode:
		for i := 0; i+1 < len(v.Content); i += 2 {
			key := v.Content[i]
			if key.ShortTag() == "!!merge" {
				return nil, Problem{Line: key.Line, Column: key.Column, Text: "a merge key (<<) is not supported"}
			}
			child, err := t.node(v.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			n.fields = append(n.fields, field{key.Value, t.scalar(key), child})
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
	}
	return n, nil
}

// yamlRegion returns the lines of a key of the root with its value, without
// the blank lines behind it and the comments there that begin a line, as they
// go with the next key. It reports false where the root is written in braces.
func yamlRegion(data []byte, root *node, key string) (span, bool) {
	at := span{-1, len(data)}
	for _, f := range root.fields {
		begin := bytes.LastIndexByte(data[:f.span.from], '\n') + 1
		switch {
		case f.name == key && len(bytes.TrimSpace(data[begin:f.span.from])) > 0:
			return span{}, false
		case f.name == key:
			at.from = begin
		case at.from >= 0:
			at.to = begin
		}
		if at.to < len(data) {
			break
		}
	}
	if at.from < 0 || at.to < at.from {
		return span{}, false
	}
	lines := bytes.SplitAfter(data[at.from:at.to], []byte{'\n'})
	for i := len(lines) - 1; i > 0; i-- {
		line := bytes.TrimRight(lines[i], " \t\r\n")
		if len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("...")) {
			break
		}
		at.to -= len(lines[i])
	}
	at.to -= len(data[at.from:at.to]) - len(bytes.TrimRight(data[at.from:at.to], "\r\n"))
	return at, true
}

// renderYAML returns the list of servers with one entry.
func renderYAML(key string, members []member) string {
	var b strings.Builder
	b.WriteString(key + ":")
	for i, m := range members {
		lead := "    "
		if i == 0 {
			lead = "  - "
		}
		fmt.Fprintf(&b, "\n%s%s: %s", lead, m.name, quote(m.value))
	}
	return b.String()
}

// renderYAMLMap returns the object of servers with one entry.
func renderYAMLMap(key, name string, members []member) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n  %s:", key, quote(name))
	for _, m := range members {
		fmt.Fprintf(&b, "\n    %s: %s", m.name, quote(m.value))
	}
	return b.String()
}
