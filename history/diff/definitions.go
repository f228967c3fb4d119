package diff

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Definitions compares two definitions field by field, in the order in which
// registry.Tool, registry.Agent or registry.List declares them. Either may be zero: then
// every field is added or removed. The result is empty only when the
// definitions have the same content.
func Definitions(before, after registry.Definition) []Field {
	var w walk
	b, a := tree(before), tree(after)
	if before.IsZero() || after.IsZero() || before.Kind() == after.Kind() {
		w.object(way{}, membersOf(b), membersOf(a), shapeOfDefinition(before, after))
	} else {
		w.add(way{jsondoc.Root, jsondoc.Root}, b, a)
	}
	return w.fields
}

// tree returns the JSON value of d, nil when d is zero.
func tree(d registry.Definition) *jsondoc.Node {
	if d.IsZero() {
		return nil
	}
	return parsed(d.Canonical())
}

// parsed reads JSON that toolcrib wrote.
func parsed(text []byte) *jsondoc.Node {
	n, err := jsondoc.Parse(text, jsondoc.Limits{Bytes: 1 << 30, Depth: 1 << 10})
	if err != nil {
		panic(fmt.Sprintf("diff: canonical JSON does not parse: %v", err))
	}
	return n
}

func shapeOfDefinition(ds ...registry.Definition) *shape {
	for _, d := range ds {
		if d.Agent != nil {
			return shapeOf(reflect.TypeFor[registry.Agent]())
		}
		if d.List != nil {
			return shapeOf(reflect.TypeFor[registry.List]())
		}
	}
	return shapeOf(reflect.TypeFor[registry.Tool]())
}

// walk collects the differences of two trees.
type walk struct {
	fields []Field
}

// way is the path to a value, or to the two that are compared. They differ
// where elements of a list have moved along.
type way struct {
	old, new string
}

func (p way) key(key string) way {
	return way{jsondoc.Join(p.old, key), jsondoc.Join(p.new, key)}
}

func (p way) index(old, new int) way {
	return way{jsondoc.Index(p.old, old), jsondoc.Index(p.new, new)}
}

func (w *walk) add(p way, before, after *jsondoc.Node) {
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
func (w *walk) value(p way, before, after *jsondoc.Node, s *shape) {
	switch {
	case before == nil && after == nil:
	case before == nil || after == nil:
		// The parts of a declared object are fields of their own; a schema or
		// a part of one is shown whole.
		if present := membersOf(cmp.Or(before, after)); s != nil && len(present.list) > 0 {
			w.object(p, membersOf(before), membersOf(after), s)
			return
		}
		w.add(p, before, after)
	case before.Kind == jsondoc.Object && after.Kind == jsondoc.Object:
		w.object(p, membersOf(before), membersOf(after), s)
	case before.Kind == jsondoc.Array && after.Kind == jsondoc.Array:
		w.list(p, before, after)
	case !same(before, after):
		w.add(p, before, after)
	}
}

// same reports whether a and b are the same value; both may be nil.
func same(a, b *jsondoc.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && bytes.Equal(jsondoc.Canonical(a), jsondoc.Canonical(b))
}

func (w *walk) object(p way, before, after members, s *shape) {
	for _, key := range s.order(before, after) {
		var inside *shape
		if s != nil {
			inside = s.inside[key]
		}
		w.value(p.key(key), before.get(key), after.get(key), inside)
	}
}

// list compares two lists. Plain values make one field with a line for each
// element, so that added and removed elements show and moved ones do not. Objects
// and lists are compared one by one with those they came from.
func (w *walk) list(p way, before, after *jsondoc.Node) {
	if isPlainList(before) && isPlainList(after) {
		if !same(before, after) {
			w.add(p, before, after)
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
				w.add(p.index(x, y), before.Items[x], nil)
			}
			for ; y < e.New.Start+pair.y; y++ {
				w.add(p.index(x, y), nil, after.Items[y])
			}
			if x < e.Old.End && y < e.New.End {
				w.value(p.index(x, y), before.Items[x], after.Items[y], nil)
				x, y = x+1, y+1
			}
		}
	}
}

// elements returns the canonical texts of a list's elements and their numbers.
func elements(list *jsondoc.Node, ids *interner) (texts []string, numbers []int32) {
	for _, item := range list.Items {
		s := string(jsondoc.Canonical(item))
		texts, numbers = append(texts, s), append(numbers, ids.number(s))
	}
	return texts, numbers
}
