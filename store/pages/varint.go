package pages

// varint reads a number of one to nine bytes, seven bits in each, eight in the
// last (https://www.sqlite.org/fileformat2.html#varint). n is 0 when b ends
// before the number does.
func varint(b []byte) (v uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	for i, c := range b {
		if i == 8 {
			return v<<8 | uint64(c), 9
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// AppendVarint appends v as varint reads it, for numbers below 2^56.
func AppendVarint(b []byte, v uint64) []byte {
	if v < 0x80 {
		return append(b, byte(v))
	}
	var groups [8]byte
	n := len(groups)
	for more := byte(0); v > 0 && n > 0; v >>= 7 {
		n--
		groups[n], more = byte(v&0x7f)|more, 0x80
	}
	return append(b, groups[n:]...)
}
