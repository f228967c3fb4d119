package scan

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
