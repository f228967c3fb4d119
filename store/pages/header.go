package pages

import (
	"encoding/binary"
)

// headerSize is the size in bytes of the header, which begins page 1
// (https://www.sqlite.org/fileformat2.html#the_database_header).
const headerSize = 100

// pendingByte is where the engine's locks are; the page it falls into is never
// used (https://www.sqlite.org/fileformat2.html#the_lock_byte_page).
const pendingByte = 0x40000000

// header is what the first bytes of a file say of the rest.
type header struct {
	pageSize  int
	usable    int    // bytes of a page that hold anything
	freelist  uint32 // its first trunk page, 0 when nothing is free
	freePages uint32
}

// parseHeader reads the header. Files with another text encoding, with pages
// that point back to their parents, or of an older format are not read here.
func parseHeader(b []byte) (header, error) {
	if len(b) < headerSize || string(b[:16]) != "SQLite format 3\x00" {
		return header{}, unsound("there is no header of a database")
	}
	h := header{
		pageSize:  int(binary.BigEndian.Uint16(b[16:])),
		freelist:  binary.BigEndian.Uint32(b[32:]),
		freePages: binary.BigEndian.Uint32(b[36:]),
	}
	if h.pageSize == 1 {
		h.pageSize = 1 << 16
	}
	h.usable = h.pageSize - int(b[20])
	switch {
	case h.pageSize < 512 || h.pageSize&(h.pageSize-1) != 0 || h.usable < 480:
		return header{}, unsound("pages can not have %d bytes, %d of them used", h.pageSize, h.usable)
	case b[21] != 64 || b[22] != 32 || b[23] != 32:
		return header{}, unsound("the payload fractions are not those of the format")
	case binary.BigEndian.Uint32(b[44:]) != 4:
		return header{}, unsound("the schema has another format")
	case binary.BigEndian.Uint32(b[52:]) != 0:
		return header{}, unsound("pages point back to their parents")
	case binary.BigEndian.Uint32(b[56:]) != 1:
		return header{}, unsound("texts are not in UTF-8")
	}
	return h, nil
}
