package pages

import "encoding/binary"

// Freelist claims the pages that are free and compares their number with the
// header's (https://www.sqlite.org/fileformat2.html#the_freelist).
func (f *File) Freelist() error {
	b := make([]byte, f.pageSize)
	seen := uint32(0)
	for trunk := f.freelist; trunk != 0; trunk = binary.BigEndian.Uint32(b) {
		if err := f.claim(trunk); err != nil {
			return err
		}
		if err := f.read(trunk, b); err != nil {
			return err
		}
		leaves := binary.BigEndian.Uint32(b[4:])
		if leaves > uint32(f.usable/4-2) {
			return unsound("page %d lists %d free pages", trunk, leaves)
		}
		for i := range leaves {
			if err := f.claim(binary.BigEndian.Uint32(b[8+4*i:])); err != nil {
				return err
			}
		}
		seen += 1 + leaves
	}
	if seen != f.freePages {
		return unsound("%d pages are free and the header counts %d", seen, f.freePages)
	}
	return nil
}
