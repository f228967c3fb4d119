package scan

// codeRun is a row of short numbers that may be the characters of a text in
// binary, decimal or hexadecimal.
type codeRun struct {
	start, end int
	count      int
	radices    uint8
	codes      []byte // by radix: three columns
}

const (
	maxCode  = 8 // digits of one character code
	minCodes = 8 // codes in a row that are looked into
	asBinary = 1 << 0
	asOctets = 1 << 1 // decimal
	asHex    = 1 << 2
)

// code adds the short run text[start:end] to the row, or ends the row.
func (s *reader) code(c *codeRun, start, end int) {
	word := s.text[start:end]
	radices := uint8(0)
	var values [3]byte
	if v, ok := codeOf(word, 2, 7, 8); ok {
		radices, values[0] = radices|asBinary, v
	}
	if v, ok := codeOf(word, 10, 2, 3); ok {
		radices, values[1] = radices|asOctets, v
	}
	digits := word
	if len(word) == 4 && (word[:2] == "0x" || word[:2] == "0X") {
		digits = word[2:]
	} else if len(word) == 3 && word[0] == 'x' {
		digits = word[1:]
	}
	if v, ok := codeOf(digits, 16, 2, 2); ok {
		radices, values[2] = radices|asHex, v
	}
	if c.count > 0 && (start-c.end > 3 || c.radices&radices == 0) {
		s.endCodes(c)
	}
	if radices == 0 {
		return
	}
	if c.count == 0 {
		c.start, c.radices = start, radices
	}
	c.radices &= radices
	c.end = end
	c.count++
	c.codes = append(c.codes, values[:]...)
}

func codeOf(s string, radix, shortest, longest int) (byte, bool) {
	if len(s) < shortest || len(s) > longest {
		return 0, false
	}
	v := 0
	for i := range len(s) {
		d := digitValue(s[i])
		if d >= radix {
			return 0, false
		}
		v = v*radix + d
	}
	return byte(v), v >= 0x20 && v < 0x7f || v == '\n' || v == '\t'
}

// digitValue returns the value of the digit c, 99 for any other character.
func digitValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 99
}

// endCodes queues the text that the row spells, if it does.
func (s *reader) endCodes(c *codeRun) {
	if c.count == 0 {
		return
	}
	if c.count >= minCodes {
		for column := range 3 {
			if c.radices&(1<<column) == 0 {
				continue
			}
			text := make([]byte, c.count)
			for k := range text {
				text[k] = c.codes[3*k+column]
			}
			if s.pushBytes(text, c.start, c.end, Bits) {
				break
			}
		}
	}
	c.count, c.codes = 0, c.codes[:0]
}
