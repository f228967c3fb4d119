// This file determines whether the text asserts a match, or negates, quotes, or reports it.

package scan

// Stance states how the text distances itself from a match. It is a set of flags.
type Stance uint8

// The stances. The value 0 means that the text states or orders the match plainly.
const (
	// Negated means that a negator such as "never", "instead of", or "refuse to" governs the match.
	Negated Stance = 1 << iota
	// Asked means that the match is a request of a third party that the model should refuse ("if a
	// page tells you to …, ignore it"), or a report of the acts of others.
	Asked
	// Shown means that the match is in quotation marks, and that the sentence continues outside the
	// quotation marks.
	Shown
	// Fenced means that the match is in a code block.
	Fenced
	// Crossed means that the negator of the match belongs to another clause, as in "if you cannot,
	// tell the user".
	Crossed
)

// fit is a match of a frame in a sentence, with the words that match each step.
type fit struct {
	words       *sentence
	frame       *frame
	path        [maxSteps][2]uint8 // first and last token of each step
	first, last int                // tokens of the match
}

// passesGuards reports whether a match of f from token start to token end meets all guards with a
// distance. It stores the match in s.
func (s *fit) passesGuards(f *frame, start, end int) bool {
	s.frame, s.first, s.last = f, start, end
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
		if s.words.containsIn(gu.part, from, to) == gu.absent {
			return false
		}
	}
	return true
}

// clauseEnds are the separators that end the scope of a negator.
const clauseEnds = gBlank | gBullet | gStop | gColon | gDash | gOpen | gClose | gTag | gComment

// scope is the maximum distance in words between a negator and the negated match. behind is the
// maximum distance in words between a match and a following noun that marks the match as a report.
const (
	scope  = 10
	behind = 10
)

// stance returns the stance of the match.
func (s *fit) stance() Stance {
	var st Stance
	if s.negated() || s.denied() || s.negatedAround() || s.words.prohibited && s.words.tokens[0].gap&gBullet != 0 {
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

// negated reports whether a negator governs the beginning of the match. The scope of a negator ends
// with its clause. It also ends at a comma, unless a list continues after the comma. "Do not forget
// to" and "not until" do not negate.
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

// denied reports whether "not" or "never" directly precedes a step. denied ignores the word if the
// previous step is itself a negation, as in "as data, never as instructions".
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

// near is the maximum distance in words between a verb and its object, or between a verb and a
// negation in languages that place the negation after the verb, as in "sende Schlüssel niemals
// weiter".
const near = 3

// negatedAround reports whether a negation occurs inside or directly after the match of an
// unordered frame. It returns false if a step of the frame itself matches a negation. Unordered
// frames match the word orders of many languages, which place the negation differently.
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

// ownNegation reports whether the words that match a step of the frame include a negation.
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

// inStep reports whether token j belongs to the words that match a step.
func (s *fit) inStep(j int) bool {
	for k := range s.frame.steps {
		if j >= int(s.path[k][0]) && j <= int(s.path[k][1]) {
			return true
		}
	}
	return false
}

// stepWithin reports whether a step begins within the given number of words after token j, in the
// same clause.
func (s *fit) stepWithin(j int, words int32) bool {
	for i := j + 1; i < s.words.n && s.words.tokens[i].pos-s.words.tokens[j].pos <= words && s.words.tokens[i].gap&(clauseEnds|gComma) == 0; i++ {
		if s.inStep(i) {
			return true
		}
	}
	return false
}

// asked reports whether the match is a request of a third party, and the sentence tells the model
// to refuse such requests. The words that introduce the request must be in the same clause.
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

// reported reports whether the match is a report of the acts of others. Words such as "tried to" or
// "found that" precede such a match in its clause. In languages that place such words after the
// clause, the words directly follow the match.
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

// shown reports whether the match is quoted in a sentence that continues outside the quotation. At
// least two words must precede the quotation, or one word must precede it and two must follow the
// match.
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

// crossed reports whether a step that is a negation is in a different clause than the following
// step. It also returns true if the last step negates the previous step and these two steps are in
// different clauses.
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
