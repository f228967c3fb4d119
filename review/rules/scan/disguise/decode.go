// Package disguise decodes texts that are hidden in other texts: base64, escapes, letters
// spelled apart, invisible characters, and simple ciphers.
package disguise

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"
)

// Decoded is a passage that turned out to be another text in disguise.
type Decoded struct {
	Start, End int // bytes of the text that was scanned
	Text       string
	Disguise   Disguise
}

// Limits of decoding one text.
const (
	maxDepth    = 3       // encodings within encodings
	maxSegments = 2000    // texts decoded from one text
	MaxExtra    = 1 << 16 // decoded bytes beyond twice the length of the text
)

// Segment is a text to read: the one given, or one decoded from another.
type Segment struct {
	Text   string
	Depth  int // 0 for the text that was given
	Hidden Disguise
	// start and end are the bytes of the given text that the segment was
	// decoded from. offs, when there, has for each byte of text and its end
	// the byte of the given text it came from.
	start, end int
	offs       []int32
}

// Origin maps bytes of the segment to bytes of the text that was scanned.
func (g *Segment) Origin(start, end int) (int, int) {
	switch {
	case g.Depth == 0:
		return start, end
	case g.offs == nil:
		return g.start, g.end
	}
	from, to := int(g.offs[start]), int(g.offs[end])
	if to <= from {
		// Reversed text: the last byte comes first.
		from, to = to, from
	}
	return from, to
}

// Decoder reads what a text and the texts decoded from it carry in disguise, one segment
// after the other.
type Decoder struct {
	seg     *Segment // the one that is being read
	text    string   // of it that is read: of the given text at first the prose, then all
	given   string
	markers markers
	budget  int // bytes that may still be decoded
	queue   []Segment
	next    int // in queue
	found   []Decoded
	longRun bool
	// Known reports whether a word in lower case is one of a language.
	Known func(word string) bool
}

// Begin queues a text. said is its prose, with spaces for the rest.
func (s *Decoder) Begin(text, said string) {
	s.budget, s.next, s.given = 2*len(text)+MaxExtra, 0, text
	s.queue = append(s.queue[:0], Segment{Text: said, end: len(text)})
}

// Next turns to the next segment and returns it, nil if there is none. It is valid until
// the next call.
func (s *Decoder) Next() *Segment {
	if s.next == len(s.queue) {
		return nil
	}
	seg := s.queue[s.next] // a copy: the queue grows while it is read
	s.next++
	s.seg, s.text, s.markers = &seg, seg.Text, markers{}
	return s.seg
}

// End forgets the text. It returns what was decoded, and whether at least 16 letters,
// digits and "+/-_" are in a row.
func (s *Decoder) End() (found []Decoded, longRun bool) {
	found, longRun = s.found, s.longRun
	clear(s.queue)
	s.seg, s.text, s.given, s.found, s.longRun = nil, "", "", nil, false
	return found, longRun
}

// push queues a text decoded from bytes start to end of the segment being
// read. offs maps its bytes to bytes of that segment; nil maps all of it to
// the whole passage.
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

// Decode queues every text that the segment just read may carry in disguise.
func (s *Decoder) Decode() {
	if s.seg.Depth == maxDepth {
		return
	}
	s.withoutBytes()
	s.escapes()
	s.turned()
	if s.seg.Depth == 0 {
		s.text = s.given
	}
	s.encodedRuns()
	if strings.IndexByte(s.text, 0xe2) >= 0 || strings.IndexByte(s.text, 0xf3) >= 0 || strings.IndexByte(s.text, 0xef) >= 0 {
		s.invisible()
	}
}

// Lengths of encoded runs that are looked into.
const (
	minRun    = 16 // shorter ones are words
	minPadded = 12 // unless "=" marks the end of base64
	minLine   = 32 // a run this long may go on in the next line
	maxRun    = 1 << 18
)

