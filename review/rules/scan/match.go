// This file matches frames against a sentence.

package scan

import (
	"math/bits"
	"slices"

	"toolcrib/review/rules/scan/disguise"
)

// Match is a passage of the text that a frame matches.
type Match struct {
	Frame string
	// Start and End are byte offsets in the scanned text. For a match in a decoded text, the
	// offsets delimit the encoded passage.
	Start, End int
	Disguise   disguise.Disguise
	// Quoted reports whether the match is in quotation marks.
	Quoted bool
	// Sentence, Before, Lead, and Within are the concepts of the sentence, of the words before the
	// match, of the last three words before the match, and of the match itself.
	Sentence, Before, Lead, Within Set
	// Nested reports whether the match is in a text that was decoded from the scanned text.
	Nested bool
	// Stance distinguishes an assertion from a denial, report, or quotation.
	Stance Stance
}

// maxPerSentence is the maximum number of matches of an unordered frame in a sentence.
const maxPerSentence = 4

// matcher matches the frames of its grammar against a sentence.
type matcher struct {
	g           *Grammar
	words       *sentence
	out         *Result
	seg         *disguise.Segment // the segment that contains the sentence
	fit         fit
	triedFrames marks
	fired       []uint8             // number of matches of each frame in the text so far
	failed      [maxSteps][2]uint64 // for each step, a bitmap of the tokens where the step is known not to match
}

// match tries every frame with an anchor concept that occurs in the sentence.
func (s *matcher) match() {
	s.triedFrames.epoch++
	for _, c := range s.words.present {
		s.tryAll(s.g.byAnchor[c])
	}
	for w := range maxNamed / 64 {
		for set := s.words.mask[w] & s.g.anchors[w]; set != 0; set &= set - 1 {
			s.tryAll(s.g.byAnchor[w<<6|bits.TrailingZeros64(set)])
		}
	}
}

func (s *matcher) tryAll(frames []uint16) {
	for _, f := range frames {
		if s.triedFrames.add(f) {
			s.try(int(f))
		}
	}
}

// marks is a set of frames. Incrementing epoch clears the set in constant time.
type marks struct {
	at    []uint32
	epoch uint32
}

// add adds i to the set. It returns false if the set already contained i.
func (m *marks) add(i uint16) bool {
	if m.at[i] == m.epoch {
		return false
	}
	m.at[i] = m.epoch
	return true
}

// try reports the matches of frame n in the sentence.
func (s *matcher) try(n int) {
	f := &s.g.frames[n]
	for _, p := range f.others {
		if !s.words.mayContain(p) {
			return
		}
	}
	for i := range f.guards {
		if gu := &f.guards[i]; gu.within == 0 && s.words.mentions(gu.part) == gu.absent {
			return
		}
	}
	if f.any > 0 { // the steps may match in any order
		found := 0
		for i := 0; i < s.words.n && found < maxPerSentence; i++ {
			if _, ok := s.fits(&f.steps[f.anchor], i); !ok {
				continue
			}
			if first, last, ok := s.nearestSteps(f, i); ok && s.fit.passesGuards(f, first, last) {
				s.report(n, f, first, last)
				found++
			}
		}
		return
	}
	s.failed = [maxSteps][2]uint64{}
	st := &f.steps[0]
	for i := range s.words.tokens[:s.words.n] {
		if !s.words.sets[i].meets(&st.set) && len(st.words) == 0 {
			continue
		}
		if last, ok := s.follow(f, 0, i); ok && s.fit.passesGuards(f, i, last) {
			s.report(n, f, i, last)
		}
	}
}

// follow reports whether step k of f matches at token i and the following steps match after it. It
// returns the last token of the match. follow records failures to avoid trying a step twice at the
// same token.
func (s *matcher) follow(f *frame, k, i int) (last int, ok bool) {
	if s.failed[k][i>>6]&(1<<(i&63)) != 0 {
		return 0, false
	}
	end, ok := s.fits(&f.steps[k], i)
	if ok {
		s.fit.path[k] = [2]uint8{uint8(i), uint8(end)}
		if k+1 == len(f.steps) {
			return end, true
		}
		reach := s.words.tokens[end].pos + 1 + f.steps[k+1].gap
		for j := end + 1; j < s.words.n && s.words.tokens[j].pos <= reach; j++ {
			if last, ok := s.follow(f, k+1, j); ok {
				return last, true
			}
		}
	}
	s.failed[k][i>>6] |= 1 << (i & 63)
	return 0, false
}

