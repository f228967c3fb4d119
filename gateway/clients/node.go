package clients

import (
	"fmt"
	"strings"
)

// Limits on a client's file. Most have some kilobytes; ~/.claude.json, which holds
// a history too, can grow to megabytes.
const (
	MaxBytes = 5 << 20
	maxDepth = 100
	maxNodes = 500_000
	// maxBrackets bounds the nesting that a recursive parser can meet before
	// maxDepth is checked: no more levels than brackets.
	maxBrackets = 100_000
)

type kind uint8

const (
	object kind = iota
	list
	text
	truth
	other // a number, a date, null
)

// span is a range of bytes in a file.
type span struct{ from, to int }

// node is a value in a file, the same for every format.
type node struct {
	kind   kind
	text   string // of a text; of truth and other, how it is written
	fields []field
	items  []*node
	span   span // empty for an object or a list that is written without brackets
	fixed  bool // written with an anchor, an alias or a tag of YAML: it is not edited
}

type field struct {
	name  string
	keys  []span // the places where the name is written; in TOML there may be several
	value *node
}

// get returns the value of a field, the last one of that name, as the parsers
// of the clients do. A nil node has no fields.
func (n *node) get(names ...string) *node {
	if fd := n.field(names...); fd != nil {
		return fd.value
	}
	return nil
}

// field returns the first field of some names that is there.
func (n *node) field(names ...string) *field {
	if n == nil {
		return nil
	}
	for _, name := range names {
		for i := len(n.fields) - 1; i >= 0; i-- {
			if n.fields[i].name == name {
				return &n.fields[i]
			}
		}
	}
	return nil
}

// count returns how many fields have a name.
func (n *node) count(name string) int {
	found := 0
	for _, f := range n.fields {
		if f.name == name {
			found++
		}
	}
	return found
}

// twice returns the name of a field that is there twice, "" for none.
func (n *node) twice() string {
	for _, f := range n.fields {
		if n.count(f.name) > 1 {
			return f.name
		}
	}
	return ""
}

// string returns the text of a node, "" for anything else.
func (n *node) string() string {
	if n == nil || n.kind != text {
		return ""
	}
	return n.text
}

// strings returns the scalars of a list as they are written, "" for anything else.
func (n *node) strings() []string {
	if n == nil {
		return nil
	}
	var all []string
	for _, item := range n.items {
		all = append(all, item.text)
	}
	return all
}

// is reports whether a node is the given truth value.
func (n *node) is(value string) bool { return n != nil && n.kind == truth && n.text == value }

// walk calls visit for a node and everything below it.
func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, f := range n.fields {
		f.value.walk(visit)
	}
	for _, item := range n.items {
		item.walk(visit)
	}
}

// canonical returns a text that is equal for equal values, with the nodes in
// without left out.
func (n *node) canonical(without map[*node]bool) string {
	var b strings.Builder
	n.write(&b, without)
	return b.String()
}

func (n *node) write(b *strings.Builder, without map[*node]bool) {
	if without[n] {
		b.WriteString("…")
		return
	}
	fmt.Fprintf(b, "%d%q", n.kind, n.text)
	for _, f := range n.fields {
		fmt.Fprintf(b, "{%q", f.name)
		f.value.write(b, without)
	}
	for _, item := range n.items {
		b.WriteByte('[')
		item.write(b, without)
	}
	b.WriteByte(']')
}
