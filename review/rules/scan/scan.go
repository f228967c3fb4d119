package scan

// Result has the findings of Scan in one text.
type Result struct {
	Matches []Match
	Decoded []Decoded
	// Comments are the bytes of HTML and Markdown comments in the text, from
	// delimiter to delimiter.
	Comments [][2]int
	// Concepts holds every concept that occurs in the undecoded text.
	Concepts Set
	// LongRun reports that at least 16 letters, digits and "+/-_" are in a row.
	LongRun bool
	// Sentences are those of the undecoded text, at most maxSentences.
	Sentences []Sentence
	// Clauses are the parts of all of them, in their order.
	Clauses []Clause

	work int // bytes read, and words that a step of a frame was tried at
}

// Sentence is a part of the text that ends with a full stop or an empty line.
type Sentence struct {
	Start, End int // bytes
	Concepts   Set
	// Clauses are numbers of clauses: the first, and the one behind the last.
	Clauses [2]int32
}

// Clause is a part of a sentence that a comma or the like ends, or before which a word
// such as "because" stands.
type Clause struct {
	Start, End int // bytes
	Concepts   Set
}

// Decoded is a passage that turned out to be another text in disguise.
type Decoded struct {
	Start, End int // bytes of the text that was scanned
	Text       string
	Disguise   Disguise
}

// Limits of decoding one text.
const (
	maxDepth     = 3    // encodings within encodings
	maxSegments  = 2000 // texts decoded from one text
	maxSentences = 1 << 14
	maxExtra     = 1 << 16 // decoded bytes beyond twice the length of the text
)

// segment is a text to read: the one given, or one decoded from another.
type segment struct {
	text   string
	depth  int
	hidden Disguise
	// start and end are the bytes of the given text that the segment was
	// decoded from. offs, when there, has for each byte of text and its end
	// the byte of the given text it came from.
	start, end int
	offs       []int32
}

// origin maps bytes of the segment to bytes of the text that was scanned.
func (g *segment) origin(start, end int) (int, int) {
	switch {
	case g.depth == 0:
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

// Scan reads text and everything that is encoded in it.
func (g *Grammar) Scan(text string) *Result {
	out := &Result{Comments: comments(text)}
	s := g.readers.Get().(*reader)
	defer g.readers.Put(s)
	s.out = out
	if s.fired == nil {
		s.fired = make([]uint8, len(g.frames))
	}
	clear(s.fired)
	s.budget = 2*len(text) + maxExtra
	s.queue = append(s.queue[:0], segment{text: text, end: len(text)})
	for i := 0; i < len(s.queue) && i < maxSegments; i++ {
		seg := s.queue[i]
		s.seg, s.text, s.base = &seg, seg.text, seg.hidden
		out.work += len(seg.text)
		s.begin()
		s.read()
		if i == 0 {
			out.Concepts = s.seen
		}
		if seg.depth < maxDepth {
			s.decode()
		}
	}
	s.out, s.seg, s.text = nil, nil, ""
	clear(s.queue)
	return out
}

// begin forgets the segment before.
func (s *reader) begin() {
	s.n, s.group, s.joined, s.gap, s.lineup = 0, -1, false, 0, true
	s.extras, s.single, s.mask, s.seen = s.extras[:0], 0, Set{}, Set{}
	s.markers = markers{}
	s.fenced, s.listed = false, false
}

// push queues a text decoded from bytes start to end of the segment being
// read. offs maps its bytes to bytes of that segment; nil maps all of it to
// the whole passage.
func (s *reader) push(text string, start, end int, offs []int32, how Disguise) {
	if text == "" || len(s.queue) >= maxSegments || len(text) > s.budget {
		return
	}
	s.budget -= len(text)
	seg := segment{text: text, depth: s.seg.depth + 1, hidden: s.base | how, offs: offs}
	seg.start, seg.end = s.seg.origin(start, end)
	switch {
	case offs == nil || s.seg.depth == 0:
	case s.seg.offs == nil:
		seg.offs = nil
	default:
		for i := range offs {
			offs[i] = s.seg.offs[offs[i]]
		}
	}
	s.queue = append(s.queue, seg)
	s.out.Decoded = append(s.out.Decoded, Decoded{Start: seg.start, End: seg.end, Text: text, Disguise: seg.hidden})
}
