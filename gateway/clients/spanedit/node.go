// Package spanedit changes parts of a JSON, TOML, or YAML file and leaves every other byte as
// it is. Parse reads a file into nodes that know where they are written; the methods of
// Document return edits, which Splice applies. JSON with comments is parsed by
// tailscale/hujson, TOML by the AST of pelletier/go-toml, whose nodes carry byte ranges
// (BurntSushi/toml has none), YAML by go.yaml.in/yaml, whose nodes have a line and a column.
// No library writes the file, as each of them would reformat the rest of it.
package spanedit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits on a file.
const (
	maxDepth = 100
	maxNodes = 500_000
	// maxBrackets bounds the nesting that a recursive parser can meet before
	// maxDepth is checked: no more levels than brackets.
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
	Other // a number, a date, null
)

// Span is a range of bytes in a file.
type Span struct{ From, To int }

// Node is a value in a file, the same for every format.
type Node struct {
	Kind   Kind
	Text   string // of a text; of Bool and Other, how it is written
	Fields []Field
	Items  []*Node
	Span   Span // empty for an object or a list that is written without brackets
	Fixed  bool // written with an anchor, an alias or a tag of YAML: it is not edited
}

// Field is a member of an object.
type Field struct {
	Name  string
	Keys  []Span // the places where the name is written; in TOML there may be several
	Value *Node
}

// Get returns the value of a field, the last one of that name, as the parsers
// of the clients do. A nil node has no fields.
func (n *Node) Get(names ...string) *Node {
	if fd := n.Field(names...); fd != nil {
		return fd.Value
	}
	return nil
}

// Field returns the first field of some names that is there.
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

// Count returns how many fields have a name.
func (n *Node) Count(name string) int {
	found := 0
	for _, f := range n.Fields {
		if f.Name == name {
			found++
		}
	}
	return found
}

// Twice returns the name of a field that is there twice, "" for none.
func (n *Node) Twice() string {
	for _, f := range n.Fields {
		if n.Count(f.Name) > 1 {
			return f.Name
		}
	}
	return ""
}

// Str returns the text of a node, "" for anything else.
func (n *Node) Str() string {
	if n == nil || n.Kind != Text {
		return ""
	}
	return n.Text
}

// Strs returns the scalars of a list as they are written, "" for anything else.
func (n *Node) Strs() []string {
	if n == nil {
		return nil
	}
	var all []string
	for _, item := range n.Items {
		all = append(all, item.Text)
	}
	return all
}

// Is reports whether a node is the given truth value.
func (n *Node) Is(value string) bool { return n != nil && n.Kind == Bool && n.Text == value }

// Replace returns the edit that writes something else in the place of a node.
func (n *Node) Replace(written string) Edit { return Edit{n.Span, written} }

// Walk calls visit for a node and everything below it.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, f := range n.Fields {
		f.Value.Walk(visit)
	}
	for _, item := range n.Items {
		item.Walk(visit)
	}
}

// Canonical returns a text that is equal for equal values, with the nodes in
// without left out.
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

// Problem is something that is wrong with a file, at a place in it.
type Problem struct {
	Path         string
	Line, Column int // from 1, in characters; 0 for the file as a whole
	Text         string
}

// Error returns the problem behind its place, as compilers print it.
func (p Problem) Error() string {
	at := p.Path
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			at += fmt.Sprintf(":%d", n)
		}
	}
	return at + ": " + p.Text
}

// place returns the line and the column of a byte offset.
func place(data []byte, offset int) (line, column int) {
	offset = min(offset, len(data))
	begin := bytes.LastIndexByte(data[:offset], '\n') + 1
	return bytes.Count(data[:begin], []byte{'\n'}) + 1, utf8.RuneCount(data[begin:offset]) + 1
}

// ProblemAt returns a problem at a byte offset. Its path remains to be set.
func ProblemAt(data []byte, offset int, format string, args ...any) Problem {
	line, column := place(data, offset)
	return Problem{Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
}
