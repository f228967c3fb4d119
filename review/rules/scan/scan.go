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

// report adds the match of frame n from token first to token last.
func (s *reader) report(n int, f *frame, first, last int) {
	if len(s.out.Matches) >= maxMatches || s.fired[n] >= maxPerFrame {
		return
	}
	s.fired[n]++
	m := Match{Frame: s.g.names[n], Disguise: s.base, Sentence: s.mask, Nested: s.seg.depth > 0}
	m.Start, m.End = s.seg.origin(int(s.tokens[first].start), int(s.tokens[last].end))
	for i := range first {
		m.Before.union(&s.sets[i])
		if s.tokens[first].pos-s.tokens[i].pos <= 3 {
			m.Lead.union(&s.sets[i])
		}
	}
	for i := first; i <= last; i++ {
		m.Within.union(&s.sets[i])
	}
	for k := range f.steps {
		a, b := s.path[k][0], s.path[k][1]
		for i := a; i <= b; i++ {
			m.Disguise |= s.tokens[i].hide
		}
		start, end := s.seg.origin(int(s.tokens[a].start), int(s.tokens[b].end))
		m.Steps = append(m.Steps, Step{start, end, s.g.first(f.steps[k].set.and(&s.sets[a]))})
	}
	m.Quoted = s.inQuotes(first, last)
	m.Stance = s.stance(f, first, last)
	s.out.Matches = append(s.out.Matches, m)
}

// maxMatches bounds the matches in one text, maxPerFrame those of one frame, so
// that a text full of one turn of phrase hides no other.
const (
	maxMatches  = 2048
	maxPerFrame = 24
)

// inQuotes reports whether an odd number of quotation marks stands before the
// match and another one after it, within the sentence.
func (s *reader) inQuotes(first, last int) bool {
	before := 0
	for i := 0; i <= first; i++ {
		if s.tokens[i].gap&gQuote != 0 {
			before++
		}
	}
	if before%2 == 0 {
		return false
	}
	for i := last + 1; i < s.n; i++ {
		if s.tokens[i].gap&gQuote != 0 {
			return true
		}
	}
	return s.gap&gQuote != 0
}

// The hash of a word is FNV-1a over its folded bytes: it can be carried along
// while a word is read, so that a look-up costs no second look at the letters.
const (
	hashSeed  uint64 = 14695981039346656037
	hashPrime uint64 = 1099511628211
)

func hash(s string) uint64 { return hashMore(hashSeed, s) }

func hashMore(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

// table maps hashes of words to their numbers, which are not 0: open
// addressing with linear probing, at most half full.
type table struct {
	slots []slot
	used  int
	// seen has a bit for 16 bits of each hash: most words of a text are in no
	// lexicon, and this tells without a look at the slots.
	seen [1 << 16 / 64]uint64
}

type slot struct {
	hash uint64
	id   uint32
}

func (t *table) get(h uint64) uint32 {
	if b := h >> 48; t.seen[b>>6]&(1<<(b&63)) == 0 {
		return 0
	}
	mask := uint64(len(t.slots) - 1)
	for i := mix(h) & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.hash == h || s.id == 0 {
			return s.id
		}
	}
}

func (t *table) put(h uint64, id uint32) {
	if 2*(t.used+1) > len(t.slots) {
		old := t.slots
		t.slots = make([]slot, max(1<<14, 2*len(old)))
		t.used = 0
		for _, s := range old {
			if s.id != 0 {
				t.put(s.hash, s.id)
			}
		}
	}
	mask := uint64(len(t.slots) - 1)
	i := mix(h) & mask
	for t.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = slot{h, id}
	t.used++
	b := h >> 48
	t.seen[b>>6] |= 1 << (b & 63)
}

// mix brings the high bits of a hash, where FNV-1a is best, into the low ones.
func mix(h uint64) uint64 { return h ^ h>>29 }
