// This file looks up the concepts of the words in a sentence.

package scan

import (
	"slices"

	"toolcrib/review/rules/scan/disguise"
	"toolcrib/review/rules/scan/letters"
)

// maxTokens is the maximum number of words in a sentence. Longer sentences are read in pieces that
// overlap by overlap words.
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

// token is a word of a sentence.
type token struct {
	start, end int32 // offsets in the segment
	pos        int32 // distance from the start in words; pauses count extra
	id         uint32
	gap        gap
	hide       disguise.Disguise
	upper      bool   // begins with a capital
	fenced     bool   // in a code block
	hits, ends uint16 // range in sentence.hits
}

// hit is a concept of a token that results from a phrase or from the shape of the text. The lexicon
// lists the concepts of single words.
type hit struct {
	concept uint16
	form    form
	last    uint8 // last token of the phrase
}

// extra is a concept that the scanner recognizes by the shape of the text.
type extra struct {
	first, last uint8
	concept     uint16
}

// sentence holds the words of a sentence and their concepts.
type sentence struct {
	g    *Grammar
	text string // the segment

	tokens [maxTokens]token
	sets   [maxTokens]Set // the concepts that begin at each token
	n      int
	hits   []hit
	extras []extra
	gap    gap // since the last token
	// lastSeen records, for each literal concept, the number of the last sentence that contains it.
	// present lists the literal concepts of this sentence that are anchors of frames.
	lastSeen   []uint32
	present    []uint16
	number     uint32
	mask       Set
	prohibited bool // within a list of prohibitions
	work       int  // number of words tried for a step of a frame
}

// begin resets s for a new segment.
func (s *sentence) begin() {
	s.n, s.gap, s.extras, s.mask, s.prohibited = 0, 0, s.extras[:0], Set{}, false
}

// abbreviations end with a full stop that does not end a sentence.
var abbreviations = map[string]bool{
	"approx": true, "resp": true, "incl": true, "excl": true, "etc": true, "bzw": true, "usw": true, "ggf": true, "inkl": true, "dept": true,
	"est": true, "vol": true, "fig": true, "max": true, "min": true, "avg": true, "esp": true, "prev": true, "misc": true, "ver": true, "env": true,
}

// isSentenceEnd reports whether the full stop before t ends the sentence. A stop within an
// abbreviation such as "e.g." does not, and neither does a stop between a short word and a
// lower-case word.
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

// pause returns the distance in words that punctuation adds between two words.
func pause(g gap) int32 {
	switch {
	case g&gStop != 0 && g&(gSpace|gNewline) != 0:
		return 2
	case g&(gColon|gNewline) != 0 && g&gSpace != 0:
		return 1
	}
	return 0
}

// recordShape records a concept that the shape of the text implies for the tokens from first to
// last.
func (s *sentence) recordShape(first, last int, concept uint16) {
	if first >= 0 && last < maxTokens {
		s.extras = append(s.extras, extra{uint8(first), uint8(last), concept})
	}
}

// clauses appends the clauses of the sentence to list. A boundary depends only on the adjacent
// words, so distant words cannot change it.
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

// conjunctions are the words for "and". A clause that begins with a conjunction and contains a verb
// is not a list item.
var conjunctions = map[string]bool{
	"and": true, "und": true, "et": true, "y": true, "e": true, "en": true, "och": true, "og": true, "ja": true, "i": true, "és": true, "și": true,
	"ve": true, "dan": true, "và": true, "и": true, "і": true, "та": true, "και": true,
}

// opensClause reports whether a clause begins at token i.
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
		own := s.hits[t.hits:t.ends] // the hits of a token must be contiguous
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

// addPhrases adds the phrases that begin with token i. state is the node of its word.
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

// maxHits limits the phrases that are found in a sentence.
const maxHits = 4096

// matchAt returns the last token of the longest phrase at token i that has a concept of p in one of
// the given forms, or -1 if there is none. accept, if not nil, can reject a phrase by its last
// token.
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

// mayContain reports whether the sentence contains a concept of p. If p has common words, the
// result is always true, because they are not indexed.
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

// endOf returns the last token of the longest phrase at token i that has the concept.
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

// inQuotes reports whether the match is in quotation marks: within the sentence, an odd number
// precedes it and at least one follows.
func (s *sentence) inQuotes(first, last int) bool {
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
