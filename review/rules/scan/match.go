package scan

import "math/bits"

// Match is one place where a frame fits.
type Match struct {
	Frame string
	// Start and End are bytes of the text that was scanned, also when the
	// match is in something decoded from it.
	Start, End int
	Disguise   Disguise
	// Quoted reports that the passage is in quotation marks.
	Quoted bool
	// Sentence holds the concepts of the whole sentence, Before those in front
	// of the match, Lead those of the three words in front of it, Within those
	// of the match itself.
	Sentence, Before, Lead, Within Set
	// Steps are the words or phrases that fill the steps, in the order of the
	// pattern.
	Steps []Step
	// Nested reports that the match is in a text decoded from the one scanned.
	Nested bool
	// Stance tells an assertion from a denial, report or quotation.
	Stance Stance
}

// Step is the word or phrase that fills a step of a frame.
type Step struct {
	Start, End int
	Concept    string // its concept, "" for a word of the pattern itself
}

// maxPerSentence bounds the matches of a frame without order in one sentence.
const maxPerSentence = 4

// match tries every frame whose rarest step has a concept in the sentence.
func (s *reader) match() {
	s.tried.reset(len(s.g.frames))
	for _, c := range s.present {
		s.tryAll(s.g.byAnchor[c])
	}
	for w := range maxNamed / 64 {
		for set := s.mask[w] & s.g.anchors[w]; set != 0; set &= set - 1 {
			s.tryAll(s.g.byAnchor[w<<6|bits.TrailingZeros64(set)])
		}
	}
}

func (s *reader) tryAll(frames []uint16) {
	for _, f := range frames {
		if s.tried.add(f) {
			s.try(int(f))
		}
	}
}

// marks is a set of frames that is emptied in no time.
type marks struct {
	at    []uint32
	epoch uint32
}

func (m *marks) reset(n int) {
	if len(m.at) < n {
		m.at = make([]uint32, n)
	}
	m.epoch++
}

func (m *marks) add(i uint16) bool {
	if m.at[i] == m.epoch {
		return false
	}
	m.at[i] = m.epoch
	return true
}

// try looks for frame number n in the sentence.
func (s *reader) try(n int) {
	f := &s.g.frames[n]
	for i := range f.steps {
		if !s.has(&f.steps[i].part) {
			return
		}
	}
	for i := range f.guards {
		if gu := &f.guards[i]; gu.within == 0 && s.stands(&gu.part) == gu.absent {
			return
		}
	}
	if f.any > 0 {
		s.tryAny(n, f)
		return
	}
	s.dead = [maxSteps][2]uint64{}
	st := &f.steps[0]
	for i := range s.tokens[:s.n] {
		if !s.sets[i].meets(&st.set) && len(st.words) == 0 {
			continue
		}
		if last, ok := s.follow(f, 0, i); ok && s.guarded(f, i, last) {
			s.report(n, f, i, last)
		}
	}
}

// stands is has for a part that may ask for common words.
func (s *reader) stands(p *part) bool {
	if len(p.words) > 0 {
		return s.holds(p, 0, s.n)
	}
	return s.has(p)
}

// has reports whether a concept of p is in the sentence, or may be.
func (s *reader) has(p *part) bool {
	if s.mask[0]&p.set[0]|s.mask[1]&p.set[1]|s.mask[2]&p.set[2]|s.mask[3]&p.set[3] != 0 {
		return true
	}
	for _, c := range p.literals {
		if s.noted[c] == s.sentence {
			return true
		}
	}
	return len(p.words) > 0
}

// follow reports whether step k of f fits at token i and the later steps after
// it, and returns the last token of the match. What did not fit once is not
// tried again.
func (s *reader) follow(f *frame, k, i int) (last int, ok bool) {
	if s.dead[k][i>>6]&(1<<(i&63)) != 0 {
		return 0, false
	}
	end, ok := s.fits(&f.steps[k], i)
	if ok {
		s.path[k] = [2]uint8{uint8(i), uint8(end)}
		if k+1 == len(f.steps) {
			return end, true
		}
		reach := s.tokens[end].pos + 1 + f.steps[k+1].gap
		for j := end + 1; j < s.n && s.tokens[j].pos <= reach; j++ {
			if last, ok := s.follow(f, k+1, j); ok {
				return last, true
			}
		}
	}
	s.dead[k][i>>6] |= 1 << (i & 63)
	return 0, false
}

