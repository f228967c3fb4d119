package scan

// emit adds a word to the sentence, which it may have ended.
func (s *reader) emit(t token) {
	t.gap = s.gap
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

// ends reports whether the stop before t ended a sentence. A stop before a
// lower-case word or within an abbreviation such as "e.g." did not.
func (s *reader) ends(t *token) bool {
	if t.gap&gStop == 0 || t.gap&(gSpace|gNewline|gQuote) == 0 {
		return false
	}
	prev := &s.tokens[s.n-1]
	if prev.end-prev.start == 1 && isLetter(s.text[prev.start]) && prev.gap&gDot != 0 {
		return false
	}
	c := s.text[t.start]
	return t.upper || c >= 0x80 || c >= '0' && c <= '9' || t.gap&(gQuote|gOpen|gTag) != 0
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
	s.match()
	if s.mend() {
		s.understand()
		s.match()
	}
	if carry && s.n > overlap {
		s.carry()
		return
	}
	s.extras = s.extras[:0]
	s.n = 0
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
	s.hits, s.mask = s.hits[:0], Set{}
	lex := s.g.lex
	for i := range s.tokens[:s.n] {
		t := &s.tokens[i]
		t.hits = uint16(len(s.hits))
		t.set = Set{}
		if t.id != 0 {
			w := &lex.list[t.id]
			t.set = w.set
			for _, m := range w.means {
				s.hits = append(s.hits, hit{m.concept, m.form, uint8(i)})
			}
			if w.opens {
				s.phrases(i, t)
			}
		}
		for _, x := range s.extras {
			if int(x.first) == i {
				t.set.add(x.concept)
				s.hits = append(s.hits, hit{x.concept, base, x.last})
			}
		}
		if len(s.hits) > maxHits {
			s.hits = s.hits[:maxHits]
		}
		t.nhits = uint16(len(s.hits)) - t.hits
		s.mask.union(&t.set)
	}
}

// maxHits bounds the concepts found in one sentence.
const maxHits = 4096

// phrases adds the phrases that begin with token i.
func (s *reader) phrases(i int, t *token) {
	state := uint32(0)
	for k := i; k < s.n; k++ {
		n := s.g.lex.phrases[uint64(state)<<32|uint64(s.tokens[k].id)]
		if n == nil || s.tokens[k].id == 0 {
			return
		}
		for _, m := range n.means {
			t.set.add(m.concept)
			s.hits = append(s.hits, hit{m.concept, m.form, uint8(k)})
		}
		state = n.id
	}
}
