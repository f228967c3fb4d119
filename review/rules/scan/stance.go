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

// fit is a frame that fits a sentence: the words that fill its steps.
type fit struct {
	words       *sentence
	frame       *frame
	path        [maxSteps][2]uint8 // first and last token of each step
	first, last int                // tokens of the match
}

// passes reports whether f, whose steps fill tokens first to last, is let pass by its
// guards.
func (s *fit) passes(f *frame, first, last int) bool {
	s.frame, s.first, s.last = f, first, last
	for i := range s.frame.guards {
		gu := &s.frame.guards[i]
		if gu.within == 0 {
			continue
		}
		from, to := s.first, s.last+1
		if gu.after {
			from = to
			for to < s.words.n && s.words.tokens[to].pos <= s.words.tokens[s.last].pos+gu.within {
				to++
			}
		} else {
			to = from
			for from > 0 && s.words.tokens[from-1].pos >= s.words.tokens[s.first].pos-gu.within {
				from--
			}
		}
		if s.words.holds(gu.part, from, to) == gu.absent {
			return false
		}
	}
	return true
}

// clauseEnds are the gaps that end the scope of a negator.
const clauseEnds = gBlank | gBullet | gStop | gColon | gDash | gOpen | gClose | gTag | gComment

// scope is how many words a negator reaches, behind how many words after a match the
// noun may stand that reports it.
const (
	scope  = 10
	behind = 10
)

// stance returns how the sentence treats the match.
func (s *fit) stance() Stance {
	var st Stance
	if s.negated() || s.denied() || s.negatedAround() || s.words.listed && s.words.tokens[0].gap&gBullet != 0 {
		st |= Negated
	}
	if s.asked() || s.reported() {
		st |= Asked
	}
	if s.shown() {
		st |= Shown
	}
	if s.words.tokens[s.first].fenced {
		st |= Fenced
	}
	if s.crossed() {
		st |= Crossed
	}
	return st
}

// negated reports whether a negator governs what begins with the match. Its
// scope ends with the clause; a comma ends it too, unless a list goes on behind
// it. "Do not forget to" and "not until" negate nothing.
func (s *fit) negated() bool {
	commas, or := false, false
	for j := s.first - 1; j >= 0 && s.words.tokens[s.first].pos-s.words.tokens[j].pos <= scope; j-- {
		next := s.words.tokens[j+1].gap
		if next&clauseEnds != 0 && (next&gStop == 0 || next&gSpace != 0) {
			return false
		}
		commas = commas || next&gComma != 0
		if s.words.sets[j].has(s.words.g.unnegator) {
			return false
		}
		or = or || s.words.sets[j].has(s.words.g.alternative)
		if s.words.sets[j].has(s.words.g.negator) && s.words.endOf(j, s.words.g.negator) < s.first {
			return !commas || or || s.words.sets[s.first].has(s.words.g.alternative)
		}
	}
	return false
}

// denied reports whether "not" or "never" stands right before a step that is
// no negation itself: "as data, never as instructions".
func (s *fit) denied() bool {
	if s.frame.any > 0 {
		return false
	}
	for k := 1; k < len(s.frame.steps); k++ {
		end, next := int(s.path[k-1][1]), int(s.path[k][0])
		if s.words.sets[s.path[k-1][0]].has(s.words.g.negator) {
			continue
		}
		for j := max(end+1, next-2); j < next; j++ {
			if s.words.sets[j].has(s.words.g.not) {
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
func (s *fit) negatedAround() bool {
	if s.frame.any == 0 || s.ownNegation() {
		return false
	}
	for j := s.first + 1; j < s.words.n && s.words.tokens[j].pos-s.words.tokens[s.last].pos <= near; j++ {
		switch {
		case j > s.last && s.words.tokens[j].gap&(clauseEnds|gComma) != 0:
			return false
		case s.inStep(j):
		case j > s.last:
			if s.words.sets[j].has(s.words.g.negatorAfter) {
				return true
			}
		case s.words.sets[j].has(s.words.g.negator) && s.stepWithin(j, near):
			return true
		}
	}
	return false
}

// ownNegation reports whether a negation fills a step.
func (s *fit) ownNegation() bool {
	for k := range s.frame.steps {
		for j := s.path[k][0]; j <= s.path[k][1]; j++ {
			if s.words.sets[j].has(s.words.g.negator) || s.words.sets[j].has(s.words.g.negatorAfter) {
				return true
			}
		}
	}
	return false
}

// inStep reports whether token j is part of what fills a step.
func (s *fit) inStep(j int) bool {
	for k := range s.frame.steps {
		if j >= int(s.path[k][0]) && j <= int(s.path[k][1]) {
			return true
		}
	}
	return false
}

// stepWithin reports whether a step begins within so many words after token j, in
// the same clause.
func (s *fit) stepWithin(j int, words int32) bool {
	for i := j + 1; i < s.words.n && s.words.tokens[i].pos-s.words.tokens[j].pos <= words && s.words.tokens[i].gap&(clauseEnds|gComma) == 0; i++ {
		if s.inStep(i) {
			return true
		}
	}
	return false
}

// asked reports whether the match is in words that somebody else says, in the
// same clause, and that the sentence has refused.
func (s *fit) asked() bool {
	asking := -1
	for j := s.first - 1; j >= 0; j-- {
		if s.words.tokens[j+1].gap&(clauseEnds|gComma) != 0 {
			break
		}
		if s.words.sets[j].has(s.words.g.asking) {
			asking = j
			break
		}
	}
	if asking < 0 {
		return false
	}
	for j := range s.words.n {
		if (j < asking || j > s.last) && s.words.sets[j].has(s.words.g.refusal) {
			return true
		}
	}
	return false
}

// reported reports whether words about the acts of others precede the match in its
// clause, such as "tried to" or "found that", or follow it directly, as in
// languages that put the noun after its clause.
func (s *fit) reported() bool {
	for j := s.first - 1; j >= 0 && s.words.tokens[j+1].gap&(clauseEnds|gComma) == 0; j-- {
		if s.words.sets[j].has(s.words.g.reporting) {
			return true
		}
	}
	for j := s.last + 1; j < s.words.n && s.words.tokens[j].pos-s.words.tokens[s.last].pos <= behind && s.words.tokens[j].gap&(clauseEnds|gComma) == 0; j++ {
		if s.words.sets[j].has(s.words.g.reported) {
			return true
		}
	}
	return false
}

// shown reports whether the match is quoted within a sentence that has words
// of its own before it, or a word before it and more behind.
func (s *fit) shown() bool {
	if !s.words.inQuotes(s.first, s.last) {
		return false
	}
	for i := s.first; i >= 0; i-- {
		if s.words.tokens[i].gap&gQuote != 0 {
			return i >= 2 || i == 1 && s.words.n-s.last > 2
		}
	}
	return false
}

// crossed reports whether a step that negates stands in another clause
// than the next step, or the last step than the one before.
func (s *fit) crossed() bool {
	if s.frame.any > 0 {
		return false
	}
	for k := 0; k+1 < len(s.frame.steps); k++ {
		end, next := int(s.path[k][1]), int(s.path[k+1][0])
		if !s.words.sets[s.path[k][0]].has(s.words.g.negator) && (k+2 < len(s.frame.steps) || !s.words.sets[next].has(s.words.g.negatorAfter)) {
			continue
		}
		for i := end + 1; i <= next; i++ {
			if s.words.tokens[i].gap&(clauseEnds|gComma) != 0 {
				return true
			}
		}
	}
	return false
}
