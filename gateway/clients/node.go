package clients

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
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

// edit replaces a range of bytes.
type edit struct {
	span
	text string
}

// splice applies edits. It reports false when two of them overlap.
func splice(data []byte, edits []edit) ([]byte, bool) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var after []byte
	last := 0
	for _, e := range edits {
		if e.from < last || e.to < e.from || e.to > len(data) {
			return nil, false
		}
		after = append(append(after, data[last:e.from]...), e.text...)
		last = e.to
	}
	return append(after, data[last:]...), true
}

// lineStart and lineEnd return where the line of an offset begins, and where it
// ends, in front of its line break.
func lineStart(data []byte, at int) int { return bytes.LastIndexByte(data[:at], '\n') + 1 }

func lineEnd(data []byte, at int) int {
	if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
		return at + len(bytes.TrimSuffix(data[at:at+n], []byte{'\r'}))
	}
	return len(data)
}

// newline returns the line break of the file.
func (f *File) newline() string {
	if bytes.Contains(f.data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// raw returns how a scalar is written, to be written again elsewhere. It is "" for
// one that takes several lines or that the format does not tell the place of.
func (f *File) raw(n *node) string {
	written := f.data[n.span.from:n.span.to]
	if n.kind == object || n.kind == list || n.fixed || bytes.ContainsAny(written, "\r\n") {
		return ""
	}
	return string(written)
}

// bareName matches a name that needs no quotes; one of TOML has no dots.
var bareName = lazily(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// rename replaces a name or a scalar within its quotes, if it has any. The edit is none
// that can be made where the file writes it otherwise, with escapes.
func (f *File) rename(at span, old, name string) edit {
	written := string(f.data[at.from:at.to])
	if len(written) == len(old)+2 && written[0] == written[len(written)-1] && strings.ContainsAny(written[:1], `"'`) {
		at = span{at.from + 1, at.to - 1}
	} else if !bareName().MatchString(name) || f.format() == ".toml" && strings.Contains(name, ".") {
		name = quote(name)
	}
	if string(f.data[at.from:at.to]) != old {
		at = span{-1, -1}
	}
	return edit{at, name}
}

// renameField is rename for every place where the name of a field is written.
func (f *File) renameField(fd *field, name string) []edit {
	var edits []edit
	for _, at := range fd.keys {
		edits = append(edits, f.rename(at, fd.name, name))
	}
	return edits
}

// bare reports whether there is nothing but space and commas between two places.
func (f *File) bare(from, to int) bool {
	return from <= to && len(bytes.Trim(f.data[from:to], " \t\r\n,")) == 0
}

// comma returns the place of the comma between two places, comments left out.
func (f *File) comma(from, to int) (edit, bool) {
	gap := comment().ReplaceAllFunc(f.data[from:to], func(c []byte) []byte { return bytes.Repeat([]byte{' '}, len(c)) })
	at := bytes.IndexByte(gap, ',')
	return edit{span{from + at, from + at + 1}, ""}, at >= 0
}

// start returns where an item of a list begins, with its dash if it has one, or for the
// item behind the last where the list ends. It is -1 where that is not known.
func (f *File) start(n *node, i int) int {
	switch {
	case i == len(n.items):
		return f.end(n) - 1 // in front of the bracket
	case n.span != span{}:
		return n.items[i].span.from
	}
	front := bytes.TrimRight(f.data[:n.items[i].span.from], " \t")
	if !bytes.HasSuffix(front, []byte{'-'}) {
		return -1
	}
	return len(front) - 1
}

// insertItems puts items in front of a list.
func (f *File) insertItems(n *node, raws []string) []edit {
	at := f.start(n, 0)
	switch {
	case len(n.items) == 0:
		return []edit{{span{n.span.from + 1, n.span.from + 1}, strings.Join(raws, ", ")}}
	case n.span != span{}:
		return []edit{{span{at, at}, strings.Join(raws, ", ") + ", "}}
	}
	return []edit{{span{at, at}, f.dashed(raws, strings.Repeat(" ", at-lineStart(f.data, max(0, at))))}}
}

// dashed writes items of a YAML list, each behind the indentation but the first.
func (f *File) dashed(raws []string, indent string) string {
	return "- " + strings.Join(raws, f.newline()+indent+"- ") + f.newline() + indent
}

// removeItems takes the items in front of another out of a list, from one on, and keeps
// comments among them.
func (f *File) removeItems(n *node, from, to int) []edit {
	var edits []edit
	for i := from; i < to; i++ {
		item := n.items[i]
		at, next := span{f.start(n, i), item.span.to}, f.start(n, i+1)
		last := i+1 == len(n.items)
		if last && n.span == (span{}) { // an empty list has no dashes, and may not stand as far left
			edits = append(edits, edit{at, " []"})
			continue
		}
		if !last && f.bare(at.to, next) {
			at.to = next
		}
		edits = append(edits, edit{at, ""})
		if comma, ok := f.comma(at.to, max(at.to, next)); ok {
			edits = append(edits, comma)
		}
	}
	return edits
}

// insertMember puts a member with a list behind another.
func (f *File) insertMember(in *node, behind *field, name string, raws []string) []edit {
	key, value := behind.keys[0], behind.value.span
	front := string(f.data[lineStart(f.data, key.from):key.from])
	flow := "[" + strings.Join(raws, ", ") + "]"
	own := strings.TrimLeft(front, " \t") == ""
	at := lineEnd(f.data, value.to)
	switch {
	case in.span != span{} && f.format() == ".json":
		separator := ", "
		if own {
			separator = "," + f.newline() + front
		}
		return []edit{{span{value.to, value.to}, separator + quote(name) + ": " + flow}}
	case in.span != span{}:
		sign := map[string]string{".toml": " = ", ".yaml": ": "}[f.format()]
		return []edit{{span{value.to, value.to}, ", " + name + sign + flow}}
	case f.format() == ".toml": // front may be the first words of a dotted key
		return []edit{{span{at, at}, f.newline() + front + name + " = " + flow}}
	}
	indent := strings.Repeat(" ", len([]rune(front)))
	items := strings.TrimRight(f.dashed(raws, indent+"  "), " \r\n")
	return []edit{{span{at, at}, f.newline() + indent + name + ":" + f.newline() + indent + "  " + items}}
}

// removeMember takes a member out of an object.
func (f *File) removeMember(in *node, name string) []edit {
	i := slices.IndexFunc(in.fields, func(fd field) bool { return fd.name == name })
	fd := in.fields[i]
	at := span{fd.keys[0].from, f.end(fd.value)}
	if in.span == (span{}) { // whole lines, with the line break in front
		begin := lineStart(f.data, at.from)
		if f.format() == ".yaml" && bytes.Contains(f.data[begin:at.from], []byte{'-'}) && i+1 < len(in.fields) {
			return []edit{{span{at.from, in.fields[i+1].keys[0].from}, ""}} // the next one goes behind the dash
		}
		at.from = begin
		if end := lineEnd(f.data, at.to); len(bytes.TrimSpace(f.data[at.to:end])) == 0 {
			at.to = end
			at.from = max(0, at.from-1)
			if at.from > 0 && f.data[at.from-1] == '\r' {
				at.from--
			}
		}
		return []edit{{at, ""}}
	}
	return f.cut(in, i)
}

// parts returns where the members or the items of a value in brackets stand.
func (f *File) parts(in *node) []span {
	var parts []span
	for _, fd := range in.fields {
		parts = append(parts, span{fd.keys[0].from, f.end(fd.value)})
	}
	for _, item := range in.items {
		parts = append(parts, item.span)
	}
	return parts
}

// cut takes a member or an item out of a value in brackets, with one comma beside it.
func (f *File) cut(in *node, i int) []edit {
	parts := f.parts(in)
	at := parts[i]
	if i > 0 {
		if previous := parts[i-1].to; f.bare(previous, at.from) {
			return []edit{{span{previous, at.to}, ""}}
		}
	}
	next := in.span.to - 1
	if i+1 < len(parts) {
		next = parts[i+1].from
		if f.bare(at.to, next) {
			return []edit{{span{at.from, next}, ""}}
		}
	}
	edits := []edit{{at, ""}}
	if comma, ok := f.comma(at.to, next); ok {
		edits = append(edits, comma)
	}
	return edits
}

// end returns where a value ends.
func (f *File) end(n *node) int {
	end := 0
	n.walk(func(below *node) { end = max(end, below.span.to) })
	return end
}
