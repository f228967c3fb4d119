// This file pairs changed lines, and recognizes rewrapped paragraphs.

package diff

import "slices"

const (
	// alike is the minimum similarity, from 0 to 1, of a deleted line and an inserted line that are
	// paired as the old and the new version of the same line.
	alike = 0.4
	// alikeAlone is the minimum similarity if a single line replaces a single line.
	alikeAlone = 0.25
	// maxCells is the maximum number of pairs of lines that are compared in a block. In
	// larger blocks, each line is compared only with lines at about the same relative
	// position.
	maxCells  = 1 << 14
	leastBand = 1
	// bagEnd is the number of tokens compared at each end of a long line.
	bagEnd = 256
)

// pairs matches deleted lines with the inserted lines that are their new versions. It returns the
// pairs with the highest total similarity. Pairs are in order and do not cross.
func (m *marker) pairs(dels, inss []changedLine) []match {
	if len(dels) == 0 || len(inss) == 0 {
		return nil
	}
	for _, lines := range [][]changedLine{dels, inss} {
		for i := range lines {
			l := &lines[i]
			ends := l.tokens
			if len(ends) > 2*bagEnd {
				ends = slices.Concat(ends[:bagEnd], ends[len(ends)-bagEnd:])
			}
			for _, t := range ends {
				if t.class == word {
					l.bag = append(l.bag, t.id)
					l.weight += t.len()
				}
			}
			slices.Sort(l.bag)
		}
	}
	if len(dels) == 1 && len(inss) == 1 {
		if m.similarity(&dels[0], &inss[0]) < alikeAlone {
			return nil
		}
		return []match{{0, 0}}
	}
	return m.align(dels, inss)
}

// similarity returns the similarity of two lines, from 0 to 1. It is the larger of two
// measures: the fraction of common words, and the length of common prefixes and suffixes.
func (m *marker) similarity(x, y *changedLine) float64 {
	shared := 0
	for i, j := 0, 0; i < len(x.bag) && j < len(y.bag); {
		switch {
		case x.bag[i] < y.bag[j]:
			i++
		case x.bag[i] > y.bag[j]:
			j++
		default:
			shared += len(m.ids.keys[x.bag[i]])
			i, j = i+1, j+1
		}
	}
	dice := 0.0
	if shared > 0 {
		dice = 2 * float64(shared) / float64(x.weight+y.weight)
	}
	if dice >= 0.8 {
		return dice
	}
	return max(dice, affix(x.text, y.text))
}

// The steps that lead to a cell of the table in align.
const (
	fromAbove = iota // the deleted line has no pair
	fromLeft         // the inserted line has no pair
	paired
)

// align finds the best alignment of two lists of lines with a table (Needleman and Wunsch,
// 1970). A table that would be too large is limited to a band along its diagonal.
func (m *marker) align(dels, inss []changedLine) []match {
	nd, ni := len(dels), len(inss)
	half := ni
	if nd*ni > maxCells {
		half = max(leastBand, maxCells/nd/2)
	}
	band := func(i int) (lo, hi int) {
		mid := i * ni / nd
		return max(0, mid-half), min(ni, mid+half)
	}
	// best[j-lo] is the highest score for the first i deleted and the first j inserted lines.
	var best, above []float64
	ways := make([][]uint8, nd+1)
	plo, phi := 0, 0
	for i := range nd + 1 {
		lo, hi := band(i)
		best, above = grow(above, hi-lo+1), best
		ways[i] = make([]uint8, hi-lo+1)
		for j := lo; j <= hi; j++ {
			sum, way := -1.0, fromAbove
			if i > 0 {
				sum = above[min(j, phi)-plo]
			}
			if j > lo && best[j-1-lo] > sum {
				sum, way = best[j-1-lo], fromLeft
			}
			if i > 0 && j > plo {
				like := m.similarity(&dels[i-1], &inss[j-1])
				if with := above[min(j-1, phi)-plo] + like - alike; like >= alike && with >= sum {
					sum, way = with, paired
				}
			}
			best[j-lo], ways[i][j-lo] = max(sum, 0), uint8(way)
		}
		plo, phi = lo, hi
	}
	var found []match
	for i, j := nd, ni; i > 0; {
		lo, hi := band(i)
		j = min(j, hi)
		switch ways[i][j-lo] {
		case paired:
			i, j = i-1, j-1
			found = append(found, match{i, j})
		case fromLeft:
			j--
		default:
			i--
		}
	}
	slices.Reverse(found)
	return found
}

