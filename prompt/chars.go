package prompt

import "unicode/utf8"

// countChars is utf8.RuneCountInString, several times as fast on text that is
// mostly ASCII: a prompt of a thousand tools is counted for every channel.
func countChars(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if i+8 <= len(s) && asciiWord(s[i:i+8]) {
			n += 8
			i += 8
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		n++
		i += size
	}
	return n
}

// asciiWord reports whether the eight bytes of s are all ASCII. The compiler
// makes one load of it.
func asciiWord(s string) bool {
	_ = s[7]
	word := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return word&0x8080808080808080 == 0
}
