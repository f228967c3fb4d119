// This file looks up the concepts of the words in a sentence.

package scan

import (
	"slices"

	"toolcrib/review/rules/scan/disguise"
	"toolcrib/review/rules/scan/letters"
)

// maxTokens is the maximum number of words in a sentence. A longer sentence is read in pieces. Each
// piece repeats the last overlap words of the previous piece.
const (
	maxTokens = 120
	overlap   = 24
)

// gap is the set of separators between a word and the previous one.
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
	gJoin    // "_" or a change of case within a name
	gHyphen  // a hyphen within a name
	gDot     // a full stop without white space on either side
	gSlash   // / or \
	gAt      // @
	gTilde   // ~
	gPlus    // +
	gMark    // any other character
	gComment // the start or the end of a comment
)

// clauseMarks are the separators after which an imperative can begin.
const clauseMarks = gNewline | gBlank | gBullet | gStop | gComma | gColon | gDash | gOpen | gClose | gTag | gQuote | gComment

// token is a word of a sentence.
type token struct {
	start, end int32 // offsets in the segment
	pos        int32 // distance from the start of the sentence in words, including pauses (see pause)
	id         uint32
	gap        gap
	hide       disguise.Disguise
	upper      bool   // begins with a capital letter
	fenced     bool   // in a code block
	hits, ends uint16 // range in sentence.hits
}

// hit is a concept that begins at a token and results from a phrase or from the shape of the text.
// The concepts of single words are in the lexicon instead.
type hit struct {
	concept uint16
	form    form
	last    uint8 // last token of the phrase
}

// extra marks a range of tokens with a concept that the scanner recognizes by the shape of the text.
// An example is the concept url.
type extra struct {
	first, last uint8
	concept     uint16
}

// sentence contains the words of a sentence and their concepts.
type sentence struct {
	g    *Grammar
	text string // the segment

	tokens [maxTokens]token
	sets   [maxTokens]Set // the concepts that begin at each token
	n      int
	hits   []hit
	extras []extra
	gap    gap // separators since the last token
	// lastSeen contains, for each literal concept, the number of the last sentence with this
	// concept. number is the number of the current sentence. present contains the literal concepts
	// of the current sentence that occur in an anchor of a frame.
	lastSeen   []uint32
	present    []uint16
	number     uint32
	mask       Set
	prohibited bool // within a list of prohibitions
	work       int  // number of words compared with a step of a frame
}

// begin resets s for a new segment.
func (s *sentence) begin() {
	s.n, s.gap, s.extras, s.mask, s.prohibited = 0, 0, s.extras[:0], Set{}, false
}

// abbreviations contains words after which a full stop does not end a sentence.
var abbreviations = map[string]bool{
	"approx": true, "resp": true, "incl": true, "excl": true, "etc": true, "bzw": true, "usw": true, "ggf": true, "inkl": true, "dept": true,
	"est": true, "vol": true, "fig": true, "max": true, "min": true, "avg": true, "esp": true, "prev": true, "misc": true, "ver": true, "env": true,
}

// isSentenceEnd reports whether the full stop before t ends the sentence. A full stop in an
// abbreviation such as "e.g." does not end a sentence, and neither does a full stop between a short
// word and a lower-case word.
func (s *sentence) isSentenceEnd(t *token) bool {
	if t.gap&gStop == 0 || t.gap&(gSpace|gNewline|gQuote) == 0 {
		return false
	}
	prev := &s.tokens[s.n-1]
	if prev.end-prev.start == 1 && letters.IsLetter(s.text[prev.start]) && prev.gap&gDot != 0 {
		return false
	}
	c := s.text[t.start]
	if t.upper || c >= 0x80 || c >= '0' && c <= '9' || t.gap&(gQuote|gOpen|gTag) != 0 {
		return true
	}
	return prev.end-prev.start > 2 && !abbreviations[s.text[prev.start:prev.end]]
}

// pause returns the number of words that the punctuation in g adds to the distance between two
// words.
func pause(g gap) int32 {
	switch {
	case g&gStop != 0 && g&(gSpace|gNewline) != 0:
		return 2
	case g&(gColon|gNewline) != 0 && g&gSpace != 0:
		return 1
	}
	return 0
}

