package scan

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// emit adds a word to the sentence, which it may have ended.
func (s *reader) emit(t token) {
	t.gap, t.fenced = s.gap, s.fenced
	if s.group >= 0 && t.gap&(gJoin|gHyphen) == 0 {
		s.endGroup()
	}
	switch {
	case s.n == 0:
	case t.gap&(gBlank|gComment) != 0, t.gap&gBullet != 0, s.ends(&t):
		s.flush(false)
	case s.n == maxTokens:
		s.flush(true)
	}
	t.pos = 0
	if s.n > 0 {
		t.pos = s.tokens[s.n-1].pos + 1 + pause(t.gap)
	}
	if t.gap&(gJoin|gHyphen) != 0 && s.n > 0 {
		if s.group < 0 {
			s.group = s.n - 1
		}
		s.joined = s.joined || t.gap&gJoin != 0
	}
	s.tokens[s.n] = t
	s.n++
	s.gap, s.lineup = 0, false
}

// abbreviations end with a stop that ends no sentence.
var abbreviations = map[string]bool{
	"approx": true, "resp": true, "incl": true, "excl": true, "etc": true, "bzw": true, "usw": true, "ggf": true, "inkl": true, "dept": true,
	"est": true, "vol": true, "fig": true, "max": true, "min": true, "avg": true, "esp": true, "prev": true, "misc": true, "ver": true, "env": true,
}

// ends reports whether the stop before t ended a sentence. A stop within an
// abbreviation such as "e.g." did not, nor one behind a short word before a
// lower-case one.
func (s *reader) ends(t *token) bool {
	if t.gap&gStop == 0 || t.gap&(gSpace|gNewline|gQuote) == 0 {
		return false
	}
	prev := &s.tokens[s.n-1]
	if prev.end-prev.start == 1 && isLetter(s.text[prev.start]) && prev.gap&gDot != 0 {
		return false
	}
	c := s.text[t.start]
	if t.upper || c >= 0x80 || c >= '0' && c <= '9' || t.gap&(gQuote|gOpen|gTag) != 0 {
		return true
	}
	return prev.end-prev.start > 2 && !abbreviations[s.text[prev.start:prev.end]]
}

// pause is how much further apart punctuation puts two words.
func pause(g gap) int32 {
	switch {
	case g&gStop != 0 && g&(gSpace|gNewline) != 0:
		return 2
	case g&(gColon|gNewline) != 0 && g&gSpace != 0:
		return 1
	}
	return 0
}

// endGroup closes the name that is being read. One like read_file is a name
// wherever it stands, one like read-file only in quotation marks.
func (s *reader) endGroup() {
	if s.joined || s.tokens[s.group].gap&s.gap&gQuote != 0 {
		s.shaped(s.group, s.n-1, s.g.ident)
	}
	s.group, s.joined = -1, false
}

func (s *reader) shaped(first, last int, concept uint16) {
	if first >= 0 && last < maxTokens {
		s.extras = append(s.extras, extra{uint8(first), uint8(last), concept})
	}
}

// flush matches the sentence and begins a new one. With carry the sentence was
// cut only for its length, and its last words begin the next.
func (s *reader) flush(carry bool) {
	if s.group >= 0 {
		s.endGroup()
	}
	if s.n == 0 {
		return
	}
	s.understand()
	if s.mask.has(s.g.rot13) || s.mask.has(s.g.backwards) {
		s.noteMarkers()
	}
	s.seen.union(&s.mask)
	if s.seg.depth == 0 && len(s.out.Sentences) < maxSentences {
		from := int32(len(s.out.Clauses))
		s.clauses()
		s.out.Sentences = append(s.out.Sentences, Sentence{int(s.tokens[0].start), int(s.tokens[s.n-1].end), s.mask, [2]int32{from, int32(len(s.out.Clauses))}})
	}
	s.match()
	if s.mend() {
		s.understand()
		s.match()
	}
	s.heads()
	if carry && s.n > overlap {
		s.carry()
		return
	}
	s.extras = s.extras[:0]
	s.n = 0
}

// clauses notes the clauses of the sentence. Where one ends depends on the words around
// that place alone, so that no word further away joins or parts others.
func (s *reader) clauses() {
	at := Clause{Start: int(s.tokens[0].start)}
	for i := range s.tokens[:s.n] {
		if i > 0 && s.opensClause(i) {
			at.End = int(s.tokens[i-1].end)
			s.out.Clauses = append(s.out.Clauses, at)
			at = Clause{Start: int(s.tokens[i].start)}
		}
		at.Concepts.union(&s.sets[i])
	}
	at.End = int(s.tokens[s.n-1].end)
	s.out.Clauses = append(s.out.Clauses, at)
}

