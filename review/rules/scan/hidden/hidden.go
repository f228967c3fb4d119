// Package hidden finds characters that people cannot see or that they mistake for other characters.
package hidden

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"

	"golang.org/x/text/unicode/norm"
)

// Kind is the reason why a character is unexpected in text written by people.
type Kind uint8

// The kinds of unexpected characters.
const (
	None          Kind = iota
	Invisible          // invisible character that its neighbors do not require
	DirectionMark      // left-to-right or right-to-left mark in text without right-to-left letters
	Isolate            // embedding or isolating direction control
	Override           // direction override, which changes the order in which text is displayed
	Tag                // Unicode tag character, which is an invisible form of an ASCII character
	Variation          // variation selector after a character without this variation; may encode a hidden byte
	Escape             // start of a terminal escape sequence
	Control            // other control character
	PrivateUse         // private-use character, which only a particular font defines
	Stacked            // more than two combining marks on a letter, or a mark that a Latin letter does not take
	Separator          // line separator, paragraph separator, or next line; only some programs break the line there
)

// Run is a run of unexpected characters of the same kind.
type Run struct {
	Kind       Kind
	Start, End int // byte offsets
	Count      int // number of characters
}

// MaxRuns is the maximum number of runs of each kind that Find returns. The limit ensures that
// numerous harmless characters do not displace other kinds.
const MaxRuns = 256

// Find returns the runs of unexpected characters in text. Unexpected characters are invisible,
// reorder other characters, or control a terminal. It omits characters that their neighbors
// justify: joiners within emoji and in writing systems that require joiners, variation selectors
// after a character with that variation, flags that are spelled with tags, and direction marks in
// right-to-left text.
func Find(text string) []Run {
	if letters.Plain(text) {
		return nil
	}
	h := search{text: text, rtl: strings.ContainsFunc(text, isRTL)}
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' {
			h.prev, h.last, h.marks = rune(c), rune(c), 0
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if k := h.kind(r, i+n); k != None {
			h.add(k, i, n)
		}
		i += n
		h.last = r
		if r == BlackFlag {
			h.flag = i + FlagTags(text[i:])
		}
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		h.marks = 0
		if !selector(r) && (r < 0x1f3fb || r > 0x1f3ff) {
			h.prev = r
		}
	}
	return h.found
}

// search is the state of Find.
type search struct {
	text  string
	found []Run
	count [Separator + 1]int // number of runs of each kind
	rtl   bool
	prev  rune // the last character that is not a combining mark, a selector, or a skin tone
	last  rune // the last character
	flag  int  // end of the tag characters that identify the last flag
	marks int  // number of combining marks since prev
}

// FlagTags returns the length in bytes of the tag sequence at the start of text, or 0 if there is
// none. A tag sequence identifies the flag of a region (UTS #51, ED-14a). It consists of up to six
// tag letters or digits, followed by the cancel tag.
func FlagTags(text string) int {
	for i, r := range text {
		switch {
		case r == CancelTag:
			return i + utf8.RuneLen(r)
		case i >= 6*4 || r < TagFirst+'0' || r > TagFirst+'z':
			return 0
		}
	}
	return 0
}

// Characters of flags and tags, and the zero-width non-joiner and joiner.
const (
	BlackFlag = 0x1f3f4
	TagFirst  = 0xe0000
	tagLast   = 0xe007f
	CancelTag = 0xe007f
	zwnj      = 0x200c
	zwj       = 0x200d
)

func selector(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef }

// kind returns the kind of the character r, which ends at byte end, or None if r is expected.
func (h *search) kind(r rune, end int) Kind {
	switch {
	case r == '\r' && (end == len(h.text) || h.text[end] == '\n' || h.text[end] == '\r'), r == '\f', r == utf8.RuneError:
		return None
	case r == 0x85, r == 0x2028, r == 0x2029:
		return Separator
	case r == 0x1b || r == 0x90 || r == 0x98 || r == 0x9b || r >= 0x9d && r <= 0x9f:
		return Escape
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return Control
	case r >= TagFirst && r <= tagLast:
		if end <= h.flag {
			return None
		}
		return Tag
	case selector(r):
		if selector(h.last) || !takesSelector(h.last, r) {
			return Variation
		}
		return None
	case r == 0x202d || r == 0x202e:
		return Override
	case r >= 0x202a && r <= 0x202c, r >= 0x2066 && r <= 0x2069:
		return Isolate
	case r == 0x200e || r == 0x200f || r == 0x61c:
		if h.rtl {
			return None
		}
		return DirectionMark
	case letters.Ignorable(r):
		if h.isJustified(r, end) {
			return None
		}
		return Invisible
	case r >= 0xe000 && r <= 0xf8ff, r >= 0xf0000:
		return PrivateUse
	case r >= 0x300 && r <= 0x36f:
		return h.stacked(r)
	}
	return None
}

