// This file defines documents, and creates edits that change their text.

package spanedit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"toolcrib/internal/lazyregexp"
	"toolcrib/internal/lists"
)

// Format is the language of a file.
type Format string

// The formats.
const (
	JSON Format = "json" // with comments and trailing commas
	TOML Format = "toml"
	YAML Format = "yaml"
)

// Document is the content of a file and its parsed values.
type Document struct {
	Data   []byte
	Format Format
	Root   *Node // nil if the content could not be parsed
}

// Parse parses a file. If parsing fails, the document contains only the data, and the error is a Problem without a path.
func Parse(data []byte, format Format) (Document, error) {
	d := Document{Data: data, Format: format}
	if len(bytes.TrimSpace(data)) == 0 {
		d.Root = &Node{}
		return d, nil
	}
	parse := map[Format]func([]byte) (*Node, error){JSON: parseJSON, TOML: parseTOML, YAML: parseYAML}[format]
	root, err := parse(data)
	switch {
	case err == nil:
		d.Root = root
	case !errors.As(err, new(Problem)):
		err = Problem{Text: err.Error()}
	}
	return d, err
}

// Edit replaces a range of bytes by Text.
type Edit struct {
	Span
	Text string
}

// Splice returns data with all edits applied. It returns false if edits overlap or if an edit is out of range.
func Splice(data []byte, edits []Edit) ([]byte, bool) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	var after []byte
	last := 0
	for _, e := range edits {
		if e.From < last || e.To < e.From || e.To > len(data) {
			return nil, false
		}
		after = append(append(after, data[last:e.From]...), e.Text...)
		last = e.To
	}
	return append(after, data[last:]...), true
}

// lineStart and lineEnd return the offsets at which the line that contains offset begins and ends. The end excludes the
// line break.
func lineStart(data []byte, offset int) int { return bytes.LastIndexByte(data[:offset], '\n') + 1 }

func lineEnd(data []byte, offset int) int {
	if n := bytes.IndexByte(data[offset:], '\n'); n >= 0 {
		return offset + len(bytes.TrimSuffix(data[offset:offset+n], []byte{'\r'}))
	}
	return len(data)
}

