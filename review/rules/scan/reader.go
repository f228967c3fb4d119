// This file splits text into words and sentences.

package scan

import (
	"strings"
	"unicode/utf8"

	"toolcrib/review/rules/scan/disguise"
	"toolcrib/review/rules/scan/letters"
)

// reader splits a segment into words and sentences. It passes each sentence to the matcher. It
// passes each segment to the decoder, which may find further segments.
type reader struct {
	g       *Grammar
	out     *Result
	text    string // the text of the segment
	words   sentence
	frames  matcher
	encoded disguise.Decoder

	atLineStart  bool // only white space was read since the last line break
	nameStart    int  // first token of the current name, or -1
	nameJoined   bool // the current name contains a "_" or a change of case
	fenced       bool // within a code block
	singles      int  // number of consecutive single-character words
	spelledStart int  // start of the first single-character word
	spelledEnd   int  // end of the last single-character word
	seen         Set  // all concepts of the segment

	folds     letters.Cache
	nativeBuf []byte // scratch space: a folded word
	asciiBuf  []byte // scratch space: the ASCII word that a folded word imitates

	// sentences and clauses are results for the whole text. The end method copies them to the
	// Result.
	sentences []Sentence
	clauses   []Clause
}

func newReader(g *Grammar) *reader {
	s := &reader{g: g}
	s.encoded.Known = func(word []byte) bool {
		id := g.lex.words.get(hash(word))
		return id != 0 && !g.lex.list[id].set.has(g.rot13) && !g.lex.list[id].set.has(g.backwards)
	}
	s.words = sentence{g: g, lastSeen: make([]uint32, len(g.byAnchor))}
	s.frames = matcher{g: g, words: &s.words, fit: fit{words: &s.words}, fired: make([]uint8, len(g.frames)), triedFrames: marks{at: make([]uint32, len(g.frames))}}
	return s
}

// asciiKind is the kind of an ASCII character, which determines how read handles the character.
type asciiKind uint8

const (
	kMark asciiKind = iota
	kSpace
	kLine
	kLower
	kUpper
	kDigit
	kApostrophe
	kLeet
)

var asciiKinds = func() (t [128]asciiKind) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z':
			t[c] = kLower
		case c >= 'A' && c <= 'Z':
			t[c] = kUpper
		case c >= '0' && c <= '9':
			t[c] = kDigit
		case c == '\n':
			t[c] = kLine
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			t[c] = kSpace
		case c == '\'':
			t[c] = kApostrophe
		case c == '@' || c == '$' || c == '!' || c == '|' || c == '+':
			t[c] = kLeet
		}
	}
	return t
}()

// read splits the segment into words and punctuation.
func (s *reader) read() {
	for i := 0; i < len(s.text); {
		c := s.text[i]
		if c >= utf8.RuneSelf {
			i = s.readRune(i)
			continue
		}
		switch asciiKinds[c] {
		case kLower, kUpper, kDigit:
			i = s.readWord(i)
		case kSpace:
			s.words.gap |= gSpace
			i++
		case kLine:
			s.newline()
			i++
		case kLeet:
			if end, ok := s.readLeetChunk(i, i); ok {
				i = end
				continue
			}
			i = s.readMark(i, c)
		case kMark, kApostrophe:
			i = s.readMark(i, c)
		}
	}
	s.endSpelled()
	s.flush(false)
}

func (s *reader) newline() {
	if s.words.gap&gNewline != 0 && s.atLineStart {
		s.words.gap |= gBlank
	}
	s.words.gap |= gNewline
	s.atLineStart = true
}

// readRune reads the character outside ASCII at i, or the word that begins with it, and returns the
// position after it.
func (s *reader) readRune(i int) int {
	r, size := utf8.DecodeRuneInString(s.text[i:])
	f := s.folds.Fold(r)
	switch f.Class {
	case letters.Letter, letters.Digit:
		return s.readWord(i)
	case letters.Unspaced:
		return s.readGlyphs(i)
	case letters.Skip:
	case letters.Space:
		s.words.gap |= gSpace
		if r == 0x2028 || r == 0x2029 {
			s.newline()
		}
	case letters.Other:
		s.readMarkRune(i, size, r, f)
	}
	return i + size
}