// runKind has a bit for each alphabet a byte belongs to.
var runKind = func() (t [256]uint8) {
	for c := range t {
		b := byte(c)
		if letters.IsWord(b) || b == '+' || b == '/' || b == '-' || b == '_' {
			t[c] |= inBase64
		}
		if b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'f' {
			t[c] |= inHex
		}
	}
	return t
}()

const (
	inBase64 = 1 << iota
	inHex
)

// encodedRuns looks for runs of characters that decode to text as base64
// (RFC 4648, both alphabets, padded or not) or hexadecimal.
func (s *Decoder) encodedRuns() {
	text := s.text
	codes := codeRun{}
	for i := 0; i < len(text); {
		if runKind[text[i]]&inBase64 == 0 {
			i++
			continue
		}
		start, all := i, uint8(inHex)
		for i < len(text) && runKind[text[i]]&inBase64 != 0 {
			all &= runKind[text[i]]
			i++
		}
		end := i
		padded := i < len(text) && text[i] == '='
		n := end - start
		if n <= maxCode {
			if c := text[start]; n == 2 || c <= '9' || c|0x20 == 'x' {
				s.code(&codes, start, end)
			} else if codes.count > 0 {
				s.endCodes(&codes)
			}
			if !padded || n < minPadded {
				continue
			}
		}
		s.longRun = s.longRun || n >= minRun
		if n < minRun && !padded || n < minPadded || n > maxRun {
			continue
		}
		if all&inHex != 0 && n%2 == 0 {
			if b, err := hex.DecodeString(text[start:end]); err == nil && s.pushBytes(b, start, end, Hex) {
				continue
			}
		}
		run, stop := s.lines(start, end)
		if s.pushBytes(unbase64(run), start, stop, Base64) {
			i = stop
		}
	}
	s.endCodes(&codes)
}

// lines returns the run at text[start:end] joined with the runs in the lines
// below it, when it looks as if it had been wrapped, and the end of the last.
func (s *Decoder) lines(start, end int) (run string, stop int) {
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
		for i < len(text) && runKind[text[i]]&inBase64 != 0 {
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

// pushBytes queues b when it is text, and reports whether it is.
func (s *Decoder) pushBytes(b []byte, start, end int, how Disguise) bool {
	text, ok := textual(b)
	if ok {
		s.push(text, start, end, nil, how)
	}
	return ok
}

// textual returns b as text, from UTF-8 or UTF-16LE, if it looks like
// something a person or a program would write.
func textual(b []byte) (string, bool) {
	if len(b) < 6 {
		return "", false
	}
	if b[1] == 0 && b[3] == 0 && b[5] == 0 {
		b = narrow(b)
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

// narrow keeps the low bytes of UTF-16LE.
func narrow(b []byte) []byte {
	out := make([]byte, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		if b[i+1] != 0 {
			return nil
		}
		out = append(out, b[i])
	}
	return out
}

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
func (s *Decoder) code(c *codeRun, start, end int) {
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

// codeOf reads a character code of shortest to longest digits.
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

// endCodes queues the text that the row spells, if it does.
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

// Disguise is how a passage was hidden; 0 is plain text.
type Disguise uint16

// The disguises.
const (
	Lookalike    Disguise = 1 << iota // letters that imitate others
	Interspersed                      // invisible characters within a word
	Leet                              // digits and symbols for letters
	Spaced                            // letters spelled apart
	Split                             // words broken by spaces
	RunTogether                       // words without spaces
	Base64
	Hex
	Escaped // percent, HTML, JSON or other escapes
	Bits    // written as binary digits or character codes
	TagText // Unicode tag characters
	SelectorText
	ZeroWidthText
	Rot13
	Reversed
)

// Names lists, in plain words, the disguises in d.
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

// Decoded reports whether d is an encoding that no reader sees through.
func (d Disguise) Decoded() bool {
	return d&^(Lookalike|Leet|Spaced|Split|RunTogether|Interspersed) != 0
}
