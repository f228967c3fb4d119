package pager

// A pager that points at its stops is a list: one of its items is selected. An
// item goes from its stop to the row before the next.

// selects reports whether there are items to select.
func (p *Pager) selects() bool { return p.point != "" && len(p.stops) > 0 }

// Move selects the next item, or the one before when n is -1. Where not all of
// the selected item is in the window, it moves the window by a line first, and
// without items it only does that.
func (p *Pager) Move(n int) {
	if p.picking || !p.selects() {
		p.Scroll(n)
		return
	}
	for ; n > 0; n-- {
		if p.ends(p.stop) || p.stop == len(p.stops)-1 {
			p.scroll(1)
			continue
		}
		p.stop++
		for row := p.StopRow(); p.top.row < row && (p.below(row) || p.ends(p.stop)); {
			p.scroll(1)
		}
	}
	for ; n < 0; n++ {
		if row := p.StopRow(); p.top.row > row || p.top == (place{row, p.top.sub}) && p.top.sub > 0 || p.stop == 0 {
			p.scroll(-1)
			continue
		}
		p.stop--
		for row := p.StopRow(); p.top.row > row || p.top.row == row && p.top.sub > 0; {
			p.scroll(-1)
		}
	}
}

// below reports whether a row begins below the window.
func (p *Pager) below(row int) bool {
	_, last := p.Window()
	return row >= last
}

// ends reports whether an item goes on below the window.
func (p *Pager) ends(stop int) bool {
	end := p.len() - 1
	if stop+1 < len(p.stops) {
		end = p.stops[stop+1] - 1
	}
	bottom := p.top
	for range p.height - 1 {
		down, ok := p.after(bottom)
		if !ok {
			return false
		}
		bottom = down
	}
	return bottom.above(place{end, p.lastSub(end)})
}

// SelectShown selects an item that is in the window, when the selected one is
// not.
func (p *Pager) SelectShown() {
	if !p.selects() {
		return
	}
	first, last := p.Window()
	for p.StopRow() < first && p.stop < len(p.stops)-1 {
		p.stop++
	}
	for p.StopRow() >= last && p.stop > 0 {
		p.stop--
	}
}
