// This file compares two sequences of numbered items, and defines the shapes of JSON objects.

package diff

import (
	"reflect"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

// comparer finds the common items of two sequences. The items are numbers from an interner.
// The result is in del and ins, which mark the changed items. The unmarked items of both
// sequences are equal and in the same order.
type comparer struct {
	a, b     []int32
	del, ins []bool
	trivial  []bool // indexed by item number: whether the item is unsuitable as an anchor, such as a blank line
	budget   int    // remaining steps for exact searches

	inA, inB []int32 // indexed by item number: occurrences in the current fragment; 0 between uses
	next     []int32 // indexed by item number: index for places; 0 between uses
	compact  compact
	fwd, bwd []int32 // furthest points of exact searches, by diagonal
	rows     *rows
	walked   bool // whether greedy was used; the result may then not be minimal
}

// maxDepth is the maximum depth to which an expensive piece is divided at anchors. At this depth,
// greedy compares pieces that are still too expensive.
const maxDepth = 4

// compare compares a and b and sets del and ins. All numbers in a and b are less than ids. compare
// may perform a number of steps that is proportional to the lengths of a and b, and budget further
// steps.
func (c *comparer) compare(a, b []int32, ids, budget int) {
	c.a, c.b, c.budget = a, b, budget
	c.del, c.ins = grow(c.del, len(a)), grow(c.ins, len(b))
	if more := ids - len(c.next); more > 0 {
		zeros := make([]int32, more)
		c.inA, c.inB, c.next = append(c.inA, zeros...), append(c.inB, zeros...), append(c.next, zeros...)
	}
	c.walked = false
	c.solve(box{0, len(a), 0, len(b)}, 0)
	if !c.walked {
		return
	}
	// At the boundary between two strides, greedy may delete an item on one side and insert
	// the same item on the other. Each run of changes is therefore compared again.
	for e := range changes(c.del, c.ins) {
		if !e.Old.empty() && !e.New.empty() {
			clear(c.del[e.Old.Start:e.Old.End])
			clear(c.ins[e.New.Start:e.New.End])
			c.solve(box{e.Old.Start, e.Old.End, e.New.Start, e.New.End}, maxDepth)
		}
	}
}

// box is a fragment of both sequences: items x0 to x1-1 of the first sequence, and items y0 to
// y1-1 of the second.
type box struct {
	x0, x1, y0, y1 int
}

func (f box) size() int { return f.x1 - f.x0 + f.y1 - f.y0 }

// solve compares the fragment f. Fragments must be solved in order, because a fragment's share of
// the remaining budget depends on the number of items after the fragment.
func (c *comparer) solve(f box, depth int) {
	f = trim(c.a, c.b, f)
	if f.x0 == f.x1 || f.y0 == f.y1 {
		mark(c.del, f.x0, f.x1)
		mark(c.ins, f.y0, f.y1)
		return
	}
	var chain []match
	if depth == 0 {
		chain = c.anchors(f)
	}
	if len(chain) == 0 {
		c.count(f)
		k := &c.compact
		k.a, k.atA = keep(c.a, f.x0, f.x1, c.inB, c.del, k.a[:0], k.atA[:0])
		k.b, k.atB = keep(c.b, f.y0, f.y1, c.inA, c.ins, k.b[:0], k.atB[:0])
		c.uncount(f)
		ahead := len(c.a) - f.x0 + len(c.b) - f.y0
		share := float64(max(c.budget, 0)) * float64(f.size()) / float64(ahead)
		if c.exact(int(share) + min(stepsPerItem*f.size(), 1<<16) + 256) {
			return
		}
		if depth > 0 && depth < maxDepth {
			chain = c.anchors(f)
		}
		if len(chain) == 0 {
			c.greedy()
			return
		}
	}
	for _, m := range chain {
		if m.x > f.x0 || m.y > f.y0 {
			c.solve(box{f.x0, m.x, f.y0, m.y}, depth+1)
		}
		f.x0, f.y0 = m.x+1, m.y+1
	}
	c.solve(f, depth+1)
}

// stepsPerItem is the number of additional steps per item that the search in a fragment may perform
// beyond the fragment's share of the remaining budget.
const stepsPerItem = 8

// trim returns f without the equal items at both ends.
func trim(a, b []int32, f box) box {
	for f.x0 < f.x1 && f.y0 < f.y1 && a[f.x0] == b[f.y0] {
		f.x0++
		f.y0++
	}
	for f.x0 < f.x1 && f.y0 < f.y1 && a[f.x1-1] == b[f.y1-1] {
		f.x1--
		f.y1--
	}
	return f
}

func mark(flags []bool, from, to int) {
	for i := from; i < to; i++ {
		flags[i] = true
	}
}

// compact is a fragment without the items that occur in only one of the sequences. Such items are
// always changed, so removing them does not affect the longest common subsequence.
type compact struct {
	a, b     []int32
	atA, atB []int32 // indices of the items in the complete sequences
}

// keep selects the items in items[start:end] that have a positive count. It appends these items to
// out, and their indices to indices. The other items do not occur in the other sequence, so keep
// marks them as changed.
func keep(items []int32, start, end int, counts []int32, changed []bool, out, indices []int32) (_, _ []int32) {
	out, indices = slices.Grow(out, end-start), slices.Grow(indices, end-start)
	for i := start; i < end; i++ {
		if v := items[i]; counts[v] > 0 {
			out, indices = append(out, v), append(indices, int32(i))
		} else {
			changed[i] = true
		}
	}
	return out, indices
}

// count counts the occurrences of each item in f, and stores the counts in inA and inB. uncount
// resets the counts to zero.
func (c *comparer) count(f box) {
	for _, v := range c.a[f.x0:f.x1] {
		c.inA[v]++
	}
	for _, v := range c.b[f.y0:f.y1] {
		c.inB[v]++
	}
}

func (c *comparer) uncount(f box) {
	for _, v := range c.a[f.x0:f.x1] {
		c.inA[v] = 0
	}
	for _, v := range c.b[f.y0:f.y1] {
		c.inB[v], c.next[v] = 0, 0
	}
}

// markDel marks a range of items of the compact fragment as deleted. markIns marks a range of
// items as inserted.
func (c *comparer) markDel(from, to int) {
	for _, i := range c.compact.atA[from:to] {
		c.del[i] = true
	}
}

func (c *comparer) markIns(from, to int) {
	for _, i := range c.compact.atB[from:to] {
		c.ins[i] = true
	}
}

// shape contains the JSON keys of a Go type in the order of its fields. A value without a
// declared shape, such as a JSON schema, has a nil *shape.
type shape struct {
	keys   []string // nil for a map, which may have any keys
	inside map[string]*shape
	each   *shape // shape of the values of a map
}

// shapeOf returns the shape of a struct, a map, or a pointer to a struct or a map. It returns nil
// for other types.
func shapeOf(t reflect.Type) *shape {
	switch t.Kind() { //nolint:exhaustive // other types have no shape
	case reflect.Pointer:
		return shapeOf(t.Elem())
	case reflect.Map:
		return &shape{each: shapeOf(t.Elem())}
	case reflect.Struct:
		s := &shape{inside: map[string]*shape{}}
		for i := range t.NumField() {
			key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			s.keys = append(s.keys, key)
			s.inside[key] = shapeOf(t.Field(i).Type)
		}
		return s
	}
	return nil
}

// order returns the keys of both objects without duplicates: first the declared keys, in declared
// order, then the other keys in the order of newMembers. Keys that occur only in oldMembers are
// inserted at their former positions.
func (s *shape) order(oldMembers, newMembers members) []string {
	var keys []string
	seen := map[string]bool{}
	add := func(key string) {
		if !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	if s != nil {
		for _, k := range s.keys {
			add(k)
		}
	}
	at := 0 // index in oldMembers.list
	for _, m := range newMembers.list {
		if i, ok := oldMembers.index[m.Key]; ok && i >= at {
			for ; at < i; at++ {
				if _, stays := newMembers.index[oldMembers.list[at].Key]; !stays {
					add(oldMembers.list[at].Key)
				}
			}
		}
		add(m.Key)
	}
	for _, m := range oldMembers.list {
		add(m.Key)
	}
	return keys
}

// members contains the members of an object. It is empty for other kinds of nodes.
type members struct {
	list  []jsondoc.Member
	index map[string]int
}

func membersOf(n *jsondoc.Node) members {
	if n == nil || n.Kind != jsondoc.Object {
		return members{}
	}
	ms := members{list: n.Members, index: make(map[string]int, len(n.Members))}
	for i, m := range n.Members {
		ms.index[m.Key] = i
	}
	return ms
}

// get returns the value of key, or nil.
func (ms members) get(key string) *jsondoc.Node {
	if i, ok := ms.index[key]; ok {
		return ms.list[i].Value
	}
	return nil
}