// fits reports whether st matches at token i. It returns the last token of the word or phrase that
// matches.
func (s *matcher) fits(st *step, i int) (end int, ok bool) {
	s.words.work++
	if !s.words.sets[i].meets(&st.set) && len(st.words) == 0 || st.imperative && !s.imperative(i) {
		return 0, false
	}
	var accept func(int) bool
	if len(st.with) > 0 { // the same words must contain further concepts
		accept = func(last int) bool {
			return !slices.ContainsFunc(st.with, func(p *part) bool { return !s.words.containsIn(p, i, last+1) })
		}
	}
	end = s.words.matchAt(st.part, st.forms, i, accept)
	return end, end >= 0
}

// imperative reports whether an imperative can begin at token i: at the start of a clause, or after a
// word or phrase of the concept lead.
func (s *matcher) imperative(i int) bool {
	if i == 0 || s.words.tokens[i].gap&clauseMarks != 0 || s.words.sets[i-1].has(s.g.lead) {
		return true
	}
	for k := max(0, i-4); k < i; k++ {
		if s.words.sets[k].has(s.g.lead) {
			t := &s.words.tokens[k]
			if slices.ContainsFunc(s.words.hits[t.hits:t.ends], func(h hit) bool { return h.concept == s.g.lead && int(h.last) == i-1 }) {
				return true
			}
		}
	}
	return false
}

// nearestSteps finds, for each step of f except the anchor, the match that is closest to the anchor
// at token i. It returns the first and the last token of all matches, and false if the steps do not
// match closely enough.
func (s *matcher) nearestSteps(f *frame, i int) (first, last int, ok bool) {
	first, last = i, i
	for k := range f.steps {
		at, end := -1, 0
		if k == f.anchor {
			at = i
			end, _ = s.fits(&f.steps[k], i)
		}
		for d := 1; at < 0 && d <= int(f.any); d++ {
			for _, j := range [2]int{i - d, i + d} {
				if j < 0 || j >= s.words.n || at >= 0 {
					continue
				}
				if e, ok := s.fits(&f.steps[k], j); ok && max(s.words.tokens[j].pos-s.words.tokens[i].pos, s.words.tokens[i].pos-s.words.tokens[j].pos) <= f.any {
					at, end = j, e
				}
			}
		}
		if at < 0 {
			return 0, 0, false
		}
		s.fit.path[k] = [2]uint8{uint8(at), uint8(end)}
		first, last = min(first, at), max(last, end)
	}
	return first, last, s.words.tokens[last].pos-s.words.tokens[first].pos <= f.any
}

// report adds a match of frame n from token start to token end.
func (s *matcher) report(n int, f *frame, start, end int) {
	if len(s.out.Matches) >= maxMatches || s.fired[n] >= maxPerFrame {
		return
	}
	s.fired[n]++
	m := Match{Frame: s.g.names[n], Disguise: s.seg.Hidden, Sentence: s.words.mask, Nested: s.seg.Depth > 0}
	m.Start, m.End = s.seg.Origin(int(s.words.tokens[start].start), int(s.words.tokens[end].end))
	for i := range start {
		m.Before.union(&s.words.sets[i])
		if s.words.tokens[start].pos-s.words.tokens[i].pos <= 3 {
			m.Lead.union(&s.words.sets[i])
		}
	}
	for i := start; i <= end; i++ {
		m.Within.union(&s.words.sets[i])
	}
	for k := range f.steps {
		a, b := s.fit.path[k][0], s.fit.path[k][1]
		for i := a; i <= b; i++ {
			m.Disguise |= s.words.tokens[i].hide
		}
	}
	m.Quoted = s.words.inQuotes(start, end)
	m.Stance = s.fit.stance()
	s.out.Matches = append(s.out.Matches, m)
}

// maxMatches is the maximum number of matches in a text. maxPerFrame is the maximum number of
// matches of each frame in a text. The limit for each frame ensures that a repeated phrase does not
// displace other matches.
const (
	maxMatches  = 2048
	maxPerFrame = 24
)
