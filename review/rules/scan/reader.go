package scan

import "unicode/utf8"

// reader cuts one segment into words and hands each sentence to its grammar.
type reader struct {
	g    *Grammar
	out  *Result
	seg  *segment
	text string
	base Disguise // how the whole segment was disguised

	tokens [maxTokens]token
	sets   [maxTokens]Set // the concepts that begin at each token
	n      int
	hits   []hit
	extras []extra
	// noted has the number of the sentence for each literal concept in it,
	// present those that frames are found by.
	noted    []uint32
	present  []uint16
	sentence uint32
	mask     Set
	gap      gap  // since the last token
	lineup   bool // only white space since the last line break
	group    int  // first token of the name being read, -1 when none
	fenced   bool // within a code block
	listed   bool // a list of prohibitions goes on
	joined   bool // the name has a "_" or a change of case
	single   int  // how many single-character words in a row
	apart    int  // where the first of them begins
	alone    int  // where the last of them ends

	tried marks
	fired []uint8             // matches of each frame in the text
	dead  [maxSteps][2]uint64 // tokens at which a step is known to fail
	path  [maxSteps][2]uint8  // first and last token of each step of the match

	markers markers
	seen    Set // every concept of the segment
	budget  int // bytes that may still be decoded
	queue   []segment

	folds foldCache
	nat   []byte // scratch: a word as folded
	asc   []byte // scratch: the ASCII word it imitates
}

// foldCache keeps folded characters outside ASCII: a text uses few of them, again and
// again.
type foldCache [256]struct {
	r rune
	f folded
}

// fold returns the folded form of a character outside ASCII.
func (c *foldCache) fold(r rune) *folded {
	e := &c[uint32(r)%uint32(len(c))]
	if e.r != r {
		e.r, e.f = r, foldRune(r)
	}
	return &e.f
}

// asciiKind sorts ASCII for the inner loop.
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

// read cuts the segment into words and punctuation.
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
			s.gap |= gSpace
			i++
		case kLine:
			s.newline()
			i++
		case kLeet:
			if end, ok := s.leetChunk(i, i); ok {
				i = end
				continue
			}
			i = s.mark(i, c)
		case kMark, kApostrophe:
			i = s.mark(i, c)
		}
	}
	s.endSpelled()
	s.flush(false)
}

func (s *reader) newline() {
	if s.gap&gNewline != 0 && s.lineup {
		s.gap |= gBlank
	}
	s.gap |= gNewline
	s.lineup = true
}

// readRune reads a character outside ASCII.
func (s *reader) readRune(i int) int {
	r, size := utf8.DecodeRuneInString(s.text[i:])
	f := s.folds.fold(r)
	switch f.class {
	case letter, digit:
		return s.readWord(i)
	case unspaced:
		return s.readGlyphs(i)
	case skip:
	case space:
		s.gap |= gSpace
		if r == 0x2028 || r == 0x2029 {
			s.newline()
		}
	case other:
		s.markRune(r, f)
	}
	return i + size
}

// mark reads one ASCII punctuation character.
func (s *reader) mark(i int, c byte) int {
	starts := s.lineup
	s.lineup = false
	switch c {
	case '.':
		if s.gap&(gSpace|gNewline) != 0 && i+1 < len(s.text) && isWord(s.text[i+1]) && s.text[i-1] != '.' {
			s.gap |= gMark // ".github": it begins a name and ends no sentence
			return i + 1
		}
		s.gap |= gStop
		if s.gap&gSpace == 0 && i+1 < len(s.text) && isWord(s.text[i+1]) {
			s.gap |= gDot
		}
	case '`':
		s.gap |= gQuote
		if starts && hasPrefixAt(s.text, i, "```") {
			s.fenced = !s.fenced
			s.gap |= gBlank
			return i + 3
		}
	case '<':
		if hasPrefixAt(s.text, i, "<!--") {
			s.gap |= gComment
			return i + 4
		}
		s.gap |= gTag
	case '>':
		s.gap |= gTag
		if starts {
			s.gap |= gBullet
		}
	case '-', '*', '#':
		if hasPrefixAt(s.text, i, "-->") {
			s.gap |= gComment
			return i + 3
		}
		switch {
		case starts:
			s.gap |= gBullet
		case c == '-' && s.within(i):
			s.gap |= gHyphen
		default:
			s.gap |= gDash
		}
	case '_':
		if s.within(i) {
			s.gap |= gJoin
		} else {
			s.gap |= gMark
		}
	default:
		g := markGaps[c]
		if g == 0 {
			g = gMark
		}
		s.gap |= g
	}
	return i + 1
}

