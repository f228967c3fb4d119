package pager

// hasSub reports whether a row has a line sub when it is wrapped.
func (p *Pager) hasSub(at place) bool {
	if at.sub == 0 {
		return true
	}
	if !p.wrap {
		return false
	}
	row := p.row(at.row)
	for c := range row.Cells {
		if _, ok := p.layout.line(cellKey{at.row, c}, &row.Cells[c].Text, p.textWidth(row, c), at.sub); ok {
			return true
		}
	}
	return false
}

// lastSub returns the last line of a row.
func (p *Pager) lastSub(row int) int {
	if !p.wrap {
		return 0
	}
	last := 0
	r := p.row(row)
	for c := range r.Cells {
		last = max(last, p.layout.count(cellKey{row, c}, &r.Cells[c].Text, p.textWidth(r, c))-1)
	}
	return last
}

// after returns the next line; ok is false at the end.
func (p *Pager) after(at place) (place, bool) {
	if p.len() == 0 {
		return at, false
	}
	if next := (place{at.row, at.sub + 1}); p.hasSub(next) {
		return next, true
	}
	if at.row+1 >= p.len() {
		return at, false
	}
	return place{at.row + 1, 0}, true
}

// before returns the line above; ok is false at the beginning.
func (p *Pager) before(at place) (place, bool) {
	if at.sub > 0 {
		return place{at.row, at.sub - 1}, true
	}
	if at.row == 0 {
		return at, false
	}
	return place{at.row - 1, p.lastSub(at.row - 1)}, true
}

// end returns the lowest place the window can have.
func (p *Pager) end() place {
	n := p.len()
	if n == 0 || p.height <= 0 {
		return place{}
	}
	at := place{n - 1, p.lastSub(n - 1)}
	for range p.height - 1 {
		up, ok := p.before(at)
		if !ok {
			return place{}
		}
		at = up
	}
	return at
}

func (a place) above(b place) bool { return a.row < b.row || a.row == b.row && a.sub < b.sub }

// clamp keeps the window within the text.
func (p *Pager) clamp() {
	if p.top.row >= p.len() {
		p.top = place{max(0, p.len()-1), 0}
	}
	// Only near the end is it needed to look where the end is.
	if p.len()-p.top.row > p.height {
		return
	}
	if end := p.end(); end.above(p.top) {
		p.top = end
	}
}

// Scroll moves the window by n lines, up when n is negative.
func (p *Pager) Scroll(n int) {
	if p.picking {
		p.pickRow(p.picked + n)
		return
	}
	p.scroll(n)
}

func (p *Pager) scroll(n int) {
	step := p.after
	if n < 0 {
		step, n = p.before, -n
	}
	for range n {
		at, ok := step(p.top)
		if !ok {
			break
		}
		p.top = at
	}
	p.clamp()
}

// Page moves the window by n times its height, less a line to find the place.
func (p *Pager) Page(n float64) {
	p.Scroll(int(n * float64(max(1, p.height-1))))
	p.SelectShown()
}

// Home shows the beginning.
func (p *Pager) Home() {
	p.top, p.x, p.picked = place{}, 0, 0
	if p.selects() {
		p.stop = 0
	}
}

// End shows the end.
func (p *Pager) End() {
	p.top, p.picked = p.end(), max(0, p.len()-1)
	if p.selects() {
		p.stop = len(p.stops) - 1
	}
}

// Side moves the window by n cells, to the left when n is negative. It has no
// effect when rows are wrapped.
func (p *Pager) Side(n int) {
	if !p.wrap {
		p.x = max(0, p.x+n)
	}
}

// Reveal brings a row into the window: where it is there already nothing
// moves, else it comes to a third of the height.
func (p *Pager) Reveal(row int) {
	if first, last := p.Window(); row >= first && row < last {
		return
	}
	p.Center(row)
}

// Center brings a row to a third of the height.
func (p *Pager) Center(row int) {
	p.top = place{min(max(0, row), max(0, p.len()-1)), 0}
	p.scroll(-p.height / 3)
}

// Top brings a row to the top of the window, as far as there is text below it.
func (p *Pager) Top(row int) {
	p.top = place{min(max(0, row), max(0, p.len()-1)), 0}
	p.clamp()
}

// Window returns the rows of which something is in the window: from first to
// before last.
func (p *Pager) Window() (first, last int) {
	if p.len() == 0 {
		return 0, 0
	}
	if w := p.layout.window; w.last > 0 && w.top == p.top && w.height == p.height {
		return w.first, w.last
	}
	at := p.top
	for range p.height - 1 {
		down, ok := p.after(at)
		if !ok {
			break
		}
		at = down
	}
	p.layout.window = window{p.top, p.height, p.top.row, at.row + 1}
	return p.top.row, at.row + 1
}

// NextStop goes to the next stop, or the one before when step is -1. ok is
// false when there is none.
func (p *Pager) NextStop(step int) (ok bool) {
	n := p.stop + step
	if p.stop < 0 { // none yet: the first below the top of the window, or above it
		for n = 0; n < len(p.stops) && p.stops[n] < p.top.row; n++ {
		}
		if step < 0 {
			n--
		}
	}
	if n < 0 || n >= len(p.stops) {
		return false
	}
	p.stop = n
	p.picked = p.stops[n]
	p.Reveal(p.stops[n])
	return true
}

// Stop returns the index of the current stop, -1 for none.
func (p *Pager) Stop() int { return p.stop }

// SetStop makes stop n the current one and shows it.
func (p *Pager) SetStop(n int) {
	if n >= 0 && n < len(p.stops) {
		p.stop = n
		p.Reveal(p.stops[n])
	}
}

// StopRow returns the row of the current stop, -1 for none.
func (p *Pager) StopRow() int {
	if p.stop < 0 || p.stop >= len(p.stops) {
		return -1
	}
	return p.stops[p.stop]
}

// Follow scrolls as far as it takes to have a byte of a row in the window.
func (p *Pager) Follow(row, at int) {
	sub := 0
	if p.wrap && row < p.len() {
		r := p.row(row)
		for p.hasSub(place{row, sub + 1}) {
			if s, _ := p.layout.line(cellKey{row, 0}, &r.Cells[0].Text, p.textWidth(r, 0), sub); at < s[1] {
				break
			}
			sub++
		}
	}
	p.top = place{row, sub}
	p.scroll(1 - p.height)
}

// Lines returns how many lines there are, at most limit.
func (p *Pager) Lines(limit int) int {
	n := 0
	for at, ok := (place{}), p.len() > 0; ok && n < limit; n++ {
		at, ok = p.after(at)
	}
	return n
}
