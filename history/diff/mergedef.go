// This file merges definitions.

package diff

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// FieldConflict is a value that both sides changed in different ways. Base, Ours, and Theirs are
// nil if the value is absent.
type FieldConflict struct {
	Path               string
	Base, Ours, Theirs *jsondoc.Node
	// Text is the merge of the three strings. It is nil if Ours or Theirs is not a string, or if
	// Base is present but not a string. Because line feeds in definitions separate lines, each text
	// in the merge has an additional final line feed.
	Text *Merge
}

// Marked returns the merged string with conflicts between markers, as a value for the
// field. It returns "" if Text is nil.
func (c FieldConflict) Marked(names Labels) string {
	if c.Text == nil {
		return ""
	}
	return strings.TrimSuffix(c.Text.Marked(names), "\n")
}

// ErrKinds is returned by MergeDefinitions for definitions of different kinds.
var ErrKinds = errors.New("cannot merge definitions of different kinds")

// MergeDefinitions merges the changes from base to ours with the changes from base to theirs, value
// by value. If only one side changed a value, the result has the value of this side. If both sides
// changed a value, strings are merged line by line, objects are merged key by key, and lists of
// plain values are merged as ordered sets. Other values, and lines that both sides changed in
// different ways, are conflicts. For each conflict, the result contains the value of ours.
//
// The elements of choices resolve conflicts. A conflict in a string has an element for each
// conflicting passage; any other conflict has a single element. The elements are in the order of
// the conflicts that MergeDefinitions returns if it is called without choices. Resolved conflicts
// are not returned.
//
// base may be zero. The error is ErrKinds, or reports an invalid value. The values are always valid
// if all three definitions were decoded strictly.
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

// treeMerge is the state of MergeDefinitions.
type treeMerge struct {
	conflicts []FieldConflict
	choices   []Choice // choices that have not been used yet
}

// value merges the three values at path. A value that is absent is nil.
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

// plainSet is a list of plain values without duplicates.
type plainSet struct {
	keys []string // canonical forms of the values, in order
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

// only returns the keys of s that are also keys of a and b, in the order of s.
func (s plainSet) only(a, b plainSet) []string {
	return slices.DeleteFunc(slices.Clone(s.keys), func(k string) bool { return !a.has(k) || !b.has(k) })
}

// mergeLists merges lists of plain values as sets. It removes the elements that either
// side removed, and adds the elements that either side added. The result has the order of
// the side that changed the order. If both sides changed the order in different ways, or
// if a list is not a set of plain values, mergeLists returns false. base may be nil.
func mergeLists(path string, base, ours, theirs *jsondoc.Node) (*jsondoc.Node, bool) {
	b, okB := setOf(base)
	o, okO := setOf(ours)
	t, okT := setOf(theirs)
	if !okB || !okO || !okT || path == "tag.argGroups" { // the elements of argGroups are positional
		return nil, false
	}
	// The order of the common elements shows which side changed the order.
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

// weave returns the elements of ours that theirs did not remove, and the elements that theirs
// added. An added element of theirs follows the same common element as in theirs. If ours also
// added elements after this common element, these precede the added element of theirs.
func weave(base, ours, theirs plainSet) *jsondoc.Node {
	added := map[string][]*jsondoc.Node{} // keyed by the preceding element that ours also contains
	behind := ""
	for _, k := range theirs.keys {
		switch {
		case ours.has(k):
			behind = k
		case !base.has(k):
			added[behind] = append(added[behind], theirs.node[k])
		}
	}
	merged := jsondoc.NewArray()
	waiting := added[""]
	for _, k := range ours.keys {
		switch {
		case theirs.has(k):
			merged.Items = append(merged.Items, waiting...)
			merged.Items = append(merged.Items, ours.node[k])
			waiting = added[k]
		case !base.has(k):
			merged.Items = append(merged.Items, ours.node[k])
		}
	}
	merged.Items = append(merged.Items, waiting...)
	return merged
}
