// This file moves edits to the positions where readers expect them.

package diff

import "cmp"

// slide moves each run of inserted or deleted lines to the position that is easiest to read. Moving
// is often possible without changing the result: a run can move up by one line if the line before
// it equals its last line, and down by one line if the line after it equals its first line. If a
// run can be moved next to another run, slide joins the two. An insertion and a deletion that meet
// in this way become a single change.
//
// Otherwise, slide rates the possible positions by the indent heuristic of git; see below.
func slide(old, new text, edits []Edit) []Edit {
	s := slider{old: old, new: new, left: maxSteps}
	out := edits[:0]
	for i := 0; i < len(edits); i++ {
		e := edits[i]
		for {
			floor, ceiling := 0, old.len() // limits set by the neighbors, in lines of old
			if len(out) > 0 {
				floor = out[len(out)-1].Old.End
			}
			if i+1 < len(edits) {
				ceiling = edits[i+1].Old.Start
			}
			up := s.room(e, -1, e.Old.Start-floor)
			if up > 0 && up == e.Old.Start-floor && len(out) > 0 {
				e = join(out[len(out)-1], shift(e, -up))
				out = out[:len(out)-1]
				continue
			}
			down := s.room(e, 1, ceiling-e.Old.End)
			if down > 0 && down == ceiling-e.Old.End && i+1 < len(edits) {
				i++
				e = join(shift(e, down), edits[i])
				continue
			}
			if up+down > 0 {
				e = s.best(e, up, down)
			}
			break
		}
		out = append(out, e)
	}
	return out
}

func shift(e Edit, by int) Edit {
	e.Old.Start, e.Old.End = e.Old.Start+by, e.Old.End+by
	e.New.Start, e.New.End = e.New.Start+by, e.New.End+by
	return e
}

func join(a, b Edit) Edit {
	return Edit{Range{a.Old.Start, b.Old.End}, Range{a.New.Start, b.New.End}}
}

// slider moves edits. In repetitive texts, this requires many comparisons of lines. Therefore their
// total number is limited; after the limit is reached, edits remain in their places.
type slider struct {
	old, new text
	left     int
}

// side returns the text and the range of the lines that e inserts or deletes. It returns
// false for a replacement, which cannot be moved.
func (s *slider) side(e Edit) (t text, run Range, ok bool) {
	switch {
	case e.Old.empty():
		return s.new, e.New, true
	case e.New.empty():
		return s.old, e.Old, true
	}
	return text{}, Range{}, false
}

// room returns the maximum distance that e can move, in lines, but at most limit. The direction is
// down if step is 1, and up if step is -1.
func (s *slider) room(e Edit, step, limit int) int {
	t, run, ok := s.side(e)
	n := 0
	for at := min(step, 0); ok && n < limit && s.left > 0 && t.line(run.Start+at) == t.line(run.End+at); at += step {
		n++
		s.left--
	}
	return n
}

const (
	maxSlides     = 100 // maximum number of positions rated for an edit
	weighingSteps = 32  // cost of rating a position, in compared lines
	maxSteps      = 1 << 18
)

// best moves e to its best position and returns the result. It moves e by at most maxUp
// lines up or at most maxDown lines down. If several positions are equally good, best
// chooses the lowest.
func (s *slider) best(e Edit, maxUp, maxDown int) Edit {
	t, run, _ := s.side(e)
	first := max(-maxUp, maxDown-maxSlides)
	s.left -= (maxDown - first) * weighingSteps
	bestBy, best := maxDown, splitScore{}
	for by := first; by <= maxDown; by++ {
		start, end := t.score(run.Start+by), t.score(run.End+by)
		score := splitScore{start.indent + end.indent, start.penalty + end.penalty}
		if by == first || indentWeight*cmp.Compare(score.indent, best.indent)+score.penalty <= best.penalty {
			bestBy, best = by, score
		}
	}
	return shift(e, bestBy)
}

// The following functions implement the indent heuristic of git (diff.indentHeuristic in
// xdiff/xdiffi.c, by Michael Haggerty). Each end of an edit splits the text. A split is good if it
// resembles the boundary of a block: it is at a blank line, has little indentation, and precedes a
// block rather than being inside the block. The weights are copied from git, where they were fitted
// to thousands of diffs that people had rated.
const (
	maxIndent = 200
	maxBlanks = 20

	startOfTextPenalty              = 1
	endOfTextPenalty                = 21
	totalBlankWeight                = -30
	blankAfterWeight                = 6
	relativeIndentPenalty           = -4
	relativeIndentWithBlankPenalty  = 10
	relativeOutdentPenalty          = 24
	relativeOutdentWithBlankPenalty = 17
	relativeDedentPenalty           = 23
	relativeDedentWithBlankPenalty  = 17
	indentWeight                    = 60
)

// blank is the value that indent returns for a blank line.
const blank = -1

// splitScore rates a split. Lower values are better.
type splitScore struct {
	indent  int
	penalty int
}

