package diff

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// FieldConflict is a value that both sides changed, each in its own way. A nil
// node means that the key is absent there.
type FieldConflict struct {
	Path               string
	Base, Ours, Theirs *jsondoc.Node
	// Text is set when both sides are texts, and base is one or absent: it has
	// the conflicting lines, and the other changes of both sides. As "\n" stands
	// between the lines of a definition's text, each text has one more here.
	Text *Merge
}

// Marked returns the merged text with the conflicts between markers, as the
// value that the field would have; "" when Text is not set.
func (c FieldConflict) Marked(names Labels) string {
	if c.Text == nil {
		return ""
	}
	return strings.TrimSuffix(c.Text.Marked(names), "\n")
}

// ErrKinds is returned by MergeDefinitions for a tool and an agent.
var ErrKinds = errors.New("a tool and an agent cannot be merged")

// MergeDefinitions merges the changes that lead from base to ours and from
// base to theirs, value by value. What one side left alone is taken from the
// other; texts are merged by lines, objects by key, lists of plain values as
// sets that keep their order. Where both changed the same thing in different
// ways there is a conflict, and the result has the value of ours there.
//
// choices decide conflicts, in the order in which they are returned without any: one
// for each value, and one for each passage of a text. What they decide is not a conflict.
//
// Base may be zero. The error is ErrKinds, or says which value of the result
// does not fit its key, which definitions that were read strictly never cause.
func MergeDefinitions(base, ours, theirs registry.Definition, choices ...Choice) (registry.Definition, []FieldConflict, error) {
	kind := ours.Kind()
	if theirs.Kind() != kind || !base.IsZero() && base.Kind() != kind {
		return registry.Definition{}, nil, ErrKinds
	}
	m := treeMerge{choices: choices}
	root := m.object("", membersOf(tree(base)), membersOf(tree(ours)), membersOf(tree(theirs)))
	merged, ps := registry.BindDefinition(kind, root, jsondoc.Root)
	if err := ps.Err(); err != nil {
		return registry.Definition{}, nil, fmt.Errorf("merged definition: %w", err)
	}
	return merged, m.conflicts, nil
}

// treeMerge collects the conflicts of a merge of JSON trees.
type treeMerge struct {
	conflicts []FieldConflict
	choices   []Choice // of the conflicts to come
}

// value merges the values at path; nil means absent.
func (m *treeMerge) value(path string, base, ours, theirs *jsondoc.Node) *jsondoc.Node {
	switch {
	case same(ours, theirs), same(base, theirs):
		return ours
	case same(base, ours):
		return theirs
	case ours == nil || theirs == nil || ours.Kind != theirs.Kind || base != nil && base.Kind != ours.Kind:
		return m.conflict(path, base, ours, theirs)
	}
	switch ours.Kind {
	case jsondoc.String:
		merge := Merge3(ended(stringOf(base)), ended(ours.Text), ended(theirs.Text))
		passages := len(merge.Conflicts)
		merge = merge.Taken(m.choices[:min(passages, len(m.choices))])
		m.choices = m.choices[min(passages, len(m.choices)):]
		if len(merge.Conflicts) > 0 {
			m.conflicts = append(m.conflicts, FieldConflict{Path: path, Base: base, Ours: ours, Theirs: theirs, Text: &merge})
		}
		return jsondoc.NewString(strings.TrimSuffix(merge.Text, "\n"))
	case jsondoc.Object:
		return m.object(path, membersOf(base), membersOf(ours), membersOf(theirs))
	case jsondoc.Array:
		if merged, ok := mergeLists(path, base, ours, theirs); ok {
			return merged
		}
	case jsondoc.Null, jsondoc.Bool, jsondoc.Number:
	}
	return m.conflict(path, base, ours, theirs)
}

func (m *treeMerge) conflict(path string, base, ours, theirs *jsondoc.Node) *jsondoc.Node {
	choice := Undecided
	if len(m.choices) > 0 {
		choice, m.choices = m.choices[0], m.choices[1:]
	}
	switch choice {
	case TakeTheirs:
		return theirs
	case TakeOurs:
		return ours
	case Undecided:
	}
	m.conflicts = append(m.conflicts, FieldConflict{Path: path, Base: base, Ours: ours, Theirs: theirs})
	return ours
}

func (m *treeMerge) object(path string, base, ours, theirs members) *jsondoc.Node {
	merged := jsondoc.NewObject()
	var free *shape
	for _, key := range free.order(theirs, ours) {
		if v := m.value(jsondoc.Join(path, key), base.get(key), ours.get(key), theirs.get(key)); v != nil {
			merged.Members = append(merged.Members, jsondoc.Member{Key: key, Value: v})
		}
	}
	return merged
}

// plainSet is a list of plain values, none of which occurs twice.
type plainSet struct {
	keys []string // canonical, in order
	node map[string]*jsondoc.Node
}

func setOf(list *jsondoc.Node) (plainSet, bool) {
	s := plainSet{node: map[string]*jsondoc.Node{}}
	if list == nil {
		return s, true
	}
	if !isPlainList(list) {
		return s, false
	}
	for _, item := range list.Items {
		key := string(jsondoc.Canonical(item))
		if s.node[key] != nil {
			return s, false
		}
		s.keys = append(s.keys, key)
		s.node[key] = item
	}
	return s, true
}

func (s plainSet) has(key string) bool { return s.node[key] != nil }

// only returns the elements of s that are also in both others, in its order.
func (s plainSet) only(a, b plainSet) []string {
	return slices.DeleteFunc(slices.Clone(s.keys), func(k string) bool { return !a.has(k) || !b.has(k) })
}

// mergeLists merges three lists of plain values as sets: what either side
// removed is gone, what either side added is there. The order is that of the
// side which changed it; if both did, in different ways, it is not ok. base
// may be nil.
func mergeLists(path string, base, ours, theirs *jsondoc.Node) (*jsondoc.Node, bool) {
	b, okB := setOf(base)
	o, okO := setOf(ours)
	t, okT := setOf(theirs)
	if !okB || !okO || !okT || path == "tag.argGroups" { // whose elements have their meaning by their place
		return nil, false
	}
	// What all three have shows who put it in another order.
	first, second := o, t
	inBase, inOurs, inTheirs := b.only(o, t), o.only(b, t), t.only(b, o)
	switch {
	case slices.Equal(inTheirs, inBase), slices.Equal(inTheirs, inOurs):
	case slices.Equal(inOurs, inBase):
		first, second = t, o
	default:
		return nil, false
	}
	return weave(b, first, second), true
}

// weave returns the elements of first that second did not remove, and those
// that second added, each behind its neighbour of before and behind what first
// has added in the same place.
func weave(base, first, second plainSet) *jsondoc.Node {
	added := map[string][]*jsondoc.Node{} // by the element of both that they follow
	behind := ""
	for _, k := range second.keys {
		switch {
		case first.has(k):
			behind = k
		case !base.has(k):
			added[behind] = append(added[behind], second.node[k])
		}
	}
	merged := jsondoc.NewArray()
	waiting := added[""]
	for _, k := range first.keys {
		switch {
		case second.has(k):
			merged.Items = append(merged.Items, waiting...)
			merged.Items = append(merged.Items, first.node[k])
			waiting = added[k]
		case !base.has(k):
			merged.Items = append(merged.Items, first.node[k])
		}
	}
	merged.Items = append(merged.Items, waiting...)
	return merged
}
