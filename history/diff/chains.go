package diff

import "slices"

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
