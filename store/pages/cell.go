package pages

import (
	"encoding/binary"
)

// maxPayload bounds the size of a row in bytes, as the engine does
// (https://www.sqlite.org/limits.html).
const maxPayload = 1_000_000_000

// cell is one cell of a page: a row, an entry, or what leads to a child.
type cell struct {
	child    uint32 // of interior pages
	rowid    int64  // of tables
	payload  int    // bytes of it, wherever they are
	local    []byte // those on the page
	overflow uint32 // the page that goes on, 0 when all are here
	size     int    // bytes of the page that the cell takes
}

// parseCell reads the cell that begins at a place.
func (f *File) parseCell(n *node, at int) (cell, error) {
	var c cell
	b := n.data[at:]
	pos := 0
	if n.kind == tableInterior || n.kind == indexInterior {
		c.child, pos = binary.BigEndian.Uint32(b), 4
	}
	if n.kind != tableInterior {
		size, k := varint(b[pos:])
		if k == 0 || size > maxPayload {
			return c, unsound("a cell of page %d has no size", n.page)
		}
		c.payload, pos = int(size), pos+k
	}
	if n.kind == tableInterior || n.kind == tableLeaf {
		rowid, k := varint(b[pos:])
		if k == 0 {
			return c, unsound("a cell of page %d has no number", n.page)
		}
		c.rowid, pos = int64(rowid), pos+k
	}
	if n.kind == tableInterior {
		c.size = pos
		return c, nil
	}
	local := f.local(n.kind, c.payload)
	end := pos + local
	if local < c.payload {
		end += 4
	}
	if end > len(b) {
		return c, unsound("a cell of page %d goes beyond its end", n.page)
	}
	c.local = b[pos : pos+local]
	if local < c.payload {
		c.overflow = binary.BigEndian.Uint32(b[pos+local:])
	}
	c.size = max(end, 4)
	return c, nil
}

// local returns how many bytes of a payload stand on the page of its cell
// (https://www.sqlite.org/fileformat2.html#cell_payload_overflow_pages).
func (f *File) local(kind byte, payload int) int {
	most := f.usable - 35
	if kind != tableLeaf {
		most = (f.usable-12)*64/255 - 23
	}
	if payload <= most {
		return payload
	}
	least := (f.usable-12)*32/255 - 23
	if k := least + (payload-least)%(f.usable-4); k <= most {
		return k
	}
	return least
}
