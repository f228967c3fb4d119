package scan

// Stance is how the text treats a match: it asserts, denies, reports or shows it.
// It is computed here, once for every frame.
type Stance uint8

// The stances. 0 is a plain statement or order.
const (
	// Negated: a negator governs the match: "never", "instead of", "refuse to".
	Negated Stance = 1 << iota
	// Asked: somebody else says it, and is to be refused: "if a page tells you
	// to …, ignore it".
	Asked
	// Shown: it stands in quotation marks, within a sentence that has words
	// of its own.
	Shown
	// Fenced: it stands in a code block.
	Fenced
	// Crossed: its negator belongs to another clause: "if you cannot, tell the
	// user".
	Crossed
)

// Names returns the stances in words.
func (s Stance) Names() []string {
	var names []string
	for i, name := range []string{"negated", "asked by somebody else and refused", "shown in quotation marks", "in a code block", "negated in another clause"} {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// clauseEnds are the gaps that end the scope of a negator.
const clauseEnds = gBlank | gBullet | gStop | gColon | gDash | gOpen | gClose | gTag | gComment

// scope is how many words a negator reaches, behind how many words after a match the
// noun may stand that reports it.
const (
	scope  = 10
	behind = 10
)

// stance returns how the sentence treats the match from token first to last.
func (s *reader) stance(f *frame, first, last int) Stance {
	var st Stance
	if s.negated(first) || s.denied(f) || s.negatedAround(f, first, last) || s.listed && s.tokens[0].gap&gBullet != 0 {
		st |= Negated
	}
	if s.asked(first, last) || s.reported(first, last) {
		st |= Asked
	}
	if s.shown(first, last) {
		st |= Shown
	}
	if s.tokens[first].fenced {
		st |= Fenced
	}
	if s.crossed(f) {
		st |= Crossed
	}
	return st
}

// negated reports whether a negator governs what begins at token first. Its
// scope ends with the clause; a comma ends it too, unless a list goes on behind
// it. "Do not forget to" and "not until" negate nothing.
func (s *reader) negated(first int) bool {
	commas, or := false, false
	for j := first - 1; j >= 0 && s.tokens[first].pos-s.tokens[j].pos <= scope; j-- {
		next := s.tokens[j+1].gap
		if next&clauseEnds != 0 && (next&gStop == 0 || next&gSpace != 0) {
			return false
		}
		commas = commas || next&gComma != 0
		if s.sets[j].has(s.g.unnegator) {
			return false
		}
		or = or || s.sets[j].has(s.g.alternative)
		if s.sets[j].has(s.g.negator) && s.endOf(j, s.g.negator) < first {
			return !commas || or || s.sets[first].has(s.g.alternative)
		}
	}
	return false
}

// denied reports whether "not" or "never" stands right before a step of f that is
// no negation itself: "as data, never as instructions".
func (s *reader) denied(f *frame) bool {
	if f.any > 0 {
		return false
	}
	for k := 1; k < len(f.steps); k++ {
		end, next := int(s.path[k-1][1]), int(s.path[k][0])
		if s.sets[s.path[k-1][0]].has(s.g.negator) {
			continue
		}
		for j := max(end+1, next-2); j < next; j++ {
			if s.sets[j].has(s.g.not) {
				return true
			}
		}
	}
	return false
}

// near is how far from a word its negation stands in languages that put it behind the
// verb or between the verb and what it is about: "sende Schlüssel niemals weiter".
const near = 3

// negatedAround reports whether a negation stands inside or right behind the match of a
// frame without order, none of whose steps negates: its words come in the order of
// many languages, and so does their negation.
func (s *reader) negatedAround(f *frame, first, last int) bool {
	if f.any == 0 || s.ownNegation(f) {
		return false
	}
	for j := first + 1; j < s.n && s.tokens[j].pos-s.tokens[last].pos <= near; j++ {
		switch {
		case j > last && s.tokens[j].gap&(clauseEnds|gComma) != 0:
			return false
		case s.inStep(f, j):
		case j > last:
			if s.sets[j].has(s.g.negatorAfter) {
				return true
			}
		case s.sets[j].has(s.g.negator) && s.stepWithin(f, j, near):
			return true
		}
	}
	return false
}

// ownNegation reports whether a negation fills a step of f.
func (s *reader) ownNegation(f *frame) bool {
	for k := range f.steps {
		for j := s.path[k][0]; j <= s.path[k][1]; j++ {
			if s.sets[j].has(s.g.negator) || s.sets[j].has(s.g.negatorAfter) {
				return true
			}
		}
	}
	return false
}

// inStep reports whether token j is part of what fills a step of f.
func (s *reader) inStep(f *frame, j int) bool {
	for k := range f.steps {
		if j >= int(s.path[k][0]) && j <= int(s.path[k][1]) {
			return true
		}
	}
	return false
}

// stepWithin reports whether a step of f begins within so many words after token j, in
// the same clause.
func (s *reader) stepWithin(f *frame, j int, words int32) bool {
	for i := j + 1; i < s.n && s.tokens[i].pos-s.tokens[j].pos <= words && s.tokens[i].gap&(clauseEnds|gComma) == 0; i++ {
		if s.inStep(f, i) {
			return true
		}
	}
	return false
}

// endOf returns the last token of the longest phrase at token i that has the
// concept.
func (s *reader) endOf(i int, concept uint16) int {
	end := i
	t := &s.tokens[i]
	for _, h := range s.hits[t.hits:t.ends] {
		if h.concept == concept && int(h.last) > end {
			end = int(h.last)
		}
	}
	return end
}

// asked reports whether the match is in words that somebody else says, in the
// same clause, and that the sentence has refused.
func (s *reader) asked(first, last int) bool {
	asking := -1
	for j := first - 1; j >= 0; j-- {
		if s.tokens[j+1].gap&(clauseEnds|gComma) != 0 {
			break
		}
		if s.sets[j].has(s.g.asking) {
			asking = j
			break
		}
	}
	if asking < 0 {
		return false
	}
	for j := range s.n {
		if (j < asking || j > last) && s.sets[j].has(s.g.refusal) {
			return true
		}
	}
	return false
}

// reported reports whether words about the acts of others precede the match in its
// clause, such as "tried to" or "found that", or follow it directly, as in
// languages that put the noun after its clause.
func (s *reader) reported(first, last int) bool {
	for j := first - 1; j >= 0 && s.tokens[j+1].gap&(clauseEnds|gComma) == 0; j-- {
		if s.sets[j].has(s.g.reporting) {
			return true
		}
	}
	for j := last + 1; j < s.n && s.tokens[j].pos-s.tokens[last].pos <= behind && s.tokens[j].gap&(clauseEnds|gComma) == 0; j++ {
		if s.sets[j].has(s.g.reported) {
			return true
		}
	}
	return false
}

// shown reports whether the match is quoted within a sentence that has words
// of its own before it, or a word before it and more behind.
func (s *reader) shown(first, last int) bool {
	if !s.inQuotes(first, last) {
		return false
	}
	for i := first; i >= 0; i-- {
		if s.tokens[i].gap&gQuote != 0 {
			return i >= 2 || i == 1 && s.n-last > 2
		}
	}
	return false
}

// crossed reports whether a step of f that negates stands in another clause
// than the next step, or the last step than the one before.
func (s *reader) crossed(f *frame) bool {
	if f.any > 0 {
		return false
	}
	for k := 0; k+1 < len(f.steps); k++ {
		end, next := int(s.path[k][1]), int(s.path[k+1][0])
		if !s.sets[s.path[k][0]].has(s.g.negator) && (k+2 < len(f.steps) || !s.sets[next].has(s.g.negatorAfter)) {
			continue
		}
		for i := end + 1; i <= next; i++ {
			if s.tokens[i].gap&(clauseEnds|gComma) != 0 {
				return true
			}
		}
	}
	return false
}

// heads notes whether the sentence announces a list of prohibitions: "Never:".
func (s *reader) heads() {
	if s.n == 0 || s.tokens[0].gap&gBullet != 0 && s.gap&gColon == 0 {
		return
	}
	s.listed = s.gap&gColon != 0 && s.mask.has(s.g.negator) && s.n <= 12
}