// newline returns the line break that the file uses.
func (d *Document) newline() string {
	if bytes.Contains(d.Data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// Raw returns the encoded text of a scalar. It returns "" if the value is not a scalar, spans several lines, or cannot
// be edited.
func (d *Document) Raw(n *Node) string {
	written := d.Data[n.Span.From:n.Span.To]
	if n.Kind == Object || n.Kind == List || n.Fixed || bytes.ContainsAny(written, "\r\n") {
		return ""
	}
	return string(written)
}

// bareName matches a name that does not require quotes. (In TOML, names with dots require quotes.)
var bareName = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// Rename returns the edit that replaces oldText, the name or the scalar at span, by newText. The edit preserves
// existing quotes. If the file contains oldText in an escaped form, the edit is invalid, and Splice rejects it.
func (d *Document) Rename(span Span, oldText, newText string) Edit {
	written := string(d.Data[span.From:span.To])
	if len(written) == len(oldText)+2 && written[0] == written[len(written)-1] && strings.ContainsAny(written[:1], `"'`) {
		span = Span{span.From + 1, span.To - 1}
	} else if !bareName().MatchString(newText) || d.Format == TOML && strings.Contains(newText, ".") {
		newText = Quote(newText)
	}
	if string(d.Data[span.From:span.To]) != oldText {
		span = Span{-1, -1}
	}
	return Edit{span, newText}
}

// RenameField returns the edits that replace all occurrences of a field's name.
func (d *Document) RenameField(fd *Field, name string) []Edit {
	return lists.Map(fd.Keys, func(at Span) Edit { return d.Rename(at, fd.Name, name) })
}

// bare reports whether the text between the offsets start and end contains only white space and commas.
func (d *Document) bare(start, end int) bool {
	return start <= end && len(bytes.Trim(d.Data[start:end], " \t\r\n,")) == 0
}

// comma returns the edit that removes the first comma between the offsets start and end. It ignores commas in comments.
// If it finds no comma, it returns false.
func (d *Document) comma(start, end int) (Edit, bool) {
	gap := Comment().ReplaceAllFunc(d.Data[start:end], func(c []byte) []byte { return bytes.Repeat([]byte{' '}, len(c)) })
	at := bytes.IndexByte(gap, ',')
	return Edit{Span{start + at, start + at + 1}, ""}, at >= 0
}

// start returns the offset of item i of the list n, or of the item's dash in YAML. If i is the number of items, it
// returns the offset of the closing bracket. It returns -1 if the offset is unknown.
func (d *Document) start(n *Node, i int) int {
	switch {
	case i == len(n.Items):
		return d.end(n) - 1 // the closing bracket
	case n.Span != Span{}:
		return n.Items[i].Span.From
	}
	front := bytes.TrimRight(d.Data[:n.Items[i].Span.From], " \t")
	if !bytes.HasSuffix(front, []byte{'-'}) {
		return -1
	}
	return len(front) - 1
}

// InsertItems returns the edits that insert encoded items at the beginning of the list n.
func (d *Document) InsertItems(n *Node, raws []string) []Edit {
	at := d.start(n, 0)
	switch {
	case len(n.Items) == 0:
		return []Edit{{Span{n.Span.From + 1, n.Span.From + 1}, strings.Join(raws, ", ")}}
	case n.Span != Span{}:
		return []Edit{{Span{at, at}, strings.Join(raws, ", ") + ", "}}
	}
	return []Edit{{Span{at, at}, d.dashed(raws, strings.Repeat(" ", at-lineStart(d.Data, max(0, at))))}}
}

// dashed returns YAML lines for encoded list items. Every line except the first is indented.
func (d *Document) dashed(raws []string, indent string) string {
	return "- " + strings.Join(raws, d.newline()+indent+"- ") + d.newline() + indent
}

// RemoveItems returns the edits that remove n.Items[start:end]. The edits preserve comments between the items.
func (d *Document) RemoveItems(n *Node, start, end int) []Edit {
	var edits []Edit
	for i := start; i < end; i++ {
		item := n.Items[i]
		at, next := Span{d.start(n, i), item.Span.To}, d.start(n, i+1)
		last := i+1 == len(n.Items)
		if last && n.Span == (Span{}) { // an empty list has no form with dashes, and its brackets may need more indentation
			edits = append(edits, Edit{at, " []"})
			continue
		}
		if !last && d.bare(at.To, next) {
			at.To = next
		}
		edits = append(edits, Edit{at, ""})
		if comma, ok := d.comma(at.To, max(at.To, next)); ok {
			edits = append(edits, comma)
		}
	}
	return edits
}

// InsertMember returns the edits that insert a member into object, directly after the previous member. The value of the
// new member is a list of encoded items.
func (d *Document) InsertMember(object *Node, previous *Field, name string, raws []string) []Edit {
	key, value := previous.Keys[0], previous.Value.Span
	front := string(d.Data[lineStart(d.Data, key.From):key.From])
	flow := "[" + strings.Join(raws, ", ") + "]"
	own := strings.TrimLeft(front, " \t") == ""
	at := lineEnd(d.Data, value.To)
	switch {
	case object.Span != Span{} && d.Format == JSON:
		separator := ", "
		if own {
			separator = "," + d.newline() + front
		}
		return []Edit{{Span{value.To, value.To}, separator + Quote(name) + ": " + flow}}
	case object.Span != Span{}:
		sign := map[Format]string{TOML: " = ", YAML: ": "}[d.Format]
		return []Edit{{Span{value.To, value.To}, ", " + name + sign + flow}}
	case d.Format == TOML: // front may be the beginning of a dotted key
		return []Edit{{Span{at, at}, d.newline() + front + name + " = " + flow}}
	}
	indent := strings.Repeat(" ", len([]rune(front)))
	items := strings.TrimRight(d.dashed(raws, indent+"  "), " \r\n")
	return []Edit{{Span{at, at}, d.newline() + indent + name + ":" + d.newline() + indent + "  " + items}}
}

// RemoveMember returns the edits that remove the member with the given name from object.
func (d *Document) RemoveMember(object *Node, name string) []Edit {
	i := slices.IndexFunc(object.Fields, func(fd Field) bool { return fd.Name == name })
	fd := object.Fields[i]
	at := Span{fd.Keys[0].From, d.end(fd.Value)}
	if object.Span == (Span{}) { // an object without brackets: remove complete lines, and the preceding line break
		begin := lineStart(d.Data, at.From)
		if d.Format == YAML && bytes.Contains(d.Data[begin:at.From], []byte{'-'}) && i+1 < len(object.Fields) {
			return []Edit{{Span{at.From, object.Fields[i+1].Keys[0].From}, ""}} // the next member moves to the line of the dash
		}
		at.From = begin
		if end := lineEnd(d.Data, at.To); len(bytes.TrimSpace(d.Data[at.To:end])) == 0 {
			at.To = end
			at.From = max(0, at.From-1)
			if at.From > 0 && d.Data[at.From-1] == '\r' {
				at.From--
			}
		}
		return []Edit{{at, ""}}
	}
	return d.Remove(object, i)
}

// parts returns the positions of the members or the items of n, which must have brackets.
func (d *Document) parts(n *Node) []Span {
	parts := lists.Map(n.Fields, func(fd Field) Span { return Span{fd.Keys[0].From, d.end(fd.Value)} })
	return append(parts, lists.Map(n.Items, func(item *Node) Span { return item.Span })...)
}

// Remove returns the edits that remove member or item i of n, and an adjacent comma. The value n must have brackets.
func (d *Document) Remove(n *Node, i int) []Edit {
	parts := d.parts(n)
	at := parts[i]
	if i > 0 {
		if previous := parts[i-1].To; d.bare(previous, at.From) {
			return []Edit{{Span{previous, at.To}, ""}}
		}
	}
	next := n.Span.To - 1
	if i+1 < len(parts) {
		next = parts[i+1].From
		if d.bare(at.To, next) {
			return []Edit{{Span{at.From, next}, ""}}
		}
	}
	edits := []Edit{{at, ""}}
	if comma, ok := d.comma(at.To, next); ok {
		edits = append(edits, comma)
	}
	return edits
}

// end returns the offset at which n ends, including nested values.
func (d *Document) end(n *Node) int {
	end := 0
	n.Walk(func(below *Node) { end = max(end, below.Span.To) })
	return end
}

// Indented returns JSON text formatted on several lines.
func Indented(text, prefix, indent, newline string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), prefix, indent) != nil {
		return text // cannot happen, because toolcrib has generated the text
	}
	return strings.ReplaceAll(b.String(), "\n", newline)
}

// Add returns the edit that appends a member to the JSON object n, or an item to the JSON list n if name is "". The new
// element is on a separate line if the last element is.
func (d *Document) Add(n *Node, name, value string) Edit {
	label, parts := "", d.parts(n)
	if name != "" {
		label = Quote(name) + ": "
	}
	if len(parts) == 0 {
		return Edit{Span{n.Span.From + 1, n.Span.From + 1}, label + value}
	}
	last := parts[len(parts)-1]
	front := string(d.Data[lineStart(d.Data, last.From):last.From])
	if strings.TrimLeft(front, " \t") != "" {
		return Edit{Span{last.To, last.To}, ", " + label + value}
	}
	indent := "  "
	if strings.HasPrefix(front, "\t") {
		indent = "\t"
	}
	return Edit{Span{last.To, last.To}, "," + d.newline() + front + label + Indented(value, front, indent, d.newline())}
}

// Comment matches a comment in the text between two values, in any format.
var Comment = lazyregexp.New(`(?s)/\*.*?(?:\*/|$)|(?://|#)[^\r\n]*`)