// score rates the split of the text before line i.
func (t text) score(i int) splitScore {
	here := t.indent(i)
	before, blanksBefore := t.neighbour(i-1, -1)
	after, blanksAfter := t.neighbour(i+1, 1)

	var s splitScore
	if before == blank && blanksBefore == 0 {
		s.penalty += startOfTextPenalty
	}
	if i >= t.len() {
		s.penalty += endOfTextPenalty
	}
	if here == blank {
		blanksAfter++
	} else {
		blanksAfter = 0
	}
	blanks := blanksBefore + blanksAfter
	s.penalty += totalBlankWeight*blanks + blankAfterWeight*blanksAfter

	indent := here
	if here == blank {
		indent = after
	}
	s.indent = indent
	switch {
	case indent == blank || before == blank || indent == before:
	case indent > before:
		s.penalty += pick(blanks > 0, relativeIndentWithBlankPenalty, relativeIndentPenalty)
	case after != blank && after > indent: // the line opens a block
		s.penalty += pick(blanks > 0, relativeOutdentWithBlankPenalty, relativeOutdentPenalty)
	default: // the line ends a block
		s.penalty += pick(blanks > 0, relativeDedentWithBlankPenalty, relativeDedentPenalty)
	}
	return s
}

func pick(first bool, a, b int) int {
	if first {
		return a
	}
	return b
}

// neighbour returns the indent of the first line that is not blank, starting at line i. It
// searches forward if step is 1, and backward if step is -1. It returns blank if there is
// no such line. blanks is the number of blank lines before that line.
func (t text) neighbour(i, step int) (indent, blanks int) {
	for ; i >= 0 && i < t.len(); i += step {
		if indent := t.indent(i); indent != blank {
			return indent, blanks
		}
		if blanks++; blanks == maxBlanks {
			return 0, blanks
		}
	}
	return blank, blanks
}

// indent returns the width of the white space at the beginning of line i, with tab stops
// every 8 columns. It returns blank for a blank line.
func (t text) indent(i int) int {
	if i >= t.len() {
		return blank
	}
	width := 0
	line := t.line(i)
	for j := 0; j < len(line) && width < maxIndent; j++ {
		switch line[j] {
		case ' ':
			width++
		case '\t':
			width += 8 - width%8
		case '\n', '\r', '\v', '\f':
		default:
			return width
		}
	}
	if width >= maxIndent {
		return maxIndent
	}
	return blank
}

// tidy makes edits within a line easier to read. It moves insertions and deletions to
// word boundaries, and joins edits with only a few characters between them. It does not
// change the text outside of the edits.
func tidy(es []Edit, x, y []token) []Edit {
	out := es[:0]
	for i, e := range es {
		floor, ceiling := 0, len(x)
		if len(out) > 0 {
			floor = out[len(out)-1].Old.End
		}
		if i+1 < len(es) {
			ceiling = es[i+1].Old.Start
		}
		e = toWords(e, e.Old.Start-floor, ceiling-e.Old.End, x, y)
		for len(out) > 0 && joinable(out[len(out)-1], e, x, y) {
			e = join(out[len(out)-1], e)
			out = out[:len(out)-1]
		}
		out = append(out, e)
	}
	return out
}

// maxTokenSlides is the maximum number of positions rated for an edit in each direction.
const maxTokenSlides = 64

// toWords moves an insertion or a deletion to the position that best matches word boundaries, at
// most maxLeft tokens back or maxRight tokens forward.
func toWords(e Edit, maxLeft, maxRight int, x, y []token) Edit {
	ts, run := y, e.New
	if e.New.empty() {
		ts, run = x, e.Old
	} else if !e.Old.empty() {
		return e
	}
	bestBy, best := 0, edge(ts, run.Start)+edge(ts, run.End)
	weigh := func(by int) {
		if s := edge(ts, run.Start+by) + edge(ts, run.End+by); s > best {
			bestBy, best = by, s
		}
	}
	for by := 1; by <= min(maxRight, maxTokenSlides) && ts[run.Start+by-1].id == ts[run.End+by-1].id; by++ {
		weigh(by)
	}
	for by := 1; by <= min(maxLeft, maxTokenSlides) && ts[run.Start-by].id == ts[run.End-by].id; by++ {
		weigh(-by)
	}
	return shift(e, bestBy)
}

// edge rates the boundary before token i. Higher values are better.
func edge(ts []token, i int) int {
	switch {
	case i == 0 || i == len(ts):
		return 3
	case ts[i-1].class == space:
		return 2 // before a word
	case ts[i].class == space:
		return 1 // after a word
	}
	return 0
}

// joinable reports whether the text between the edits a and b should become part of the change.
// White space between replaced words becomes part of the change. So does a short match between long
// replacements, because it is probably a coincidence.
func joinable(a, b Edit, x, y []token) bool {
	island, blank := 0, true
	widest := max(size(x, a.Old), size(y, a.New))
	widest = min(widest, max(size(x, b.Old), size(y, b.New)))
	for _, t := range x[a.Old.End:b.Old.Start] {
		island += t.len()
		blank = blank && t.class == space
		if island > widest {
			return false
		}
	}
	if island == 0 {
		return true
	}
	if blank {
		return !a.Old.empty() && !b.Old.empty() || !a.New.empty() && !b.New.empty()
	}
	return 2*island <= widest
}

// size returns the total length of the tokens in r, in bytes.
func size(ts []token, r Range) int {
	if r.empty() {
		return 0
	}
	return int(ts[r.End-1].end - ts[r.Start].start)
}
