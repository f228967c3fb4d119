package scan

import (
	"slices"
	"strings"

	"toolcrib/review/rules/scan/disguise"
)

// Result has the findings of Scan in one text.
type Result struct {
	Matches []Match
	Decoded []disguise.Decoded
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

const maxSentences = 1 << 14

// Clause is a part of a sentence that a comma or the like ends, or before which a word
// such as "because" stands.
type Clause struct {
	Start, End int // bytes
	Concepts   Set
	// Joined reports that a word such as "because" begins it, or "and" and it has a verb,
	// so that it is no part of a list.
	Joined bool
}

// Scan reads text and everything that is encoded in it.
func (g *Grammar) Scan(text string) *Result { return g.ScanProse(text, "") }

// ScanProse is Scan of a text that is not all prose: said has spaces for the rest, at the same
// offsets, and "" stands for text. Words are read in said alone; what is encoded is decoded
// wherever it stands.
func (g *Grammar) ScanProse(text, said string) *Result {
	if said == "" {
		said = text
	}
	out := &Result{Comments: comments(said)}
	s := g.readers.Get().(*reader)
	defer g.readers.Put(s)
	s.begin(out, text, said)
	for seg := s.encoded.Next(); seg != nil; seg = s.encoded.Next() {
		out.work += len(seg.Text)
		s.text, s.words.text, s.frames.seg = seg.Text, seg.Text, seg
		s.words.begin()
		s.group, s.joined, s.lineup, s.fenced, s.single, s.seen = -1, false, true, false, 0, Set{}
		s.read()
		if seg.Depth == 0 {
			out.Concepts = s.seen
		}
		s.encoded.Decode()
	}
	out.work += s.words.work
	s.end()
	return out
}

// begin makes s ready for a text.
func (s *reader) begin(out *Result, text, said string) {
	s.out, s.frames.out = out, out
	s.sentences, s.clauses = s.sentences[:0], s.clauses[:0]
	clear(s.frames.fired)
	s.encoded.Begin(text, said)
	s.words.work = 0
}

// end lets go of the text.
func (s *reader) end() {
	s.out.Sentences, s.out.Clauses = slices.Clone(s.sentences), slices.Clone(s.clauses)
	s.out.Decoded, s.out.LongRun = s.encoded.End()
	s.out, s.frames.out, s.frames.seg = nil, nil, nil
	s.text, s.words.text = "", ""
}

// The hash of a word is FNV-1a over its folded bytes: it can be carried along
// while a word is read, so that a look-up costs no second look at the letters.
const (
	hashSeed  uint64 = 14695981039346656037
	hashPrime uint64 = 1099511628211
)

func hash[T string | []byte](s T) uint64 { return hashMore(hashSeed, s) }

func hashMore[T string | []byte](h uint64, s T) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

// table maps hashes of words to their numbers, which are not 0: open
// addressing with linear probing, at most half full.
type table struct {
	slots   []uint32 // places in entries, from 1
	entries []entry
	// seen has a bit for 16 bits of each hash: most words of a text are in no
	// lexicon, and this tells without a look at the slots.
	seen [1 << 16 / 64]uint64
}

type entry struct {
	hash uint64
	id   uint32
}

func (t *table) get(h uint64) uint32 {
	if b := h >> 48; t.seen[b>>6]&(1<<(b&63)) == 0 {
		return 0
	}
	if e := t.slots[t.slot(h)]; e != 0 {
		return t.entries[e-1].id
	}
	return 0
}

// slot returns the slot of h, or the free one in which to put it. The high bits of a hash, where
// FNV-1a is best, take part.
func (t *table) slot(h uint64) uint64 {
	mask := uint64(len(t.slots) - 1)
	for i := (h ^ h>>29) & mask; ; i = (i + 1) & mask {
		if e := t.slots[i]; e == 0 || t.entries[e-1].hash == h {
			return i
		}
	}
}

// put adds h, which t lacks.
func (t *table) put(h uint64, id uint32) {
	if 2*(len(t.entries)+1) > len(t.slots) {
		t.slots = make([]uint32, max(1<<14, 2*len(t.slots)))
		t.entries = slices.Grow(t.entries, len(t.slots)/2-len(t.entries))
		for i := range t.entries {
			t.slots[t.slot(t.entries[i].hash)] = uint32(i) + 1
		}
	}
	t.entries = append(t.entries, entry{h, id})
	t.slots[t.slot(h)] = uint32(len(t.entries))
	b := h >> 48
	t.seen[b>>6] |= 1 << (b & 63)
}

// comments returns the bytes of HTML comments and of Markdown link definitions
// used as comments ("[//]: # (…)", "[comment]: <> (…)"): text that a rendered
// page does not show. An HTML comment without an end runs to the end of text.
func comments(text string) [][2]int {
	var found [][2]int
	for i := 0; ; {
		k := strings.Index(text[i:], "<!--")
		if k < 0 {
			break
		}
		start, end := i+k, len(text)
		if n := strings.Index(text[start+4:], "-->"); n >= 0 {
			end = start + 4 + n + 3
		}
		found = append(found, [2]int{start, end})
		i = end
	}
	for _, opener := range []string{"[//]: ", "[comment]: ", "[_]: ", "[]: "} {
		for i := 0; ; {
			k := strings.Index(text[i:], opener)
			if k < 0 {
				break
			}
			start := i + k
			end := len(text)
			if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
				end = start + n
			}
			found = append(found, [2]int{start, end})
			i = end
		}
	}
	return found
}