// opensClause reports whether a clause begins at token i.
func (s *reader) opensClause(i int) bool {
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
func (s *reader) carry() {
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

// understand looks up what the words and phrases of the sentence stand for.
func (s *reader) understand() {
	s.present, s.hits, s.mask = s.present[:0], s.hits[:0], Set{}
	s.sentence++
	lex := s.g.lex
	for i := range s.tokens[:s.n] {
		t := &s.tokens[i]
		t.hits = uint16(len(s.hits))
		if t.id != 0 {
			w := &lex.list[t.id]
			s.sets[i] = w.set
			for _, c := range w.literals {
				s.note(c)
			}
			if w.opens != 0 {
				s.phrases(i, w.opens)
			}
		} else {
			s.sets[i] = Set{}
		}
		t.ends = uint16(len(s.hits))
		s.mask.union(&s.sets[i])
	}
	for _, x := range s.extras {
		s.shapes(x)
	}
}

// note marks literal concept c as one of the sentence.
func (s *reader) note(c uint16) {
	if s.noted[c] != s.sentence {
		s.noted[c] = s.sentence
		if len(s.g.byAnchor[c]) > 0 {
			s.present = append(s.present, c)
		}
	}
}

// phrases adds the phrases that begin with token i, which leads to the given
// node.
func (s *reader) phrases(i int, state uint32) {
	lex := s.g.lex
	for k := i + 1; k < s.n && s.tokens[k].id != 0 && len(s.hits) < maxHits; k++ {
		if state = lex.phrases.get(stepKey(state, s.tokens[k].id)); state == 0 {
			return
		}
		for _, m := range lex.nodes[state].means {
			if m.concept >= maxNamed {
				s.note(m.concept)
			}
			s.sets[i].add(m.concept)
			s.hits = append(s.hits, hit{m.concept, m.form, uint8(k)})
		}
	}
}

// maxHits bounds the phrases found in one sentence.
const maxHits = 4096

// shapes adds what the shape of the text gives. The hits of a token stand in a
// row, so those it has move to the end.
func (s *reader) shapes(x extra) {
	t := &s.tokens[x.first]
	if len(s.hits)+int(t.ends-t.hits) >= maxHits {
		return
	}
	own := s.hits[t.hits:t.ends]
	t.hits = uint16(len(s.hits))
	s.hits = append(append(s.hits, own...), hit{x.concept, base, x.last})
	t.ends = uint16(len(s.hits))
	s.sets[x.first].add(x.concept)
	s.mask.add(x.concept)
}

// means returns the last token of the longest phrase at token i that has a concept
// of p in one of the given forms; -1 if there is none.
func (s *reader) means(p *part, forms form, i int, accept func(last int) bool) int {
	t := &s.tokens[i]
	end := -1
	if len(p.words) > 0 && slices.Contains(p.words, t.id) && (accept == nil || accept(i)) {
		end = i
	}
	if !s.sets[i].meets(&p.set) {
		return end
	}
	if end < 0 && t.id != 0 {
		for _, m := range s.g.lex.list[t.id].means {
			if m.form&forms != 0 && p.stands(m.concept) && (accept == nil || accept(i)) {
				end = i
				break
			}
		}
	}
	for _, h := range s.hits[t.hits:t.ends] {
		if int(h.last) > end && h.form&forms != 0 && p.stands(h.concept) && (accept == nil || accept(int(h.last))) {
			end = int(h.last)
		}
	}
	return end
}

// cutWords folds s and cuts it into words as the reader does.
func (c *foldCache) cutWords(s string) []string {
	var words []string
	var w []byte
	end := func() {
		if len(w) > 0 && string(w) != "." {
			words = append(words, string(w))
		}
		w = w[:0]
	}
	glyphs := false
	for i, r := range s {
		switch {
		case r == '\'' || r == '’':
		case r == '.' && (i == 0 || s[i-1] == ' '):
			end()
			w = append(w, '.')
		case r < utf8.RuneSelf && isWord(byte(r)):
			if glyphs {
				end()
			}
			glyphs = false
			w = append(w, lower(byte(r)))
		case r < utf8.RuneSelf:
			end()
		default:
			f := c.fold(r)
			switch f.class {
			case skip:
			case letter, digit, unspaced:
				if glyphs != (f.class == unspaced) {
					end()
				}
				glyphs = f.class == unspaced
				w = append(w, f.text...)
			case other, space:
				end()
			}
		}
	}
	end()
	return words
}

// simple reports whether s is one word of lower-case ASCII letters.
func simple(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return s != ""
}

func lower(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
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
