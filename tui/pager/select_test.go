package pager

import (
	"testing"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// items are rows, some of which begin an item.
type items struct {
	n     int
	stops []int
}

func (i items) Len() int     { return i.n }
func (i items) Stops() []int { return i.stops }
func (i items) Row(int) Row {
	return Row{Cells: []Cell{{Gutter: draw.Of("", " "), Text: draw.Text{Raw: "row"}}}}
}

// TestMove selects items one by one, and first scrolls to the end of an item that exceeds the viewport.
func TestMove(t *testing.T) {
	p := New(theme.Theme{})
	p.ShowCursor("on")
	p.SetSize(20, 4)
	p.SetRows(items{20, []int{1, 3, 12, 14}})
	if p.Stop() != 0 {
		t.Errorf("item %d is selected first", p.Stop())
	}
	for range 40 {
		first, last := p.Window()
		if row := p.StopRow(); row >= last {
			t.Fatalf("item %d at row %d is below the window %d-%d", p.Stop(), row, first, last)
		}
		p.Move(1)
	}
	if _, last := p.Window(); p.Stop() != 3 || last != 20 {
		t.Errorf("the end is item %d, window to %d", p.Stop(), last)
	}
	for range 40 {
		p.Move(-1)
	}
	if p.Stop() != 0 || p.top.row != 0 {
		t.Errorf("the beginning is item %d, window from %d", p.Stop(), p.top.row)
	}
	seen := map[int]bool{}
	for p.Stop() < 2 {
		first, last := p.Window()
		for row := first; row < last; row++ {
			seen[row] = true
		}
		p.Move(1)
	}
	for row := range 12 {
		if !seen[row] {
			t.Errorf("row %d of the long item was never in the window", row)
		}
	}
	p.ScrollPages(1)
	if first, last := p.Window(); p.StopRow() < first || p.StopRow() >= last {
		t.Errorf("after a page item %d at row %d is outside of %d-%d", p.Stop(), p.StopRow(), first, last)
	}
}
