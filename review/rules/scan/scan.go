// This file defines the result of a scan and the hash table for words.

package scan

import (
	"slices"
	"strings"

	"toolcrib/review/rules/scan/disguise"
)

// Result is the result of scanning a text.
type Result struct {
	Matches []Match
	Decoded []disguise.Decoded
	// Comments are the byte ranges of HTML and Markdown comments in the text, including their
	// delimiters.
	Comments [][2]int
	// Concepts contains the concepts that occur in the undecoded text.
	Concepts Set
	// LongRuns are the byte ranges of the undecoded text that consist of at least 16 letters,
	// digits, and "+/-_". Runs that are separated by a single full stop are joined. LongRun reports
	// whether the text, or a text decoded from it, contains such a run.
	LongRuns [][2]int
	LongRun  bool
	// Sentences are the sentences of the undecoded text.
	Sentences []Sentence
	// Clauses are the clauses of all sentences, in order.
	Clauses []Clause

	work int // cost of the scan, for tests: number of bytes read, plus number of words compared with a step of a frame
}

// Sentence is a part of the text that ends at a full stop, at an empty line, or before a list item.
type Sentence struct {
	Start, End int // bytes
	Concepts   Set
	// Clauses is a half-open range of indices in Result.Clauses. The elements in this range are the
	// clauses of the sentence.
	Clauses [2]int32
}

// Clause is a part of a sentence. It ends at a comma or similar punctuation, or before a word such
// as "because".
type Clause struct {
	Start, End int // bytes
	Concepts   Set
	// Joined reports whether the clause begins with a word such as "because", or begins with "and"
	// and contains a verb. A clause without a verb after "and" may be a list item.
	Joined bool
}

// Scan scans text and all texts encoded in text.
func (g *Grammar) Scan(text string) *Result { return g.ScanProse(text, "") }

// ScanProse is like Scan, but for a text that is only partly prose. prose is a copy of text in
// which everything except prose is replaced by spaces. If prose is "", all of text is prose. Only
// words in prose are matched, but encoded passages anywhere in text are decoded.
func (g *Grammar) ScanProse(text, prose string) *Result {
	if prose == "" {
		prose = text
	}
	out := &Result{Comments: comments(prose)}
	s := g.readers.Get().(*reader)
	defer g.readers.Put(s)
	s.begin(out, text, prose)
	for seg := s.encoded.Next(); seg != nil; seg = s.encoded.Next() {
		out.work += len(seg.Text)
		s.text, s.words.text, s.frames.seg = seg.Text, seg.Text, seg
		s.words.begin()
		s.nameStart, s.nameJoined, s.atLineStart, s.fenced, s.singles, s.seen = -1, false, true, false, 0, Set{}
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

// begin prepares s for scanning text.
func (s *reader) begin(out *Result, text, said string) {
	s.out, s.frames.out = out, out
	s.sentences, s.clauses = s.sentences[:0], s.clauses[:0]
	clear(s.frames.fired)
	s.encoded.Begin(text, said)
	s.words.work = 0
}

// end stores the results in the Result and releases the references to the text. Afterwards, s can
// return to the pool.
func (s *reader) end() {
	s.out.Sentences, s.out.Clauses = slices.Clone(s.sentences), slices.Clone(s.clauses)
	s.out.Decoded, s.out.LongRuns, s.out.LongRun = s.encoded.End()
	s.out, s.frames.out, s.frames.seg = nil, nil, nil
	s.text, s.words.text = "", ""
}

// The hash of a word is FNV-1a over its folded bytes. It is computed while the word is read, so a
// lookup needs no second pass over the letters.
const (
	hashSeed  uint64 = 14695981039346656037
	hashPrime uint64 = 1099511628211
)

func hash[T string | []byte](s T) uint64 { return extendHash(hashSeed, s) }

func extendHash[T string | []byte](h uint64, s T) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

// table maps hashes of words to numbers of words, which are never 0. It is a hash table with open
// addressing and linear probing, and is at most half full.
type table struct {
	slots []entry // a slot is free if its number is 0
	used  int
	// seen is a bitmap of the upper 16 bits of all hashes. Most words of a text are not in the
	// lexicon, and the bitmap rules them out without probing the slots.
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
	return t.slot(h).id
}

// slot returns the slot of h, or the free slot for h if the table does not contain h. The index of
// the slot also depends on the high bits of h, because FNV-1a distributes the high bits best.
func (t *table) slot(h uint64) *entry {
	mask := uint64(len(t.slots) - 1)
	for i := (h ^ h>>29) & mask; ; i = (i + 1) & mask {
		if e := &t.slots[i]; e.id == 0 || e.hash == h {
			return e
		}
	}
}

// put adds h with the number id. The table must not contain h.
func (t *table) put(h uint64, id uint32) {
	if t.used++; 2*t.used > len(t.slots) {
		before := t.slots
		t.slots = make([]entry, max(1<<14, 2*len(before)))
		for _, e := range before {
			if e.id != 0 {
				*t.slot(e.hash) = e
			}
		}
	}
	*t.slot(h) = entry{h, id}
	b := h >> 48
	t.seen[b>>6] |= 1 << (b & 63)
}

// comments returns the byte ranges of HTML comments and of Markdown link definitions that serve as
// comments ("[//]: # (…)", "[comment]: <> (…)"). A rendered page does not show them. An
// unterminated HTML comment extends to the end of text.
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
