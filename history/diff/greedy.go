package diff

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