// isJustified reports whether the neighbors of the invisible character r justify it.
func (h *search) isJustified(r rune, next int) bool {
	after, n := utf8.DecodeRuneInString(h.text[next:])
	switch r {
	case zwj:
		return pictograph(h.prev) && pictograph(after) || needsJoiner(h.prev)
	case zwnj:
		return needsJoiner(h.prev) && (needsJoiner(after) || !unicode.IsLetter(after))
	case 0x200b:
		return letters.NoSpaces(h.prev) && letters.NoSpaces(after)
	case 0xad: // soft hyphen between letters
		return unicode.IsLetter(h.prev) && unicode.IsLetter(after) && len(h.text) > next+n && !letters.Ignorable(after)
	case 0xfeff:
		return next == len("\ufeff") // byte order mark
	case 0x2800: // blank Braille pattern next to other Braille patterns
		return h.prev > 0x2800 && h.prev <= 0x28ff || after > 0x2800 && after <= 0x28ff
	case 0x115f, 0x1160:
		return unicode.Is(unicode.Hangul, after) || unicode.Is(unicode.Hangul, h.prev)
	case 0x180b, 0x180c, 0x180d, 0x180e, 0x180f:
		return unicode.Is(unicode.Mongolian, h.prev)
	case 0x34f:
		return unicode.Is(unicode.Hebrew, h.prev)
	}
	return false
}

// needsJoiner reports whether r belongs to a writing system that uses joiners.
func needsJoiner(r rune) bool {
	return r >= 0x600 && r <= 0x8ff || r >= 0x900 && r <= 0xdff || r >= 0xfb50 && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefe ||
		unicode.In(r, unicode.Khmer, unicode.Myanmar, unicode.Mongolian, unicode.Tibetan)
}

// pictograph reports whether r can be part of an emoji sequence.
func pictograph(r rune) bool {
	switch {
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2190 && r <= 0x2bff, r >= 0x3030 && r <= 0x303d, r == 0x3297, r == 0x3299:
		return true
	case r == 0xa9, r == 0xae, r == 0x203c, r == 0x2049, r == 0x2122, r == 0x2139:
		return true
	}
	return false
}

// takesSelector reports whether base is a character to which the variation selector sel applies.
func takesSelector(base, sel rune) bool {
	switch {
	case sel >= 0xe0100: // ideographic variation sequences
		return unicode.Is(unicode.Han, base)
	case sel == 0xfe0f || sel == 0xfe0e:
		return pictograph(base) || base >= '0' && base <= '9' || base == '#' || base == '*' || base >= 0x1f3fb && base <= 0x1f3ff
	}
	return unicode.In(base, unicode.Han, unicode.Mongolian, unicode.Myanmar) || unicode.Is(unicode.Sm, base) || base >= 0x3000 && base <= 0x303f
}

// add adds a character of kind k and n bytes at offset. It extends the last run if that run has the
// same kind and is adjacent. Otherwise, it starts a new run.
func (h *search) add(k Kind, offset, n int) {
	if last := len(h.found) - 1; last >= 0 {
		if f := &h.found[last]; f.Kind == k && (f.End == offset || k == Stacked && offset-f.End <= maxMarked) {
			f.End = offset + n
			f.Count++
			return
		}
	}
	if h.count[k] < MaxRuns {
		h.count[k]++
		h.found = append(h.found, Run{Kind: k, Start: offset, End: offset + n, Count: 1})
	}
}

// maxMarked is the maximum number of bytes between two stacked combining marks that belong to one
// run.
const maxMarked = 8

// stacked returns Stacked if the combining mark r does not compose with the preceding Latin letter,
// or is at least the third mark in a row. Otherwise, it returns None.
func (h *search) stacked(r rune) Kind {
	h.marks++
	if h.marks > 2 {
		return Stacked
	}
	if h.prev < 0x80 && unicode.IsLetter(h.prev) && h.marks == 1 {
		var b [8]byte
		pair := utf8.AppendRune(utf8.AppendRune(b[:0], h.prev), r)
		if utf8.RuneCount(norm.NFC.Bytes(pair)) > 1 {
			return Stacked
		}
	}
	return None
}

// isRTL reports whether r is a letter of a right-to-left writing system.
func isRTL(r rune) bool {
	return (r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc || r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1eeff) && unicode.IsLetter(r)
}
