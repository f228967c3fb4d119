// This file decodes text in invisible characters.

package disguise

import (
	"strings"
	"unicode/utf8"

	"toolcrib/review/rules/scan/hidden"
)

// carrier collects bytes that invisible characters encode, and the positions of these characters in
// the text.
type carrier struct {
	text []byte
	offs []int32
	end  int32
}

func (c *carrier) add(b byte, at, size int) {
	if len(c.text) < maxRun {
		c.text, c.offs, c.end = append(c.text, b), append(c.offs, int32(at)), int32(at+size)
	}
}

// decodeInvisible queues texts that are encoded in tag characters, in variation selectors (one byte
// each), or in zero-width characters (one or two bits each). It also queues text that a direction
// override displays backwards.
func (s *Decoder) decodeInvisible() {
	var tags, selectors, widths carrier
	text := s.text
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == hidden.BlackFlag:
			n += hidden.FlagTags(text[i+n:])
		case r >= hidden.TagFirst+0x20 && r < hidden.CancelTag:
			tags.add(byte(r-hidden.TagFirst), i, n)
		case r >= 0xfe00 && r <= 0xfe0f:
			selectors.add(byte(r-0xfe00), i, n)
		case r >= 0xe0100 && r <= 0xe01ef:
			selectors.add(byte(r-0xe0100+16), i, n)
		case r >= 0x200b && r <= 0x200f, r >= 0x2060 && r <= 0x2064, r == 0xfeff, r == 0x180e:
			if at := strings.IndexRune(zeroWidths, r); at >= 0 {
				widths.add(byte(at/utf8.RuneLen(r)), i, n)
			}
		case r == 0x202e || r == 0x202d:
			end := len(text) // the override ends at the line break or at the next direction control
			if k := strings.IndexAny(text[i+n:], "\n\u202c\u202d\u202e"); k >= 0 {
				end = i + n + k
			}
			s.reverse(i+n, end)
		}
		i += n
	}
	if len(tags.text) >= 4 {
		s.push(string(tags.text), int(tags.offs[0]), int(tags.end), append(tags.offs, tags.end), TagText)
	}
	if len(selectors.text) >= 4 {
		s.decodeSelectors(&selectors)
	}
	if len(widths.text) >= 32 {
		s.decodeZeroWidth(&widths)
	}
}

// zeroWidths lists the zero-width characters that may encode bits. There must be at most 16 of
// them, and each must have three bytes in UTF-8.
const zeroWidths = "\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff\u180e"

// decodeSelectors queues the text that the variation selectors in c encode. It ignores U+FE0E and
// U+FE0F, which ordinary text uses after emoji and which would decode to control characters.
func (s *Decoder) decodeSelectors(c *carrier) {
	text, offs := c.text[:0], c.offs[:0]
	for k, b := range c.text {
		if b != 0x0f && b != 0x0e {
			text, offs = append(text, b), append(offs, c.offs[k])
		}
	}
	if plain, ok := decodeText(text); ok && len(plain) == len(text) {
		s.push(plain, int(offs[0]), int(c.end), append(offs, c.end), SelectorText)
	}
}

// decodeZeroWidth queues the text that the zero-width characters in c encode. If c contains exactly
// four different characters, each may represent two bits. Otherwise, the two most common characters
// represent 0 and 1, in either order, in units of 8, 7, or 16 bits.
func (s *Decoder) decodeZeroWidth(c *carrier) {
	var count [16]int
	for _, sym := range c.text {
		count[sym]++
	}
	var order []byte
	for sym, n := range count {
		if n > 0 {
			order = append(order, byte(sym))
		}
	}
	if len(order) == 4 {
		for _, reverse := range []bool{false, true} {
			if s.pushBytes(pack(c.text, order, 2, 8, reverse), int(c.offs[0]), int(c.end), ZeroWidthText) {
				return
			}
		}
	}
	for len(order) > 2 {
		least := 0
		for k := range order {
			if count[order[k]] < count[order[least]] {
				least = k
			}
		}
		order = append(order[:least], order[least+1:]...)
	}
	for _, width := range []int{8, 7, 16} {
		for _, reverse := range []bool{false, true} {
			if len(order) == 2 && s.pushBytes(pack(c.text, order, 1, width, reverse), int(c.offs[0]), int(c.end), ZeroWidthText) {
				return
			}
		}
	}
}

// pack decodes symbols into units of the given width in bits, and returns the low byte of each
// unit. The value of a symbol is its index in order, or its index from the end of order if reverse
// is set. Each value contributes the given number of bits to a unit, most significant first. pack
// skips symbols that order does not contain, because they are separators.
func pack(symbols, order []byte, bits, width int, reverse bool) []byte {
	var value [16]int
	for i := range value {
		value[i] = -1
	}
	for i, sym := range order {
		value[sym] = i
		if reverse {
			value[sym] = len(order) - 1 - i
		}
	}
	var out []byte
	acc, have := 0, 0
	for _, sym := range symbols {
		v := value[sym]
		if v < 0 {
			continue
		}
		acc, have = acc<<bits|v, have+bits
		if have >= width {
			out = append(out, byte(acc))
			if width == 16 && acc>>8 != 0 {
				return nil
			}
			acc, have = 0, 0
		}
	}
	return out
}
