package diff

// Row is one row of a hunk seen side by side: the old line at the left, the
// new one at the right, as indices among the hunk's lines; -1 leaves a side
// empty. In a row of context both are the same line.
type Row struct {
	Left, Right int
}

// Rows arranges the hunk side by side. Lines that Words has paired share a row;
// lines between two pairs fill the rows from above.
func (h Hunk) Rows() []Row {
	rows := make([]Row, 0, len(h.Lines))
	done := 0
	for b := range h.blocks {
		rows = h.contextRows(rows, done, b.from)
		done = b.to
		left, right := b.from, b.mid
		for i := b.from; i < b.mid; i++ {
			if pair := h.Lines[i].Pair; pair >= 0 {
				rows = append(fillRows(rows, left, i, right, pair), Row{i, pair})
				left, right = i+1, pair+1
			}
		}
		rows = fillRows(rows, left, b.mid, right, b.to)
	}
	return h.contextRows(rows, done, len(h.Lines))
}

func (h Hunk) contextRows(rows []Row, from, to int) []Row {
	for i := from; i < to; i++ {
		rows = append(rows, Row{i, i})
	}
	return rows
}

// fillRows places the lines left:leftEnd beside right:rightEnd.
func fillRows(rows []Row, left, leftEnd, right, rightEnd int) []Row {
	for left < leftEnd || right < rightEnd {
		row := Row{-1, -1}
		if left < leftEnd {
			row.Left = left
			left++
		}
		if right < rightEnd {
			row.Right = right
			right++
		}
		rows = append(rows, row)
	}
	return rows
}