// fits reports whether st fits at token i and returns the last token it takes.
func (s *reader) fits(st *step, i int) (end int, ok bool) {
	s.out.work++
	if !s.sets[i].meets(&st.set) && len(st.words) == 0 || st.imperative && !s.imperative(i) {
		return 0, false
	}
	var accept func(int) bool
	if len(st.with) > 0 {
		accept = func(last int) bool { return s.with(st, i, last) }
	}
	end = s.means(&st.part, st.forms, i, accept)
	return end, end >= 0
}

// with reports whether the tokens from first to last have what st asks for
// besides.
func (s *reader) with(st *step, first, last int) bool {
	for i := range st.with {
		if !s.holds(&st.with[i], first, last+1) {
			return false
		}
	}
	return true
}

// imperative reports whether a command can begin at token i.
func (s *reader) imperative(i int) bool {
	return i == 0 || s.tokens[i].gap&clauseMarks != 0 || s.sets[i-1].has(s.g.lead) || s.led(i)
}

// led reports whether a phrase of the concept lead ends before token i.
func (s *reader) led(i int) bool {
	for k := max(0, i-4); k < i; k++ {
		t := &s.tokens[k]
		if !s.sets[k].has(s.g.lead) {
			continue
		}
		for _, h := range s.hits[t.hits:t.ends] {
			if h.concept == s.g.lead && int(h.last) == i-1 {
				return true
			}
		}
	}
	return false
}

// tryAny looks for the steps of f in any order within f.any words.
func (s *reader) tryAny(n int, f *frame) {
	found := 0
	for i := 0; i < s.n && found < maxPerSentence; i++ {
		if _, ok := s.fits(&f.steps[f.anchor], i); !ok {
			continue
		}
		if first, last, ok := s.around(f, i); ok && s.guarded(f, first, last) {
			s.report(n, f, first, last)
			found++
		}
	}
}

// around finds the other steps of f nearest to its anchor at token i.
func (s *reader) around(f *frame, i int) (first, last int, ok bool) {
	first, last = i, i
	for k := range f.steps {
		at, end := -1, 0
		if k == f.anchor {
			at = i
			end, _ = s.fits(&f.steps[k], i)
		}
		for d := 1; at < 0 && d <= int(f.any); d++ {
			for _, j := range [2]int{i - d, i + d} {
				if j < 0 || j >= s.n || at >= 0 {
					continue
				}
				if e, ok := s.fits(&f.steps[k], j); ok && abs(s.tokens[j].pos-s.tokens[i].pos) <= f.any {
					at, end = j, e
				}
			}
		}
		if at < 0 {
			return 0, 0, false
		}
		s.path[k] = [2]uint8{uint8(at), uint8(end)}
		first, last = min(first, at), max(last, end)
	}
	return first, last, s.tokens[last].pos-s.tokens[first].pos <= f.any
}

func abs(n int32) int32 {
	if n < 0 {
		return -n
	}
	return n
}

// guarded reports whether the guards of f let the match from first to last
// pass.
func (s *reader) guarded(f *frame, first, last int) bool {
	for i := range f.guards {
		gu := &f.guards[i]
		if gu.within == 0 {
			continue
		}
		from, to := first, last+1
		if gu.after {
			from = to
			for to < s.n && s.tokens[to].pos <= s.tokens[last].pos+gu.within {
				to++
			}
		} else {
			to = from
			for from > 0 && s.tokens[from-1].pos >= s.tokens[first].pos-gu.within {
				from--
			}
		}
		if s.holds(&gu.part, from, to) == gu.absent {
			return false
		}
	}
	return true
}

// holds reports whether a concept of p begins at one of the tokens from to to.
func (s *reader) holds(p *part, from, to int) bool {
	if !s.has(p) {
		return false
	}
	s.out.work += to - from
	for i := from; i < to; i++ {
		if s.means(p, anyForm, i, nil) >= 0 {
			return true
		}
	}
	return false
}
