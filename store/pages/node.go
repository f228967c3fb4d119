package pages

import (
	"encoding/binary"
	"math/bits"
)

// The sorts of pages of a b-tree
// (https://www.sqlite.org/fileformat2.html#b_tree_pages).
const (
	indexInterior = 0x02
	tableInterior = 0x05
	indexLeaf     = 0x0a
	tableLeaf     = 0x0d
)

// node is a page of a b-tree.
type node struct {
	page     uint32
	data     []byte // what of it is used
	kind     byte
	head     int // where its header begins
	pointers int // where the list of its cells begins
	cells    int
	content  int // where the cells themselves may begin
}

func parseNode(f *File, page uint32, data []byte) (node, error) {
	n := node{page: page, data: data[:f.usable]}
	if page == 1 {
		n.head = headerSize
	}
	n.kind = n.data[n.head]
	n.pointers = n.head + 8
	switch n.kind {
	case tableInterior, indexInterior:
		n.pointers += 4
	case tableLeaf, indexLeaf:
	default:
		return n, unsound("page %d is no page of a tree", page)
	}
	n.cells = n.uint16(n.head + 3)
	n.content = n.uint16(n.head + 5)
	if n.content == 0 {
		n.content = 1 << 16
	}
	if n.pointers+2*n.cells > n.content || n.content > len(n.data) {
		return n, unsound("the cells of page %d do not fit", page)
	}
	return n, nil
}

func (n *node) uint16(at int) int { return int(binary.BigEndian.Uint16(n.data[at:])) }

// cell returns where a cell begins.
func (n *node) cell(i int) (int, error) {
	at := n.uint16(n.pointers + 2*i)
	if at < n.content || at > len(n.data)-4 {
		return 0, unsound("cell %d of page %d is not where cells are", i, n.page)
	}
	return at, nil
}

// rightmost is the child behind the last cell of an interior page.
func (n *node) rightmost() uint32 { return binary.BigEndian.Uint32(n.data[n.head+8:]) }

// cover notes which bytes of a page are taken, so that each is taken once.
type cover [1 << 16 / 64]uint64

// mark takes size bytes and reports whether all of them were free.
func (c *cover) mark(at, size int) bool {
	first, last := at/64, (at+size-1)/64
	for word := first; word <= last; word++ {
		bits := ^uint64(0)
		if word == first {
			bits <<= at % 64
		}
		if word == last {
			bits &= ^uint64(0) >> (63 - (at+size-1)%64)
		}
		if c[word]&bits != 0 {
			return false
		}
		c[word] |= bits
	}
	return true
}

// begin takes what stands before the cells.
func (c *cover) begin(n *node) {
	clear(c[:(len(n.data)+63)/64])
	c.mark(0, n.content)
}

// settle takes the free blocks, whose list is in the order of the page, and
// compares what is left with the fragments that the page counts, as
// PRAGMA integrity_check does.
func (c *cover) settle(n *node) error {
	for at, last := n.uint16(n.head+1), 0; at != 0; {
		if at < n.content || at <= last || at > len(n.data)-4 {
			return unsound("a free block of page %d is not where it can be", n.page)
		}
		size := n.uint16(at + 2)
		if size < 4 || at+size > len(n.data) || !c.mark(at, size) {
			return unsound("a free block of page %d lies over something else", n.page)
		}
		last, at = at+size-1, n.uint16(at)
	}
	taken := 0
	for _, word := range c[:(len(n.data)+63)/64] {
		taken += bits.OnesCount64(word)
	}
	if fragments := int(n.data[n.head+7]); len(n.data)-taken != fragments {
		return unsound("page %d has %d bytes in fragments and counts %d", n.page, len(n.data)-taken, fragments)
	}
	return nil
}
