package scan

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
