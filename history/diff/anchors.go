package diff

import "slices"

// match is an item at x of the first sequence and at y of the second.
type match struct {
	x, y int
}

const (
	// maxMeetings is the largest number of pairs one item may form, its
	// occurrences on one side times those on the other, to count as rare.
	maxMeetings = 64
	// meetingsPerItem bounds the pairs of all rare items together.
	meetingsPerItem = 2
)

// anchors returns a longest common subsequence of the rare items of f, in
// order. An item is rare when it forms few pairs, at most one (once on both
// sides) if there are many items.
//
// It is the longest chain of their pairs (see chains); it costs O(pairs · log n)
// and is quick because the pairs are few.
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
		for p := end - 1; p >= end-c.inB[v]; p-- { // from the last: no item is used twice
			found.add(int32(x), places[p])
		}
	}
	return slices.DeleteFunc(found.longest(), func(m match) bool { return !c.sure(f, m) })
}

// sure reports whether m may be relied on: its item stands once on either
// side, or an item next to it is the same on both sides too. Of other items
// the chain may have taken the wrong one; they are left to the exact search.
func (c *comparer) sure(f box, m match) bool {
	v := c.a[m.x]
	return c.inA[v]*c.inB[v] == 1 ||
		m.x > f.x0 && m.y > f.y0 && c.a[m.x-1] == c.b[m.y-1] ||
		m.x+1 < f.x1 && m.y+1 < f.y1 && c.a[m.x+1] == c.b[m.y+1]
}

func (c *comparer) rare(v int32, most int) bool {
	pairs := int(c.inA[v]) * int(c.inB[v])
	return pairs > 0 && pairs <= most && (c.trivial == nil || !c.trivial[v])
}

// rarity returns how many pairs a rare item of f may form so that all of them
// together stay in bounds; 0 when there is no rare item.
func (c *comparer) rarity(f box) int {
	var pairs [maxMeetings + 1]int // by pairs per item, counted once for each x
	for _, v := range c.a[f.x0:f.x1] {
		if c.rare(v, maxMeetings) {
			pairs[c.inA[v]*c.inB[v]] += int(c.inB[v])
		}
	}
	most, total := 0, 0
	for n, p := range pairs {
		total += p
		if total > max(meetingsPerItem*f.size(), 256) {
			break
		}
		if p > 0 {
			most = n
		}
	}
	return most
}

// places lists where each rare number stands in the second sequence, in order,
// number by number. Those of v end before next[v]-1.
func (c *comparer) places(f box, most int) []int32 {
	total := int32(0)
	for _, v := range c.b[f.y0:f.y1] {
		if c.next[v] == 0 && c.rare(v, most) {
			c.next[v] = total + 1 // the first place, and never 0
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

// chains finds the longest chain of pairs with a growing x and a growing y
// (Hunt and Szymanski, 1977). Pairs are added in the order of x, those of one x
// from the largest y down, so that none continues another of the same x.
type chains struct {
	nodes []chainNode
	tails []int32 // tails[k] is the node with the smallest y that ends a chain of k+1
}

// chainNode is a pair, and the node before it in its chain; -1 for none.
type chainNode struct {
	x, y, prev int32
}

// add takes O(log n) for a chain of n.
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

// longest returns the longest chain.
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

// The strides of greedy, in changes. A long one costs more for each item and
// finds better paths, so long ones are for pieces that are not too large.
const (
	minStride  = 8
	maxStride  = 128
	greedyWork = 6 << 20 // the stride times the items of a piece
)

// rows hold the furthest points after 0, 1, 2 … changes: after d of them, that
// on diagonal k (from -d to d in steps of two) is at (k+d)/2.
type rows [maxStride + 1][maxStride + 1]point

// greedy compares c.compact in strides: each is a shortest path to the point
// that lies furthest ahead after a fixed number of changes, and the next one
// starts from there. The result is valid but need not be minimal.
func (c *comparer) greedy() {
	if c.rows == nil {
		c.rows = new(rows)
	}
	c.walked = true
	k := &c.compact
	f := trim(k.a, k.b, box{0, len(k.a), 0, len(k.b)})
	stride := min(max(greedyWork/(f.size()+1), minStride), maxStride)
	for f.x0 < f.x1 && f.y0 < f.y1 {
		dx, dy := c.step(k.a[f.x0:f.x1], k.b[f.y0:f.y1], f.x0, f.y0, stride)
		f.x0, f.y0 = f.x0+dx, f.y0+dy
	}
	c.markDel(f.x0, f.x1)
	c.markIns(f.y0, f.y1)
}

// mend compares each run of changes that greedy has left once more: where two
// strides meet, an item may be deleted before and inserted behind.
func (c *comparer) mend() {
	for e := range changes(c.del, c.ins) {
		if !e.Old.empty() && !e.New.empty() {
			clear(c.del[e.Old.Start:e.Old.End])
			clear(c.ins[e.New.Start:e.New.End])
			c.solve(box{e.Old.Start, e.Old.End, e.New.Start, e.New.End}, maxDepth)
		}
	}
}

// step makes one stride through a and b, which begin at x0 and y0 of the
// compact fragment, marks the changes on its way and returns its length.
func (c *comparer) step(a, b []int32, x0, y0, stride int) (dx, dy int) {
	d, best := 0, 0
	c.rows[0][0] = reached(snake(a, b, 0, 0), false)
	for furthest := 2 * c.rows[0][0].x(); d < stride && furthest < len(a)+len(b); {
		d++
		furthest, best = c.reach(a, b, d)
	}
	dx = c.rows[d][best].x()
	dy = dx - (2*best - d)
	for i := best; d > 0; d-- {
		if c.rows[d][i].deleted() {
			i--
			x := x0 + c.rows[d-1][i].x()
			c.markDel(x, x+1)
		} else {
			y := y0 + c.rows[d-1][i].x() - (2*i - d + 1)
			c.markIns(y, y+1)
		}
	}
	return dx, dy
}

// reach fills row d from row d-1. It returns where the point is that lies
// furthest ahead, and how far: x+y.
func (c *comparer) reach(a, b []int32, d int) (furthest, best int) {
	prev, row := c.rows[d-1][:d], c.rows[d][:d+1]
	furthest = -1
	for i := range row {
		k := 2*i - d
		p := outside
		if i < d && prev[i] >= 0 && prev[i].x()-k <= len(b) { // an insertion, from diagonal k+1
			p = reached(prev[i].x(), false)
		}
		if i > 0 && prev[i-1] >= max(p&^1, 0) && prev[i-1].x() < len(a) { // a deletion reaches further
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

// snake follows equal items from x and y on and returns where x ends.
func snake(a, b []int32, x, y int) int {
	for x < len(a) && y < len(b) && a[x] == b[y] {
		x, y = x+1, y+1
	}
	return x
}

// point is the furthest x on a diagonal after some changes, and whether the
// last of them is a deletion; or outside, when none lies inside the fragment.
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
