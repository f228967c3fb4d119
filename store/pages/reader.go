package pages

import (
	"encoding/binary"
)

// Reader reads the leaves of trees for one goroutine.
type Reader struct {
	file    *File
	leaves  []byte    // the pages of a run
	page    []byte    // of an overflow chain
	whole   [2][]byte // payloads put together: that of the row before stays good
	nth     int
	covered cover
}

// NewReader makes a reader.
func (f *File) NewReader() *Reader {
	return &Reader{file: f, page: make([]byte, f.pageSize)}
}

// Each claims the pages of a run and calls fn for every row or entry, in their
// order, with those entries between that stand on interior pages. rowid is 0 in
// an index. The payload is good until the second call after this one. That rows
// are in the order of their numbers is checked here; the order of entries is
// for fn to look at (see Before).
func (r *Reader) Each(run Run, fn func(rowid int64, payload []byte) error) error {
	size := r.file.pageSize
	if r.leaves == nil {
		r.leaves = make([]byte, runLeaves*size)
	}
	for _, l := range run.leaves {
		if err := r.file.claim(l.page); err != nil {
			return err
		}
	}
	if err := r.file.readRun(run.leaves, r.leaves); err != nil {
		return err
	}
	last, any := int64(0), false
	if run.before != nil {
		last, any = run.before.rowid, true
	}
	for i := range run.leaves {
		l := &run.leaves[i]
		n, err := parseNode(r.file, l.page, r.leaves[i*size:(i+1)*size])
		if err != nil {
			return err
		}
		if run.tree.table {
			last, any, err = r.rows(&n, last, any, fn)
			if err == nil && l.bound && any && last > l.rowid {
				err = unsound("the last row of page %d belongs further on", l.page)
			}
			last, any = max(last, l.rowid), any || l.bound
		} else {
			err = r.entries(&n, l, fn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Before returns the entry that stands before a run of an index, nil when it is
// the first run.
func (r Run) Before() []byte {
	if r.before == nil {
		return nil
	}
	return r.before.entry
}

func (r *Reader) rows(n *node, last int64, any bool, fn func(int64, []byte) error) (int64, bool, error) {
	if n.kind != tableLeaf {
		return 0, false, unsound("page %d is no leaf of a table", n.page)
	}
	err := r.cells(n, func(c *cell) error {
		if any && c.rowid <= last {
			return unsound("row %d on page %d is out of order", c.rowid, n.page)
		}
		last, any = c.rowid, true
		payload, err := r.payload(c)
		if err != nil || fn == nil {
			return err
		}
		return fn(c.rowid, payload)
	})
	return last, any, err
}

func (r *Reader) entries(n *node, l *leaf, fn func(int64, []byte) error) error {
	if n.kind != indexLeaf {
		return unsound("page %d is no leaf of an index", n.page)
	}
	err := r.cells(n, func(c *cell) error {
		payload, err := r.payload(c)
		if err != nil || fn == nil {
			return err
		}
		return fn(0, payload)
	})
	if err == nil && l.bound && fn != nil {
		err = fn(0, l.entry)
	}
	return err
}

// cells calls fn for the cells of a leaf and checks that they, the free blocks
// and the fragments fill it.
func (r *Reader) cells(n *node, fn func(*cell) error) error {
	r.covered.begin(n)
	for i := range n.cells {
		at, err := n.cell(i)
		if err != nil {
			return err
		}
		c, err := r.file.parseCell(n, at)
		if err != nil {
			return err
		}
		if !r.covered.mark(at, c.size) {
			return unsound("cells of page %d lie over each other", n.page)
		}
		if err := fn(&c); err != nil {
			return err
		}
	}
	return r.covered.settle(n)
}

// payload returns all bytes of a cell; those that go on elsewhere are put
// together, and the pages they stand on are claimed
// (https://www.sqlite.org/fileformat2.html#ovflpgs).
func (r *Reader) payload(c *cell) ([]byte, error) {
	if len(c.local) == c.payload {
		return c.local, nil
	}
	r.nth = 1 - r.nth
	whole := append(r.whole[r.nth][:0], c.local...)
	page := c.overflow
	for len(whole) < c.payload {
		if err := r.file.claim(page); err != nil {
			return nil, err
		}
		if err := r.file.read(page, r.page); err != nil {
			return nil, err
		}
		whole = append(whole, r.page[4:min(r.file.usable, 4+c.payload-len(whole))]...)
		page = binary.BigEndian.Uint32(r.page)
	}
	r.whole[r.nth] = whole
	if page != 0 {
		return nil, unsound("an overflow chain goes on at page %d behind its end", page)
	}
	return whole, nil
}
