// This file finds anchors, and implements the greedy comparison of large pieces.

package diff

import "slices"

// match is a pair of equal items: item x of the first sequence and item y of the second.
type match struct {
	x, y int
}

const (
	// maxPairs is the maximum number of pairs that the occurrences of a rare item may form. An item
	// that occurs m times in the first sequence and n times in the second forms m·n pairs.
	maxPairs = 64
	// pairsPerItem limits the number of pairs that all rare items of a fragment may form
	// together. The limit is pairsPerItem times the number of items in the fragment.
	pairsPerItem = 2
)

// anchors returns a longest common subsequence of the rare items of f, without unreliable
// matches. An item is rare if its occurrences form few pairs; see rarity.
//
// The subsequence is the longest chain of pairs (see chains). The time is O(p log n) for p pairs,
// and p is limited.
func (c *comparer) anchors(f box) []match {
	c.count(f)
	defer c.uncount(f)
	most := c.rarity(f)
	if most == 0 {
		return nil
	}
	places := c.places(f, most)
	found := chains{nodes: make([]chainNode, 0, len(places))}
	for x := f.x0; x < f.x1; x++ {
		v := c.a[x]
		if !c.rare(v, most) {
			continue
		}
		end := c.next[v] - 1
		for p := end - 1; p >= end-c.inB[v]; p-- { // last occurrence first, as chains requires
			found.add(int32(x), places[p])
		}
	}
	// A match is reliable if its item occurs once on each side, or if the match is
	// adjacent to another match. The chain may pair other items wrongly, so the exact
	// search compares these items.
	return slices.DeleteFunc(found.longest(), func(m match) bool {
		unique := c.inA[c.a[m.x]]*c.inB[c.a[m.x]] == 1
		afterEqual := m.x > f.x0 && m.y > f.y0 && c.a[m.x-1] == c.b[m.y-1]
		beforeEqual := m.x+1 < f.x1 && m.y+1 < f.y1 && c.a[m.x+1] == c.b[m.y+1]
		return !unique && !afterEqual && !beforeEqual
	})
}

func (c *comparer) rare(v int32, limit int) bool {
	pairs := int(c.inA[v]) * int(c.inB[v])
	return pairs > 0 && pairs <= limit && (c.trivial == nil || !c.trivial[v])
}

// rarity returns the maximum number of pairs that a rare item of f may form. It chooses the maximum
// that limits the total number of pairs as described at pairsPerItem. It returns 0 if no item is
// rare.
func (c *comparer) rarity(f box) int {
	var pairs [maxPairs + 1]int // pairs[n] is the total number of pairs of items that form n pairs each
	for _, v := range c.a[f.x0:f.x1] {
		if c.rare(v, maxPairs) {
			pairs[c.inA[v]*c.inB[v]] += int(c.inB[v])
		}
	}
	most, total := 0, 0
	for n, p := range pairs {
		total += p
		if total > max(pairsPerItem*f.size(), 256) {
			break
		}
		if p > 0 {
			most = n
		}
	}
	return most
}

// places returns the indices in the second sequence at which rare items occur, grouped by item. The
// group of item v ends before index next[v]-1 of the result.
func (c *comparer) places(f box, limit int) []int32 {
	total := int32(0)
	for _, v := range c.b[f.y0:f.y1] {
		if c.next[v] == 0 && c.rare(v, limit) {
			c.next[v] = total + 1 // index of the next free place of the group, plus 1
			total += c.inB[v]
		}
	}
	at := make([]int32, total)
	for y := f.y0; y < f.y1; y++ {
		if v := c.b[y]; c.next[v] > 0 {
			at[c.next[v]-1] = int32(y)
			c.next[v]++
		}
	}
	return at
}

// chains finds a longest chain of pairs in which x and y increase (Hunt and Szymanski, 1977). Pairs
// must be added in the order of increasing x. Pairs with equal x must be added in the order of
// decreasing y, which ensures that a chain contains at most one of these pairs.
type chains struct {
	nodes []chainNode
	tails []int32 // tails[k] is the index of the last node of a chain of length k+1; no chain of this length ends at a smaller y
}

// chainNode is a pair in a chain. prev is the index of the previous node, or -1.
type chainNode struct {
	x, y, prev int32
}

