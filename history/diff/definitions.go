// This file compares definitions and imported JSON field by field.

package diff

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Definitions compares two definitions field by field, in the order in which the Go types in
// package registry declare the fields. If one of the definitions is zero, all fields of the
// other are added or removed. The result is empty only if the definitions have the same
// content.
func Definitions(before, after registry.Definition) []Field {
	var w walk
	b, a := tree(before), tree(after)
	whole := after
	if after.IsZero() {
		whole = before
	}
	switch {
	case whole.IsZero():
	case before.IsZero() || before.Kind() == whole.Kind():
		w.object(paths{}, membersOf(b), membersOf(a), shapeOf(reflect.TypeOf(whole.Content())))
	default:
		w.addField(paths{jsondoc.Root, jsondoc.Root}, b, a)
	}
	return w.fields
}

// tree returns the JSON tree of d, or nil if d is zero.
func tree(d registry.Definition) *jsondoc.Node {
	if d.IsZero() {
		return nil
	}
	return parsed(d.Canonical())
}

// parsed parses JSON that toolcrib has encoded. It panics if the JSON is invalid.
func parsed(text []byte) *jsondoc.Node {
	n, err := jsondoc.Parse(text, jsondoc.Limits{Bytes: 1 << 30, Depth: 1 << 10})
	if err != nil {
		panic(fmt.Sprintf("diff: canonical JSON does not parse: %v", err))
	}
	return n
}

// walk collects the differences of two trees.
type walk struct {
	fields []Field
}

// paths contains the paths of a value in the old and in the new document. They differ if elements
// of a list have moved.
type paths struct {
	old, new string
}

func (p paths) key(key string) paths {
	return paths{jsondoc.Join(p.old, key), jsondoc.Join(p.new, key)}
}

func (p paths) index(old, new int) paths {
	return paths{jsondoc.Index(p.old, old), jsondoc.Index(p.new, new)}
}

func (w *walk) addField(p paths, before, after *jsondoc.Node) {
	f := Field{Path: p.new, Change: Modified, Before: before, After: after}
	switch {
	case before == nil:
		f.Change = Added
	case after == nil:
		f.Change, f.Path = Removed, p.old
	}
	w.fields = append(w.fields, f)
}

// value compares the values at p.
func (w *walk) value(p paths, before, after *jsondoc.Node, s *shape) {
	switch {
	case before == nil && after == nil:
	case before == nil || after == nil:
		// The fields of an object with a declared shape are reported separately. An object
		// without a shape, such as a schema, is reported as a whole.
		if present := membersOf(cmp.Or(before, after)); s != nil && len(present.list) > 0 {
			w.object(p, membersOf(before), membersOf(after), s)
			return
		}
		w.addField(p, before, after)
	case before.Kind == jsondoc.Object && after.Kind == jsondoc.Object:
		w.object(p, membersOf(before), membersOf(after), s)
	case before.Kind == jsondoc.Array && after.Kind == jsondoc.Array:
		w.list(p, before, after)
	case !same(before, after):
		w.addField(p, before, after)
	}
}

// same reports whether a and b are equal values. Either may be nil.
func same(a, b *jsondoc.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && bytes.Equal(jsondoc.Canonical(a), jsondoc.Canonical(b))
}

func (w *walk) object(p paths, before, after members, s *shape) {
	for _, key := range s.order(before, after) {
		var inside *shape
		if s != nil {
			inside = cmp.Or(s.inside[key], s.each)
		}
		w.value(p.key(key), before.get(key), after.get(key), inside)
	}
}

// list compares two lists. If both contain only plain values, the difference is reported as a
// single field. Its text has a line for each element, so moving an element does not change the
// other lines. In other lists, each element is compared with the element that it replaced.
func (w *walk) list(p paths, before, after *jsondoc.Node) {
	if isPlainList(before) && isPlainList(after) {
		if !same(before, after) {
			w.addField(p, before, after)
		}
		return
	}
	ids := newInterner(len(before.Items))
	old, a := elements(before, ids)
	new, b := elements(after, ids)
	var c comparer
	c.compare(a, b, ids.len(), workPerCompare)
	m := marker{ids: newInterner(0)}
	for _, e := range edits(c.del, c.ins, 0) {
		x, y := e.Old.Start, e.New.Start
		pairs := m.pairs(m.read(old[x:e.Old.End]), m.read(new[y:e.New.End]))
		for _, pair := range append(pairs, match{e.Old.Len(), e.New.Len()}) {
			for ; x < e.Old.Start+pair.x; x++ {
				w.addField(p.index(x, y), before.Items[x], nil)
			}
			for ; y < e.New.Start+pair.y; y++ {
				w.addField(p.index(x, y), nil, after.Items[y])
			}
			if x < e.Old.End && y < e.New.End {
				w.value(p.index(x, y), before.Items[x], after.Items[y], nil)
				x, y = x+1, y+1
			}
		}
	}
}

// elements returns the canonical texts of the elements of list, and their numbers.
func elements(list *jsondoc.Node, ids *interner) (texts []string, numbers []int32) {
	for _, item := range list.Items {
		s := string(jsondoc.Canonical(item))
		texts, numbers = append(texts, s), append(numbers, ids.number(s))
	}
	return texts, numbers
}

// Change is the kind of a change.
type Change string

// The kinds of changes.
const (
	Added    Change = "added"
	Removed  Change = "removed"
	Modified Change = "modified"
)

// Field is a difference between two definitions or two JSON values.
type Field struct {
	// Path is the path of the value in the new document, or in the old document if the
	// value was removed. It has the format of package jsondoc.
	Path          string
	Change        Change
	Before, After *jsondoc.Node // nil if the value is absent
	// Beside is set for a field that is not part of the definition; see Content.Beside.
	Beside bool
}