// markGaps has the gap of each ASCII character that stands for the same one
// wherever it is; all others are a gMark.
var markGaps = [utf8.RuneSelf]gap{
	'!': gStop, '?': gStop,
	',': gComma, ':': gColon, ';': gColon,
	'"': gQuote, '\'': gQuote,
	'(': gOpen, '[': gOpen, '{': gOpen,
	')': gClose, ']': gClose, '}': gClose,
	'/': gSlash, '\\': gSlash,
	'@': gAt, '~': gTilde, '+': gPlus,
}

// within reports whether the character at i has a letter or digit on either
// side and joins the parts of one name.
func (s *reader) within(i int) bool {
	return s.gap == 0 && i > 0 && i+1 < len(s.text) && isWord(s.text[i-1]) && isWord(s.text[i+1])
}

// markRune reads one punctuation character outside ASCII.
func (s *reader) markRune(r rune, f *folded) {
	switch r {
	case '。', '！', '？', '．', '｡', '؟', '।', '…':
		s.gap |= gStop | gSpace
	case '，', '、', '､', '،':
		s.gap |= gComma
	case '：', '；', '؛':
		s.gap |= gColon
	case '“', '”', '‘', '’', '„', '«', '»', '「', '」', '『', '』', '‹', '›', '《', '》':
		s.gap |= gQuote
	case '（', '【', '［':
		s.gap |= gOpen
	case '）', '】', '］':
		s.gap |= gClose
	case '—', '–':
		s.gap |= gDash
	case '•', '·', '‣', '▪', '●', '○':
		if s.lineup {
			s.gap |= gBullet
		}
		s.gap |= gMark
	default:
		if len(f.text) == 1 && f.text[0] < utf8.RuneSelf {
			s.mark(len(s.text), f.text[0])
			return
		}
		s.gap |= gMark
	}
	s.lineup = false
}

func hasPrefixAt(s string, i int, prefix string) bool {
	return len(s)-i >= len(prefix) && s[i:i+len(prefix)] == prefix
}

// maxTokens is how many words a sentence holds at most. A longer one is read
// in pieces that overlap by overlap words.
const (
	maxTokens = 120
	overlap   = 24
)

// gap is the separator between a word and the one before it.
type gap uint32

const (
	gSpace gap = 1 << iota
	gNewline
	gBlank  // an empty line
	gBullet // a list marker or heading at the start of a line
	gStop   // . ! ?
	gComma
	gColon // : ;
	gDash
	gQuote   // any quotation mark or backtick
	gOpen    // an opening bracket
	gClose   // a closing bracket
	gTag     // < or >
	gJoin    // "_" or a change of case within one name
	gHyphen  // a hyphen within one name
	gDot     // a full stop with no space on either side
	gSlash   // / or \
	gAt      // @
	gTilde   // ~
	gPlus    // +
	gMark    // any other character
	gComment // the start or the end of a comment
)

// clauseMarks are the gaps after which an imperative can begin.
const clauseMarks = gNewline | gBlank | gBullet | gStop | gComma | gColon | gDash | gOpen | gClose | gTag | gQuote | gComment

// token is one word of a sentence.
type token struct {
	start, end int32 // bytes of the segment
	pos        int32 // distance from the start in words, with extra for pauses
	id         uint32
	gap        gap
	hide       Disguise
	upper      bool   // begins with a capital
	fenced     bool   // in a code block
	hits, ends uint16 // its hits
}

// hit is a concept that a phrase or the shape of the text gives a token. What
// its own word means is in the lexicon.
type hit struct {
	concept uint16
	form    form
	last    uint8 // the token it ends with
}

// extra is a concept that the shape of the text gives, not the lexicon.
type extra struct {
	first, last uint8
	concept     uint16
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
