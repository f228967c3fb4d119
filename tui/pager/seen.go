package pager

// See marks the rows in the window as seen. A text counts as seen up to where it
// was shown without a gap from its beginning.
func (p *Pager) See() {
	defer p.through()()
	at, ok := p.top, p.len() > 0
	for n := 0; ok && n < p.height; n++ {
		row := p.row(at.row)
		for c := range row.Cells {
			cell := &row.Cells[c]
			if cell.Track == 0 {
				continue
			}
			key := cellKey{at.row, c}
			from, to, _, shown := p.span(key, cell, p.textWidth(row, c), at.sub)
			if before, known := p.seen[cell.Track]; shown && (from == 0 && !known || known && from <= before && to > before) {
				p.seen[cell.Track] = to
			}
		}
		at, ok = p.after(at)
	}
}

// Seen reports whether the first n bytes of a text were shown.
func (p *Pager) Seen(t Text, n int) bool {
	to, known := p.seen[t]
	return known && to >= n
}
