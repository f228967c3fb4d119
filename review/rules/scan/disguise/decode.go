// Package disguise decodes text that is hidden in other text: base64, escapes, spaced letters,
// invisible characters, and simple ciphers.
package disguise

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"
)

// Decoded is a passage that encodes another text.
type Decoded struct {
	Start, End int // byte offsets of the passage in the scanned text
	Text       string
	Disguise   Disguise
}

// Limits for decoding one text.
const (
	maxDepth    = 3       // depth of nested encodings
	maxSegments = 2000    // number of texts that are decoded from one text
	MaxExtra    = 1 << 16 // a text of n bytes may be decoded into at most 2*n + MaxExtra bytes in total
)

// Segment is a text to scan. It is either the original text or a text decoded from another segment.
type Segment struct {
	Text   string
	Depth  int // 0 for the original text
	Hidden Disguise
	// The segment was decoded from the byte range [start, end) of the original text. If offs is not
	// nil, it maps each byte offset in Text, including the end of Text, to a byte offset in the
	// original text.
	start, end int
	offs       []int32
}

// Origin maps a byte range of the segment to a byte range of the original text.
func (g *Segment) Origin(start, end int) (int, int) {
	switch {
	case g.Depth == 0:
		return start, end
	case g.offs == nil:
		return g.start, g.end
	}
	from, to := int(g.offs[start]), int(g.offs[end])
	if to <= from {
		// In reversed text, the last byte comes first.
		from, to = to, from
	}
	return from, to
}

// Decoder finds and decodes encoded passages in a text and in the texts decoded from it, one
// segment at a time.
type Decoder struct {
	seg      *Segment // the current segment
	text     string   // text of the segment; for the original text, first only its prose and then the whole text
	original string
	markers  markers
	budget   int // number of bytes that may still be decoded
	queue    []Segment
	next     int // index in queue
	found    []Decoded
	longRuns [][2]int // in the original text
	longRun  bool
	// Known reports whether word, which must be in lower case, is in the lexicon.
	Known func(word []byte) bool
}

// Begin starts decoding text. prose is a copy of text in which everything except prose is replaced
// by spaces.
func (s *Decoder) Begin(text, prose string) {
	s.budget, s.next, s.original = 2*len(text)+MaxExtra, 0, text
	s.queue = append(s.queue[:0], Segment{Text: prose, end: len(text)})
}

// Next advances to the next segment and returns it. It returns nil if there are no more segments.
// The result is valid until the next call.
func (s *Decoder) Next() *Segment {
	if s.next == len(s.queue) {
		return nil
	}
	seg := s.queue[s.next] // a copy, because the queue may grow while it is in use
	s.next++
	s.seg, s.text, s.markers = &seg, seg.Text, markers{}
	return s.seg
}

// End returns the results and releases the text. decoded contains the decoded passages. longRuns
// contains the runs of at least 16 letters, digits, and "+/-_" in the text. longRun reports whether
// the text or a decoded text contains such a run.
func (s *Decoder) End() (decoded []Decoded, longRuns [][2]int, longRun bool) {
	decoded, longRuns, longRun = s.found, s.longRuns, s.longRun
	clear(s.queue)
	s.seg, s.text, s.original, s.found, s.longRuns, s.longRun = nil, "", "", nil, nil, false
	return decoded, longRuns, longRun
}

// push queues text, which was decoded from the byte range [start, end) of the current segment. offs
// maps the bytes of text to bytes of the current segment. If offs is nil, every byte maps to the
// whole range.
func (s *Decoder) push(text string, start, end int, offs []int32, how Disguise) {
	if text == "" || len(s.queue) >= maxSegments || len(text) > s.budget {
		return
	}
	s.budget -= len(text)
	seg := Segment{Text: text, Depth: s.seg.Depth + 1, Hidden: s.seg.Hidden | how, offs: offs}
	seg.start, seg.end = s.seg.Origin(start, end)
	switch {
	case offs == nil || s.seg.Depth == 0:
	case s.seg.offs == nil:
		seg.offs = nil
	default:
		for i := range offs {
			offs[i] = s.seg.offs[offs[i]]
		}
	}
	s.queue = append(s.queue, seg)
	s.found = append(s.found, Decoded{Start: seg.start, End: seg.end, Text: text, Disguise: seg.Hidden})
}