// When words are added to a hard-wrapped paragraph, an editor moves all line breaks that
// follow. A comparison line by line then shows that nearly everything has changed. A
// comparison of the whole paragraph shows only the added words.

const (
	// maxRewrapped is the maximum number of tokens in a block that is compared as a
	// whole.
	maxRewrapped = 20_000
	// rewrappedKept is the minimum fraction of a paragraph that must be unchanged.
	rewrappedKept = 0.6
	// rewrapGain is the minimum ratio of the changed bytes in a comparison line by line to the
	// changed bytes in a comparison of the whole block.
	rewrapGain = 2
)

// passage contains the lines of one side of a block as a single text.
type passage struct {
	tokens []token // with offsets in the passage
	from   []place // original position of each token
}

// place is the line of a token and its offset in the line. The line is -1 for a line break.
type place struct {
	line, start int
}

// rewrap compares a block as a whole. If the lines were only rewrapped, it marks them and returns
// true. dels is the number of deleted lines. changed is the number of changed bytes, without white
// space, in a comparison line by line.
func (m *marker) rewrap(lines []Line, read []changedLine, dels, changed int) bool {
	old, new := m.passage(read[:dels]), m.passage(read[dels:])
	if len(old.tokens)+len(new.tokens) > maxRewrapped {
		return false
	}
	c := m.compare(old.tokens, new.tokens)
	es := tidy(edits(c.del, c.ins, 0), old.tokens, new.tokens)
	whole := max(visible(old.tokens), visible(new.tokens))
	lost, gained := 0, 0
	for _, e := range es {
		lost += visible(old.tokens[e.Old.Start:e.Old.End])
		gained += visible(new.tokens[e.New.Start:e.New.End])
	}
	if rewrapGain*(lost+gained) >= changed || float64(whole-max(lost, gained)) < rewrappedKept*float64(whole) {
		return false
	}
	for i := range lines {
		lines[i].Rewrapped = true
	}
	for _, e := range es {
		old.mark(lines[:dels], e.Old)
		new.mark(lines[dels:], e.New)
	}
	return true
}

// passage joins lines. It replaces each line break, and the white space around it, by a space.
func (m *marker) passage(lines []changedLine) passage {
	var p passage
	end := 0
	add := func(t token, at place) {
		n := t.len()
		t.start, t.end = int32(end), int32(end+n)
		end += n
		p.tokens, p.from = append(p.tokens, t), append(p.from, at)
	}
	blank := token{end: 1, id: m.ids.number(" "), class: space}
	for i, l := range lines {
		ts := l.tokens
		if i > 0 {
			add(blank, place{line: -1})
			if len(ts) > 0 && ts[0].class == space {
				ts = ts[1:]
			}
		}
		if n := len(ts); i < len(lines)-1 && n > 0 && ts[n-1].class == space {
			ts = ts[:n-1]
		}
		for _, t := range ts {
			add(t, place{i, int(t.start)})
		}
	}
	return p
}

// mark adds the tokens in r to the spans of their lines.
func (p passage) mark(lines []Line, r Range) {
	for i := r.Start; i < r.End; i++ {
		at := p.from[i]
		if at.line < 0 {
			continue
		}
		spans := &lines[at.line].Spans
		end := at.start + p.tokens[i].len()
		if n := len(*spans); n > 0 && (*spans)[n-1].End == at.start {
			(*spans)[n-1].End = end
		} else {
			*spans = append(*spans, Span{at.start, end})
		}
	}
}
