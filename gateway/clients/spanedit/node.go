// Package spanedit edits parts of a JSON, TOML, or YAML file without changing any other byte. Parse converts a file to
// a tree of nodes with positions. The methods of Document return edits, which Splice applies.
//
// JSON with comments is parsed by tailscale/hujson. TOML is parsed by the unstable package of pelletier/go-toml,
// because its nodes contain byte ranges, which BurntSushi/toml does not provide. YAML is parsed by go.yaml.in/yaml; its
// nodes contain a line and a column. These libraries are not used for writing, because they would reformat the whole
// file.
package spanedit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/lists"
)

// Limits of a file.
const (
	maxDepth = 100
	maxNodes = 500_000
	// maxBrackets is the maximum number of brackets. Some parsers run before maxDepth is checked. Because the nesting
	// cannot exceed the number of brackets, maxBrackets limits the recursion of these parsers.
	maxBrackets = 100_000
)

// Kind is the kind of a value.
type Kind uint8

// The kinds.
const (
	Object Kind = iota
	List
	Text
	Bool
	Other // a number, a date, null, or another scalar
)

// Span is a range of bytes in a file.
type Span struct{ From, To int }

// Node is a value in a file, independent of the format.
type Node struct {
	Kind   Kind
	Text   string // decoded content of a Text; encoded form of a Bool or an Other
	Fields []Field
	Items  []*Node
	Span   Span // zero for an object or a list without brackets
	Fixed  bool // not editable, because it uses a YAML anchor, alias, tag, or merge key
}

// Field is a member of an object.
type Field struct {
	Name  string
	Keys  []Span // positions of the name; TOML can repeat a name
	Value *Node
}

// Get tries the given names in order and returns the value of the first field that exists, or nil. If the name of this
// field occurs several times, the last occurrence applies, as in the parsers of the clients. A nil node has no fields.
func (n *Node) Get(names ...string) *Node {
	if fd := n.Field(names...); fd != nil {
		return fd.Value
	}
	return nil
}

// Field tries the given names in order and returns the first field that exists, or nil. The last occurrence of a name
// applies.
func (n *Node) Field(names ...string) *Field {
	if n == nil {
		return nil
	}
	for _, name := range names {
		for i := len(n.Fields) - 1; i >= 0; i-- {
			if n.Fields[i].Name == name {
				return &n.Fields[i]
			}
		}
	}
	return nil
}

// Count returns the number of fields with the given name.
func (n *Node) Count(name string) int {
	return len(lists.Filter(n.Fields, func(f Field) bool { return f.Name == name }))
}

// Duplicate returns a name that occurs in several fields, or "" if all names differ.
func (n *Node) Duplicate() string {
	for _, f := range n.Fields {
		if n.Count(f.Name) > 1 {
			return f.Name
		}
	}
	return ""
}

// Str returns the content of a Text, or "" for another kind of node.
func (n *Node) Str() string {
	if n == nil || n.Kind != Text {
		return ""
	}
	return n.Text
}

// Strs returns the texts of a list's scalars, or nil for another kind of node.
func (n *Node) Strs() []string {
	if n == nil {
		return nil
	}
	return lists.Map(n.Items, func(item *Node) string { return item.Text })
}

// Is reports whether the node is a boolean with the given value, "true" or "false".
func (n *Node) Is(value string) bool { return n != nil && n.Kind == Bool && n.Text == value }

// Replace returns the edit that replaces the node by encoded text.
func (n *Node) Replace(written string) Edit { return Edit{n.Span, written} }

// Walk calls visit for the node and all nodes below it, parents first.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, f := range n.Fields {
		f.Value.Walk(visit)
	}
	for _, item := range n.Items {
		item.Walk(visit)
	}
}

// Canonical returns a text form that is equal for equal values, with a placeholder for each node in masked.
func (n *Node) Canonical(masked map[*Node]bool) string {
	var b strings.Builder
	n.write(&b, masked)
	return b.String()
}

func (n *Node) write(b *strings.Builder, without map[*Node]bool) {
	if without[n] {
		b.WriteString("…")
		return
	}
	fmt.Fprintf(b, "%d%q", n.Kind, n.Text)
	for _, f := range n.Fields {
		fmt.Fprintf(b, "{%q", f.Name)
		f.Value.write(b, without)
	}
	for _, item := range n.Items {
		b.WriteByte('[')
		item.write(b, without)
	}
	b.WriteByte(']')
}

// Problem is a problem with a file, and its position.
type Problem struct {
	Path         string
	Line, Column int // counted from 1, in characters; 0 if the problem concerns the whole file
	Text         string
}

// Error returns the position and the text of the problem in the format of compiler messages.
func (p Problem) Error() string {
	at := p.Path
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			at += fmt.Sprintf(":%d", n)
		}
	}
	return at + ": " + p.Text
}

// place returns the line and the column of the byte at offset.
func place(data []byte, offset int) (line, column int) {
	offset = min(offset, len(data))
	begin := bytes.LastIndexByte(data[:offset], '\n') + 1
	return bytes.Count(data[:begin], []byte{'\n'}) + 1, utf8.RuneCount(data[begin:offset]) + 1
}

// ProblemAt returns a Problem for the byte at offset, without a path.
func ProblemAt(data []byte, offset int, format string, args ...any) Problem {
	line, column := place(data, offset)
	return Problem{Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
}