// add adds a pair in O(log n), where n is the length of the longest chain.
func (c *chains) add(x, y int32) {
	k := len(c.tails)
	if k > 0 && c.nodes[c.tails[k-1]].y >= y {
		k, _ = slices.BinarySearchFunc(c.tails, y, func(t, y int32) int { return int(c.nodes[t].y - y) })
		if c.nodes[c.tails[k]].y == y {
			return
		}
	}
	prev := int32(-1)
	if k > 0 {
		prev = c.tails[k-1]
	}
	if k == len(c.tails) {
		c.tails = append(c.tails, 0)
	}
	c.tails[k] = int32(len(c.nodes))
	c.nodes = append(c.nodes, chainNode{x, y, prev})
}

// longest returns a longest chain.
func (c *chains) longest() []match {
	if len(c.tails) == 0 {
		return nil
	}
	chain := make([]match, len(c.tails))
	at := c.tails[len(c.tails)-1]
	for i := range slices.Backward(chain) {
		n := c.nodes[at]
		chain[i], at = match{int(n.x), int(n.y)}, n.prev
	}
	return chain
}

// Limits of the length of a stride in the function greedy, in changes. Long strides cost more time
// per item but find shorter paths, so greedy uses them for small pieces.
const (
	minStride  = 8
	maxStride  = 128
	greedyWork = 6 << 20 // maximum product of the stride length and the number of items in a piece
)

// rows contains the furthest points after 0, 1, 2, … changes. Row d has a point for each
// diagonal k from -d to d in steps of two. The point has index (k+d)/2.
type rows [maxStride + 1][maxStride + 1]point

// greedy compares c.compact in strides. Each stride is a shortest path to the furthest
// point that a fixed number of changes can reach. The next stride begins at that point.
// The result is correct, but may have more changes than necessary.
func (c *comparer) greedy() {
	if c.rows == nil {
		c.rows = new(rows)
	}
	c.walked = true
	k := &c.compact
	f := trim(k.a, k.b, box{0, len(k.a), 0, len(k.b)})
	stride := min(max(greedyWork/(f.size()+1), minStride), maxStride)
	for f.x0 < f.x1 && f.y0 < f.y1 {
		a, b, d, best := k.a[f.x0:f.x1], k.b[f.y0:f.y1], 0, 0
		c.rows[0][0] = reached(snake(a, b, 0, 0), false)
		for furthest := 2 * c.rows[0][0].x(); d < stride && furthest < len(a)+len(b); {
			d++
			furthest, best = c.reach(a, b, d)
		}
		dx := c.rows[d][best].x() // length of the stride
		dy := dx - (2*best - d)
		for i := best; d > 0; d-- { // mark the changes of the stride, last change first
			if c.rows[d][i].deleted() {
				i--
				x := f.x0 + c.rows[d-1][i].x()
				c.markDel(x, x+1)
			} else {
				y := f.y0 + c.rows[d-1][i].x() - (2*i - d + 1)
				c.markIns(y, y+1)
			}
		}
		f.x0, f.y0 = f.x0+dx, f.y0+dy
	}
	c.markDel(f.x0, f.x1)
	c.markIns(f.y0, f.y1)
}

// reach computes row d from row d-1. furthest is the largest sum x+y of a point in the
// row, and best is the index of that point.
func (c *comparer) reach(a, b []int32, d int) (furthest, best int) {
	prev, row := c.rows[d-1][:d], c.rows[d][:d+1]
	furthest = -1
	for i := range row {
		k := 2*i - d
		p := outside
		if i < d && prev[i] >= 0 && prev[i].x()-k <= len(b) { // an insertion, from diagonal k+1
			p = reached(prev[i].x(), false)
		}
		if i > 0 && prev[i-1] >= max(p&^1, 0) && prev[i-1].x() < len(a) { // a deletion that reaches further
			p = reached(prev[i-1].x()+1, true)
		}
		if p >= 0 {
			x := snake(a, b, p.x(), p.x()-k)
			p = reached(x, p.deleted())
			if 2*x-k > furthest {
				furthest, best = 2*x-k, i
			}
		}
		row[i] = p
	}
	return furthest, best
}

// snake follows equal items from the point (x, y), and returns the x of the last point.
func snake(a, b []int32, x, y int) int {
	for x < len(a) && y < len(b) && a[x] == b[y] {
		x, y = x+1, y+1
	}
	return x
}

// point encodes the furthest x on a diagonal after some number of changes, and whether the
// last change was a deletion. The value outside means that no point on the diagonal can be
// reached.
type point int32

const outside point = -1

func reached(x int, deleted bool) point {
	if deleted {
		return point(x)<<1 | 1
	}
	return point(x) << 1
}

func (p point) x() int        { return int(p >> 1) }
func (p point) deleted() bool { return p&1 != 0 }
