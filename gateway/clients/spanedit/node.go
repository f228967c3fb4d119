// Package spanedit edits parts of a JSON, TOML, or YAML file and leaves every other byte unchanged. Parse reads a
// file into nodes that contain their position. The methods of Document return edits, which Splice applies. JSON with
// comments is parsed by tailscale/hujson. TOML is parsed by the AST of pelletier/go-toml, because its nodes contain
// byte ranges (BurntSushi/toml has none). YAML is parsed by go.yaml.in/yaml, whose nodes contain a line and a column.
// No library writes the file, because all of them would reformat the rest of it.
package spanedit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/lists"
)

// Limits on a file.
const (
	maxDepth = 100
	maxNodes = 500_000
	// maxBrackets limits the nesting in a recursive parser before maxDepth is checked. Nesting cannot exceed the
	// number of brackets.
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
	Other // a number, a date, or null
)

// Span is a range of bytes in a file.
type Span struct{ From, To int }

// Node is a value in a file. It is the same for all formats.
type Node struct {
	Kind   Kind
	Text   string // content of a text; encoded form of Bool and Other
	Fields []Field
	Items  []*Node
	Span   Span // empty for an object or a list without brackets
	Fixed  bool // has a YAML anchor, alias, or tag, and is not edited
}

// Field is a member of an object.
type Field struct {
	Name  string
	Keys  []Span // positions of the name; in TOML there may be several
	Value *Node
}

// Get returns the value of the first of names that exists, or nil. If a name occurs several times, the last one
// counts, as in the clients' parsers. A nil node has no fields.
func (n *Node) Get(names ...string) *Node {
	if fd := n.Field(names...); fd != nil {
		return fd.Value
	}
	return nil
}

// Field returns the field with the first of names that exists, or nil.
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

// Count returns the number of fields with a name.
func (n *Node) Count(name string) int {
	found := 0
	for _, f := range n.Fields {
		if f.Name == name {
			found++
		}
	}
	return found
}

// Duplicate returns a duplicate name, or "".
func (n *Node) Duplicate() string {
	for _, f := range n.Fields {
		if n.Count(f.Name) > 1 {
			return f.Name
		}
	}
	return ""
}

// Str returns the content of a text, or "" for other nodes.
func (n *Node) Str() string {
	if n == nil || n.Kind != Text {
		return ""
	}
	return n.Text
}

// Strs returns the scalars of a list, or nil for other nodes.
func (n *Node) Strs() []string {
	if n == nil {
		return nil
	}
	return lists.Map(n.Items, func(item *Node) string { return item.Text })
}

// Is reports whether a node is the given boolean, "true" or "false".
func (n *Node) Is(value string) bool { return n != nil && n.Kind == Bool && n.Text == value }

// Replace returns the edit that replaces a node.
func (n *Node) Replace(written string) Edit { return Edit{n.Span, written} }

// Walk calls visit for a node and all nodes below it.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, f := range n.Fields {
		f.Value.Walk(visit)
	}
	for _, item := range n.Items {
		item.Walk(visit)
	}
}

// Canonical returns a text that is equal for equal values. It omits the nodes in without.
func (n *Node) Canonical(without map[*Node]bool) string {
	var b strings.Builder
	n.write(&b, without)
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

// Problem is a problem with a file, at a position.
type Problem struct {
	Path         string
	Line, Column int // from 1, in characters; 0 for the whole file
	Text         string
}

// Error returns the text of the problem, preceded by its position, in the format of compilers.
func (p Problem) Error() string {
	at := p.Path
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			at += fmt.Sprintf(":%d", n)
		}
	}
	return at + ": " + p.Text
}

// place returns the line and the column of an offset.
func place(data []byte, offset int) (line, column int) {
	offset = min(offset, len(data))
	begin := bytes.LastIndexByte(data[:offset], '\n') + 1
	return bytes.Count(data[:begin], []byte{'\n'}) + 1, utf8.RuneCount(data[begin:offset]) + 1
}

// ProblemAt returns a problem at an offset, without a path.
func ProblemAt(data []byte, offset int, format string, args ...any) Problem {
	line, column := place(data, offset)
	return Problem{Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
}
