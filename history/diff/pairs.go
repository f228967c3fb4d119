package diff

import "slices"

const (
	// alike sets how much two lines of a block must resemble each other to be
	// two versions of one, from 0 to 1.
	alike = 0.4
	// alikeAlone is the same for a line that alone replaces one line.
	alikeAlone = 0.25
	// maxCells limits how many pairs of lines are weighed in one block. In larger
	// ones each line is weighed against those about as far down the block.
	maxCells  = 1 << 14
	leastBand = 1
	// bagEnd sets how many words are looked at from either end of a long line.
	bagEnd = 256
)

// pairs decides which deleted line became which inserted one: the pairs, in
// order on both sides, with the greatest resemblance in sum.
func (m *marker) pairs(dels, inss []changedLine) []match {
	if len(dels) == 0 || len(inss) == 0 {
		return nil
	}
	for _, lines := range [][]changedLine{dels, inss} {
		for i := range lines {
			m.fillBag(&lines[i])
		}
	}
	if len(dels) == 1 && len(inss) == 1 {
		if m.likeness(&dels[0], &inss[0]) < alikeAlone {
			return nil
		}
		return []match{{0, 0}}
	}
	return m.align(dels, inss)
}

// fillBag gathers the words of l.
func (m *marker) fillBag(l *changedLine) {
	add := func(ts []token) {
		for _, t := range ts {
			if t.class == word {
				l.bag = append(l.bag, t.id)
				l.weight += t.len()
			}
		}
	}
	if len(l.tokens) <= 2*bagEnd {
		add(l.tokens)
	} else {
		add(l.tokens[:bagEnd])
		add(l.tokens[len(l.tokens)-bagEnd:])
	}
	slices.Sort(l.bag)
}

// likeness rates how much two lines resemble each other, from 0 to 1: by the
// words they share, or by their beginnings and ends.
func (m *marker) likeness(x, y *changedLine) float64 {
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

// The ways into a cell of the table in align.
const (
	fromAbove = iota // the deleted line has no partner
	fromLeft         // the inserted line has none
	paired
)

// align finds the best alignment by the usual table (Needleman and Wunsch,
// 1970), limited to a band along the diagonal when it would be too large.
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
	// best[j-lo] is the greatest sum for the first i deleted and j inserted lines.
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
				like := m.likeness(&dels[i-1], &inss[j-1])
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