// recordShape records that the tokens from start to end have the given concept because of the shape
// of the text.
func (s *sentence) recordShape(start, end int, concept uint16) {
	if start >= 0 && end < maxTokens {
		s.extras = append(s.extras, extra{uint8(start), uint8(end), concept})
	}
}

// clauses appends the clauses of the sentence to list. A boundary between clauses depends only on
// the adjacent words, so an attack cannot move it by adding words elsewhere.
func (s *sentence) clauses(list []Clause) []Clause {
	at := Clause{Start: int(s.tokens[0].start)}
	added := false
	end := func(i int) {
		at.End = int(s.tokens[i].end)
		at.Joined = at.Joined || added && at.Concepts.meets(&s.g.verbs)
		list = append(list, at)
	}
	for i := range s.tokens[:s.n] {
		if i > 0 && s.opensClause(i) {
			end(i - 1)
			at = Clause{Start: int(s.tokens[i].start), Joined: s.sets[i].has(s.g.joining)}
			added = conjunctions[s.text[s.tokens[i].start:s.tokens[i].end]]
		}
		at.Concepts.union(&s.sets[i])
	}
	end(s.n - 1)
	return list
}

// conjunctions are words for "and" in several languages. A clause that begins with a conjunction
// and contains a verb is not a list item.
var conjunctions = map[string]bool{
	"and": true, "und": true, "et": true, "y": true, "e": true, "en": true, "och": true, "og": true, "ja": true, "i": true, "és": true, "și": true,
	"ve": true, "dan": true, "và": true, "и": true, "і": true, "та": true, "και": true,
}

// opensClause reports whether a new clause begins at token i.
func (s *sentence) opensClause(i int) bool {
	t := &s.tokens[i]
	switch {
	case t.gap&(gColon|gOpen|gClose|gDash|gBullet) != 0 && t.gap&(gSpace|gNewline) != 0, t.gap&gNewline != 0:
		return true
	case t.gap&(gComma|gStop) != 0:
		return t.gap&(gSpace|gNewline) != 0 || s.text[t.start] >= 0x80
	}
	return s.sets[i].has(s.g.joining)
}

// carry begins the next sentence with the last words of this one.
func (s *sentence) carry() {
	cut := s.n - overlap
	copy(s.tokens[:overlap], s.tokens[cut:s.n])
	s.n = overlap
	for i := range s.tokens[:overlap] {
		s.tokens[overlap-1-i].pos -= s.tokens[0].pos
	}
	kept := s.extras[:0]
	for _, x := range s.extras {
		if int(x.first) >= cut {
			kept = append(kept, extra{x.first - uint8(cut), x.last - uint8(cut), x.concept})
		}
	}
	s.extras = kept
}

// findConcepts looks up the concepts of all words and phrases in the sentence.
func (s *sentence) findConcepts() {
	s.present, s.hits, s.mask = s.present[:0], s.hits[:0], Set{}
	s.number++
	lex := s.g.lex
	for i := range s.tokens[:s.n] {
		t := &s.tokens[i]
		t.hits = uint16(len(s.hits))
		if t.id != 0 {
			w := &lex.list[t.id]
			s.sets[i] = w.set
			if w.set[maxNamed/64] != 0 {
				s.recordLiterals(lex.means.get(t.id))
			}
			if w.opens != 0 {
				s.addPhrases(i, w.opens)
			}
		} else {
			s.sets[i] = Set{}
		}
		t.ends = uint16(len(s.hits))
		s.mask.union(&s.sets[i])
	}
	for _, x := range s.extras {
		t := &s.tokens[x.first]
		if len(s.hits)+int(t.ends-t.hits) >= maxHits {
			continue
		}
		own := s.hits[t.hits:t.ends] // copied, because the hits of a token must be contiguous
		t.hits = uint16(len(s.hits))
		s.hits = append(append(s.hits, own...), hit{x.concept, base, x.last})
		t.ends = uint16(len(s.hits))
		s.sets[x.first].add(x.concept)
		s.mask.add(x.concept)
	}
}