// Decode queues every text that a passage of the current segment may encode.
func (s *Decoder) Decode() {
	if s.seg.Depth == maxDepth {
		return
	}
	s.removeEscapedBytes()
	s.decodeEscapes()
	s.decodeCiphers()
	if s.seg.Depth == 0 {
		s.text = s.original
	}
	s.decodeRuns()
	if strings.IndexByte(s.text, 0xe2) >= 0 || strings.IndexByte(s.text, 0xf3) >= 0 || strings.IndexByte(s.text, 0xef) >= 0 {
		s.decodeInvisible()
	}
}

// Limits for the length of encoded runs.
const (
	minRun    = 16 // minimum length of a run that is decoded; shorter runs are words
	minPadded = 12 // minimum length of a base64 run that ends with "="
	minLine   = 32 // minimum length of a line of wrapped base64
	maxRun    = 1 << 18
)

// runKind contains, for each byte, the set of alphabets that contain it.
var runKind = func() (t [256]uint8) {
	for c := range t {
		b := byte(c)
		if letters.IsWord(b) || b == '+' || b == '/' || b == '-' || b == '_' {
			t[c] |= base64Digit
		}
		if b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'f' {
			t[c] |= inHex
		}
	}
	return t
}()

const (
	base64Digit = 1 << iota
	inHex
)

// decodeRuns decodes runs of characters and queues the results that are text. A run may be
// hexadecimal, base64 in either alphabet with or without padding (RFC 4648), or one of a sequence
// of character codes.
func (s *Decoder) decodeRuns() {
	text := s.text
	codes := codeRun{}
	for i := 0; i < len(text); {
		if runKind[text[i]]&base64Digit == 0 {
			i++
			continue
		}
		start, all := i, uint8(inHex)
		for i < len(text) && runKind[text[i]]&base64Digit != 0 {
			all &= runKind[text[i]]
			i++
		}
		end := i
		padded := i < len(text) && text[i] == '='
		n := end - start
		if n <= maxCode {
			if c := text[start]; n == 2 || c <= '9' || c|0x20 == 'x' {
				s.addCode(&codes, start, end)
			} else if codes.count > 0 {
				s.endCodes(&codes)
			}
			if !padded || n < minPadded {
				continue
			}
		}
		if n >= minRun {
			s.addLongRun(start, end)
		}
		if n < minRun && !padded || n < minPadded || n > maxRun {
			continue
		}
		if all&inHex != 0 && n%2 == 0 {
			if b, err := hex.DecodeString(text[start:end]); err == nil && s.pushBytes(b, start, end, Hex) {
				continue
			}
		}
		run, stop := s.joinWrapped(start, end)
		if s.pushBytes(unbase64(run), start, stop, Base64) {
			i = stop
			if n >= minRun {
				s.addLongRun(start, stop)
			}
		}
	}
	s.endCodes(&codes)
}

// addLongRun records the run in the byte range [start, end). If only a full stop separates the run
// from the previous one, addLongRun joins the two.
func (s *Decoder) addLongRun(start, end int) {
	s.longRun = true
	switch n := len(s.longRuns); {
	case s.seg.Depth > 0:
	case n > 0 && (start < s.longRuns[n-1][1] || start == s.longRuns[n-1][1]+1 && s.text[start-1] == '.'):
		s.longRuns[n-1][1] = end
	default:
		s.longRuns = append(s.longRuns, [2]int{start, end})
	}
}

// joinWrapped returns the run at text[start:end] and the end of the run. If the run looks like
// wrapped base64, joinWrapped appends the runs in the following lines.
func (s *Decoder) joinWrapped(start, end int) (run string, stop int) {
	text := s.text
	if end-start < minLine || end >= len(text) || text[end] != '\n' && text[end] != '\r' {
		return text[start:end], end
	}
	var b strings.Builder
	b.WriteString(text[start:end])
	for i := end; i < len(text) && b.Len() < maxRun; {
		for i < len(text) && text[i] <= ' ' {
			i++
		}
		from := i
		for i < len(text) && runKind[text[i]]&base64Digit != 0 {
			i++
		}
		if i == from || i < len(text) && text[i] > ' ' && text[i] != '=' {
			break
		}
		b.WriteString(text[from:i])
		end = i
		if i-from < minLine {
			break
		}
	}
	return b.String(), end
}