// Patch returns the difference between the two texts that f.Lines returns. The result is not cached.
func (f Field) Patch() *Patch { return Lines(f.Lines()) }

// Hunks returns the hunks of f.Patch with all changed words marked. There is at least one hunk.
// context is the maximum number of unchanged lines before and after each change. For long texts,
// calling Hunk.Mark for the visible lines only is faster.
func (f Field) Hunks(context int) []Hunk {
	return lists.Map(f.Patch().Unified(context), Hunk.Words)
}

// IsText reports whether f is a difference between two strings. An absent value is treated as an
// empty string. If IsText returns true, Lines returns the strings without quotes.
func (f Field) IsText() bool {
	return isString(f.Before) && isString(f.After) && stringOf(f.Before) != stringOf(f.After)
}

// Lines returns both values as lines. A string is unchanged, a list of plain values has one element
// per line, and any other value is indented JSON. An absent value has no lines. The two results
// always differ.
//
// Strings in definitions seldom end in "\n", so "\n" is treated as a separator of lines: if one
// of the strings does not end in "\n", both get an additional "\n". Appending a line then
// changes no other line, and adding a final "\n" adds an empty line.
func (f Field) Lines() (before, after string) {
	if f.IsText() {
		before, after = stringOf(f.Before), stringOf(f.After)
		open := func(s string) bool { return s != "" && !strings.HasSuffix(s, "\n") }
		if open(before) || open(after) {
			return ended(before), ended(after)
		}
		return before, after
	}
	if isPlainList(f.Before) && isPlainList(f.After) {
		raw := rawElements(f.Before) && rawElements(f.After)
		before, after = elementLines(f.Before, raw), elementLines(f.After, raw)
		if before != after {
			return before, after
		}
	}
	return indented(f.Before), indented(f.After)
}

func isString(n *jsondoc.Node) bool { return n == nil || n.Kind == jsondoc.String }

func stringOf(n *jsondoc.Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}

// ended returns s with an additional "\n", or "" if s is empty.
func ended(s string) string {
	if s == "" {
		return ""
	}
	return s + "\n"
}

// isPlainList reports whether n is nil, or a list without nested lists and objects.
func isPlainList(n *jsondoc.Node) bool {
	return n == nil || n.Kind == jsondoc.Array && !slices.ContainsFunc(n.Items, func(item *jsondoc.Node) bool {
		return item.Kind == jsondoc.Object || item.Kind == jsondoc.Array
	})
}

// rawElements reports whether the elements of list can be shown without quotes unambiguously.
func rawElements(list *jsondoc.Node) bool {
	return list == nil || !slices.ContainsFunc(list.Items, func(item *jsondoc.Node) bool {
		return item.Kind != jsondoc.String || item.Text == "" || strings.Contains(item.Text, "\n")
	})
}

func elementLines(list *jsondoc.Node, raw bool) string {
	if list == nil {
		return ""
	}
	var b strings.Builder
	for _, item := range list.Items {
		if raw {
			b.WriteString(item.Text)
		} else {
			b.Write(jsondoc.Canonical(item))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// indented returns n as indented JSON with sorted keys. It returns "" if n is nil.
func indented(n *jsondoc.Node) string {
	if n == nil {
		return ""
	}
	return string(jsondoc.Indent(parsed(jsondoc.Canonical(n))))
}

// Content is a definition and related data that are compared together.
type Content struct {
	Definition registry.Definition
	Source     []byte
	// Beside is a JSON object with the rationale, the examples, and the test cases of a
	// revision. It is nil if the definition does not belong to a proposal.
	Beside []byte
}

// BesideHeading is the heading for fields that are not part of the definition.
const BesideHeading = "Not part of the definition"

// Contents compares two contents. It first compares their definitions field by field. It then
// compares the parts of the imported JSON that the definitions do not contain, because an approval
// also applies to these parts; their paths begin with wire.SourcePath. For two revisions, it
// finally compares the fields that are not part of the definitions.
func Contents(before, after Content) []Field {
	fields := Definitions(before.Definition, after.Definition)
	var source, beside walk
	if !bytes.Equal(before.Source, after.Source) {
		source.parts(paths{}, before.unread(), after.unread())
	}
	for _, f := range source.fields {
		f.Path = wire.SourcePath + f.Path
		fields = append(fields, f)
	}
	if before.Beside != nil && after.Beside != nil {
		beside.parts(paths{}, parsed(before.Beside), parsed(after.Beside))
	}
	for _, f := range beside.fields {
		f.Beside = true
		fields = append(fields, f)
	}
	return fields
}

// unread returns the part of c.Source that the definition does not contain. It returns nil if there
// is no such part.
func (c Content) unread() *jsondoc.Node {
	t := c.Definition.Tool
	if len(c.Source) == 0 || t == nil || t.Source == nil {
		return nil
	}
	return wire.Unread(*t, c.Source)
}

// parts compares two objects key by key. Either may be nil. It descends into a nested object even
// if only one of the two objects contains it.
func (w *walk) parts(p paths, before, after *jsondoc.Node) {
	b, a := membersOf(before), membersOf(after)
	for _, key := range (*shape)(nil).order(b, a) {
		x, y := b.get(key), a.get(key)
		if open(x) && open(y) {
			w.parts(p.key(key), x, y)
			continue
		}
		w.value(p.key(key), x, y, nil)
	}
}

// open reports whether parts can descend into n, which must be nil or a non-empty object.
func open(n *jsondoc.Node) bool {
	return n == nil || n.Kind == jsondoc.Object && len(n.Members) > 0
}