// recordLiterals records that the sentence contains the literal concepts in list.
func (s *sentence) recordLiterals(list []meaning) {
	for _, m := range list {
		if c := m.concept; c >= maxNamed && s.lastSeen[c] != s.number {
			s.lastSeen[c] = s.number
			if len(s.g.byAnchor[c]) > 0 {
				s.present = append(s.present, c)
			}
		}
	}
}

// addPhrases adds the concepts of all phrases that begin with token i. state is the node of the
// word at token i.
func (s *sentence) addPhrases(i int, state uint32) {
	lex := s.g.lex
	for k := i + 1; k < s.n && s.tokens[k].id != 0 && len(s.hits) < maxHits; k++ {
		if state = lex.phrases.get(stepKey(state, s.tokens[k].id)); state == 0 {
			return
		}
		means := lex.closes.get(state)
		s.recordLiterals(means)
		for _, m := range means {
			s.sets[i].add(m.concept)
			s.hits = append(s.hits, hit{m.concept, m.form, uint8(k)})
		}
	}
}

// maxHits is the maximum number of hits that are recorded in a sentence.
const maxHits = 4096

// matchAt returns the last token of the longest word or phrase at token i that has a concept of p
// in one of the given forms, or -1 if there is no such phrase. If accept is not nil, matchAt calls
// accept with the last token of each phrase and skips the phrase if the result is false.
func (s *sentence) matchAt(p *part, forms form, i int, accept func(last int) bool) int {
	t := &s.tokens[i]
	end := -1
	if len(p.words) > 0 && slices.Contains(p.words, t.id) && (accept == nil || accept(i)) {
		end = i
	}
	if !s.sets[i].meets(&p.set) {
		return end
	}
	if end < 0 && t.id != 0 {
		for _, m := range s.g.lex.means.get(t.id) {
			if m.form&forms != 0 && p.contains(m.concept) && (accept == nil || accept(i)) {
				end = i
				break
			}
		}
	}
	for _, h := range s.hits[t.hits:t.ends] {
		if int(h.last) > end && h.form&forms != 0 && p.contains(h.concept) && (accept == nil || accept(int(h.last))) {
			end = int(h.last)
		}
	}
	return end
}

// mentions reports whether the sentence contains a concept or a common word of p.
func (s *sentence) mentions(p *part) bool {
	if len(p.words) > 0 {
		return s.containsIn(p, 0, s.n)
	}
	return s.mayContain(p)
}

// mayContain reports whether the sentence may contain a concept or word of p. It always returns
// true if p has common words, because common words are not indexed.
func (s *sentence) mayContain(p *part) bool {
	if s.mask[0]&p.set[0]|s.mask[1]&p.set[1]|s.mask[2]&p.set[2]|s.mask[3]&p.set[3] != 0 {
		return true
	}
	for _, c := range p.literals {
		if s.lastSeen[c] == s.number {
			return true
		}
	}
	return len(p.words) > 0
}

// containsIn reports whether a concept of p begins at one of the tokens in [from, to).
func (s *sentence) containsIn(p *part, from, to int) bool {
	if !s.mayContain(p) {
		return false
	}
	s.work += to - from
	for i := from; i < to; i++ {
		if s.matchAt(p, anyForm, i, nil) >= 0 {
			return true
		}
	}
	return false
}

// endOf returns the last token of the longest phrase at token i that has the given concept, or i.
func (s *sentence) endOf(i int, concept uint16) int {
	end := i
	t := &s.tokens[i]
	for _, h := range s.hits[t.hits:t.ends] {
		if h.concept == concept && int(h.last) > end {
			end = int(h.last)
		}
	}
	return end
}

// inQuotes reports whether the tokens from start to end are in quotation marks. In the sentence, an
// odd number of quotation marks must precede these tokens, and at least one quotation mark must
// follow them.
func (s *sentence) inQuotes(start, end int) bool {
	before := 0
	for i := 0; i <= start; i++ {
		if s.tokens[i].gap&gQuote != 0 {
			before++
		}
	}
	if before%2 == 0 {
		return false
	}
	for i := end + 1; i < s.n; i++ {
		if s.tokens[i].gap&gQuote != 0 {
			return true
		}
	}
	return s.gap&gQuote != 0
}
