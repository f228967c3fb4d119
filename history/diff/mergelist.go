package diff

import (
	"slices"

	"toolcrib/registry/jsondoc"
)

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