// readMark reads an ASCII punctuation character and returns the position after it.
func (s *reader) readMark(i int, c byte) int {
	starts := s.atLineStart
	s.atLineStart = false
	switch c {
	case '.':
		if s.words.gap&(gSpace|gNewline) != 0 && i+1 < len(s.text) && letters.IsWord(s.text[i+1]) && s.text[i-1] != '.' {
			s.words.gap |= gMark // ".github": the dot begins a name and does not end a sentence
			return i + 1
		}
		s.words.gap |= gStop
		if s.words.gap&gSpace == 0 && i+1 < len(s.text) && letters.IsWord(s.text[i+1]) {
			s.words.gap |= gDot
		}
	case '`':
		s.words.gap |= gQuote
		if starts && hasPrefixAt(s.text, i, "```") {
			s.fenced = !s.fenced
			s.words.gap |= gBlank
			return i + 3
		}
	case '<':
		if hasPrefixAt(s.text, i, "<!--") {
			s.words.gap |= gComment
			return i + 4
		}
		s.words.gap |= gTag
	case '>':
		s.words.gap |= gTag
		if starts {
			s.words.gap |= gBullet
		}
	case '-', '*', '#':
		if hasPrefixAt(s.text, i, "-->") {
			s.words.gap |= gComment
			return i + 3
		}
		switch {
		case starts:
			s.words.gap |= gBullet
		case c == '-' && s.within(i):
			s.words.gap |= gHyphen
		default:
			s.words.gap |= gDash
		}
	case '_':
		if s.within(i) {
			s.words.gap |= gJoin
		} else {
			s.words.gap |= gMark
		}
	default:
		g := markGaps[c]
		if g == 0 {
			g = gMark
		}
		s.words.gap |= g
	}
	return i + 1
}

// markGaps maps ASCII punctuation characters to their gaps. It does not contain characters with a
// gap that depends on the context, or characters with the gap gMark.
var markGaps = [utf8.RuneSelf]gap{
	'!': gStop, '?': gStop,
	',': gComma, ':': gColon, ';': gColon,
	'"': gQuote, '\'': gQuote,
	'(': gOpen, '[': gOpen, '{': gOpen,
	')': gClose, ']': gClose, '}': gClose,
	'/': gSlash, '\\': gSlash,
	'@': gAt, '~': gTilde, '+': gPlus,
}

// within reports whether a letter or digit is on both sides of the character at i. Such a character
// joins two parts of a name.
func (s *reader) within(i int) bool {
	return s.words.gap == 0 && i > 0 && i+1 < len(s.text) && letters.IsWord(s.text[i-1]) && letters.IsWord(s.text[i+1])
}

// readMarkRune reads a punctuation character outside ASCII. Between two ASCII letters, a full stop
// of another writing system separates the labels of a host name, as in browsers (UTS 46).
func (s *reader) readMarkRune(i, size int, r rune, f *letters.Folded) {
	if strings.ContainsRune("。．｡․", r) && s.words.gap == 0 && i > 0 && letters.IsWord(s.text[i-1]) && i+size < len(s.text) && letters.IsWord(s.text[i+size]) {
		s.words.gap |= gStop | gDot
		s.atLineStart = false
		return
	}
	switch r {
	case '。', '！', '？', '．', '｡', '؟', '।', '…':
		s.words.gap |= gStop | gSpace
	case '，', '、', '､', '،':
		s.words.gap |= gComma
	case '：', '；', '؛':
		s.words.gap |= gColon
	case '“', '”', '‘', '’', '„', '«', '»', '「', '」', '『', '』', '‹', '›', '《', '》':
		s.words.gap |= gQuote
	case '（', '【', '［':
		s.words.gap |= gOpen
	case '）', '】', '］':
		s.words.gap |= gClose
	case '—', '–':
		s.words.gap |= gDash
	case '•', '·', '‣', '▪', '●', '○':
		if s.atLineStart {
			s.words.gap |= gBullet
		}
		s.words.gap |= gMark
	default:
		if len(f.Text) == 1 && f.Text[0] < utf8.RuneSelf {
			s.readMark(len(s.text), f.Text[0])
			return
		}
		s.words.gap |= gMark
	}
	s.atLineStart = false
}