func unbase64(s string) []byte {
	s = strings.TrimRight(s, "=")
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	enc := base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		enc = base64.RawURLEncoding
	}
	b, err := enc.DecodeString(s)
	if err != nil {
		return nil
	}
	return b
}

// pushBytes queues b if b is text, and reports whether it is.
func (s *Decoder) pushBytes(b []byte, start, end int, how Disguise) bool {
	text, ok := decodeText(b)
	if ok {
		s.push(text, start, end, nil, how)
	}
	return ok
}

// decodeText converts b, which may be UTF-8 or UTF-16LE, to a string. It returns false if the
// result does not look like text that a person or program would write.
func decodeText(b []byte) (string, bool) {
	if len(b) < 6 {
		return "", false
	}
	if b[1] == 0 && b[3] == 0 && b[5] == 0 {
		b = dropHighBytes(b)
	}
	if !utf8.Valid(b) {
		return "", false
	}
	words, all := 0, 0
	for _, r := range string(b) {
		all++
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == ' ':
			words++
		case r == '\n', r == '\t', r == '\r', letters.Ignorable(r), unicode.IsPrint(r):
		default:
			return "", false
		}
	}
	return string(b), 2*words >= all
}

// dropHighBytes converts UTF-16LE to ASCII by dropping the high byte of each unit. It returns nil
// if a high byte is not 0.
func dropHighBytes(b []byte) []byte {
	out := make([]byte, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		if b[i+1] != 0 {
			return nil
		}
		out = append(out, b[i])
	}
	return out
}

// codeRun is a sequence of short numbers that may be character codes in binary, decimal, or
// hexadecimal notation.
type codeRun struct {
	start, end int
	count      int
	radices    uint8
	codes      []byte // the characters, with three columns for the three radices
}

const (
	maxCode  = 8 // maximum number of digits of a character code
	minCodes = 8 // minimum number of codes in a sequence
	asBinary = 1 << 0
	asOctets = 1 << 1 // decimal
	asHex    = 1 << 2
)

// addCode adds the short run text[start:end] to the sequence c. If the run is not a character code,
// addCode ends the sequence.
func (s *Decoder) addCode(c *codeRun, start, end int) {
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

// codeOf parses the character code s. It returns false if the number of digits is not in [shortest,
// longest] or the character is not printable.
func codeOf(s string, radix, shortest, longest int) (byte, bool) {
	if len(s) < shortest || len(s) > longest {
		return 0, false
	}
	v := 0
	for i := range len(s) {
		d := strings.IndexByte("0123456789abcdef"[:radix], s[i]|0x20)
		if d < 0 {
			return 0, false
		}
		v = v*radix + d
	}
	return byte(v), v >= 0x20 && v < 0x7f || v == '\n' || v == '\t'
}

// endCodes ends the sequence c. If the sequence is long enough and its characters are text,
// endCodes queues the text.
func (s *Decoder) endCodes(c *codeRun) {
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

// Disguise is a set of methods that disguise a passage. The value 0 means that the passage is plain
// text.
type Disguise uint16

// The disguises.
const (
	Lookalike    Disguise = 1 << iota // characters that imitate other letters
	Interspersed                      // invisible characters within a word
	Leet                              // digits and symbols in place of letters
	Spaced                            // letters separated by spaces or other characters
	Split                             // words split by spaces
	RunTogether                       // words without spaces
	Base64
	Hex
	Escaped // percent, HTML, JSON or other escapes
	Bits    // binary digits or character codes
	TagText // Unicode tag characters
	SelectorText
	ZeroWidthText
	Rot13
	Reversed
)

// Names returns a description of each disguise in d.
func (d Disguise) Names() []string {
	var names []string
	for i, name := range disguiseNames {
		if d&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

var disguiseNames = [...]string{
	"look-alike letters", "invisible characters within words", "leet spelling", "letters spelled apart", "broken words",
	"words run together", "base64", "hexadecimal", "escapes", "character codes", "Unicode tag characters",
	"variation selectors", "zero-width bits", "ROT13", "reversed text",
}

// Decoded reports whether d includes an encoding that people cannot read without decoding.
func (d Disguise) Decoded() bool {
	return d&^(Lookalike|Leet|Spaced|Split|RunTogether|Interspersed) != 0
}
