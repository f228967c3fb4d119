package diff

import "cmp"

// The functions below are the indent heuristic of git (diff.indentHeuristic, by
// Michael Haggerty; xdiff/xdiffi.c). An edit has two ends; each splits the
// text in two, and a split is better the more it looks like a boundary: at
// blank lines, at the left, before a block and not inside one. The weights are
// git's, which were fitted to thousands of diffs people had rated.
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

// blank is the indent of a line of white space, or of none.
const blank = -1

// splitScore rates how bad a split is.
type splitScore struct {
	indent  int
	penalty int
}

// cost is below 0 when s is better than o, above 0 when it is worse.
func (s splitScore) cost(o splitScore) int {
	return indentWeight*cmp.Compare(s.indent, o.indent) + s.penalty - o.penalty
}

// score weighs the split before line i.
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
	default: // it ends one
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

// neighbour walks from line i in the direction by, over blank lines, and
// returns the indent of the first other line (blank when there is none) and
// the number of blank lines on the way.
func (t text) neighbour(i, by int) (indent, blanks int) {
	for ; i >= 0 && i < t.len(); i += by {
		if indent := t.indent(i); indent != blank {
			return indent, blanks
		}
		if blanks++; blanks == maxBlanks {
			return 0, blanks
		}
	}
	return blank, blanks
}

// indent returns the width of the white space line i begins with, tabs to the
// next multiple of 8, or blank.
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