func hasPrefixAt(s string, i int, prefix string) bool {
	return len(s)-i >= len(prefix) && s[i:i+len(prefix)] == prefix
}

// emit appends the word t to the current sentence. If the current sentence has ended, emit starts a
// new sentence with t.
func (s *reader) emit(t token) {
	t.gap, t.fenced = s.words.gap, s.fenced
	if s.nameStart >= 0 && t.gap&(gJoin|gHyphen) == 0 {
		s.endGroup()
	}
	switch {
	case s.words.n == 0:
	case t.gap&(gBlank|gComment) != 0, t.gap&gBullet != 0, s.words.isSentenceEnd(&t):
		s.flush(false)
	case s.words.n == maxTokens:
		s.flush(true)
	}
	t.pos = 0
	if s.words.n > 0 {
		t.pos = s.words.tokens[s.words.n-1].pos + 1 + pause(t.gap)
	}
	if t.gap&(gJoin|gHyphen) != 0 && s.words.n > 0 {
		if s.nameStart < 0 {
			s.nameStart = s.words.n - 1
		}
		s.nameJoined = s.nameJoined || t.gap&gJoin != 0
	}
	s.words.tokens[s.words.n] = t
	s.words.n++
	s.words.gap, s.atLineStart = 0, false
}

// endGroup ends the current name. A word with "_", such as read_file, is always a name. A word with
// "-", such as read-file, is a name only in quotation marks.
func (s *reader) endGroup() {
	if s.nameJoined || s.words.tokens[s.nameStart].gap&s.words.gap&gQuote != 0 {
		s.words.recordShape(s.nameStart, s.words.n-1, s.g.ident)
	}
	s.nameStart, s.nameJoined = -1, false
}

// flush matches the frames against the current sentence and begins a new sentence. If carry is set,
// the current sentence was cut because it is too long. The new sentence then begins with the last
// words of the current sentence.
func (s *reader) flush(carry bool) {
	if s.nameStart >= 0 {
		s.endGroup()
	}
	if s.words.n == 0 {
		return
	}
	s.words.findConcepts()
	if s.words.mask.has(s.g.rot13) || s.words.mask.has(s.g.backwards) { // words that suggest a simple cipher
		for i := range s.words.tokens[:s.words.n] {
			t := &s.words.tokens[i]
			if s.words.sets[i].has(s.g.rot13) {
				s.encoded.MarkRot13(int(t.start), int(t.end))
			} else if s.words.sets[i].has(s.g.backwards) {
				s.encoded.MarkReversed(int(t.start), int(t.end))
			}
		}
	}
	s.seen.union(&s.words.mask)
	if s.frames.seg.Depth == 0 {
		from := int32(len(s.clauses))
		s.clauses = s.words.clauses(s.clauses)
		s.sentences = append(s.sentences, Sentence{int(s.words.tokens[0].start), int(s.words.tokens[s.words.n-1].end), s.words.mask, [2]int32{from, int32(len(s.clauses))}})
	}
	s.frames.match()
	if s.words.joinFragments() {
		s.words.findConcepts()
		s.frames.match()
	}
	if w := &s.words; w.tokens[0].gap&gBullet == 0 || w.gap&gColon != 0 { // a short sentence such as "Never:" may introduce a list of prohibitions
		w.prohibited = w.gap&gColon != 0 && w.mask.has(s.g.negator) && w.n <= 12
	}
	if carry && s.words.n > overlap {
		s.words.carry()
		return
	}
	s.words.extras = s.words.extras[:0]
	s.words.n = 0
}
