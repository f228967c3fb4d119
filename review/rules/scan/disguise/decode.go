// Package disguise decodes texts that are hidden in other texts: base64, escapes, letters
// spelled apart, and simple ciphers. Texts in invisible characters are not decoded, because
// these block by themselves.
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
	return int(g.offs[start]), int(g.offs[end])
}

// Decoder reads what a text and the texts decoded from it carry in disguise, one segment
// after the other.
type Decoder struct {
	seg     *Segment // the one that is being read
	text    string   // of it that is read: of the given text at first the prose, then all
	given   string
	budget  int // bytes that may still be decoded
	queue   []Segment
	next    int // in queue
	found   []Decoded
	longRun bool
	// Known reports whether a word in lower case is one of a language.
	Known func(word string) bool
}

// Begin queues a text that was given, whose prose is said: text with spaces for the rest.
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
	s.seg, s.text = &seg, seg.Text
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

// Decode queues every text that the segment just read may carry in disguise. rot13 and reversed
// report whether it has common words in that cipher.
func (s *Decoder) Decode(rot13, reversed bool) {
	if s.seg.Depth == maxDepth {
		return
	}
	s.withoutBytes()
	s.escapes()
	if rot13 {
		s.turned(ToRot13, Rot13)
	}
	if reversed {
		s.turned(Backwards, Reversed)
	}
	if s.seg.Depth == 0 {
		s.text = s.given
	}
	s.encodedRuns()
}

// Lengths of encoded runs that are looked into.
const (
	minRun    = 16 // shorter ones are words
	minPadded = 12 // unless "=" marks the end of base64
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
		padded := i < len(text) && text[i] == '='
		n := i - start
		s.longRun = s.longRun || n >= minRun
		if n < minRun && !padded || n < minPadded || n > maxRun {
			continue
		}
		if all&inHex != 0 && n%2 == 0 && s.pushBytes(unhex(text[start:i]), start, i, Hex) {
			continue
		}
		s.pushBytes(unbase64(text[start:i]), start, i, Base64)
	}
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		return nil
	}
	return b
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
	"words run together", "base64", "hexadecimal", "escapes", "ROT13", "reversed text",
}

// Decoded reports whether d is an encoding that no reader sees through.
func (d Disguise) Decoded() bool {
	return d&^(Lookalike|Leet|Spaced|Split|RunTogether|Interspersed) != 0
}
