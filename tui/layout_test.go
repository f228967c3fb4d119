package tui

import "testing"

// TestLayoutFillsTheScreen lays out every width with the line between the panes
// anywhere (T16).
func TestLayoutFillsTheScreen(t *testing.T) {
	for width := minWidth; width <= 320; width++ {
		for _, by := range []division{{}, {shift: -1000}, {shift: -8}, {shift: 8}, {shift: 1000}, {zoomed: true}, {zoomed: true, shift: 8}} {
			l := newLayout(width, 40, by)
			if side := width >= sideFrom && !by.zoomed; side != (l.side > 0) || side && l.list+1+l.side != width || !side && l.list != width {
				t.Fatalf("%d columns, %+v: a list of %d beside %d", width, by, l.list, l.side)
			}
			if two := width >= panesFrom && !by.zoomed; two != (l.left > 0) || two && l.left+1+l.right != width || !two && l.right != width {
				t.Fatalf("%d columns, %+v: panes of %d and %d", width, by, l.left, l.right)
			}
			for _, pane := range []int{l.list, l.side, l.left, l.right} {
				if pane != 0 && pane < leastPane {
					t.Fatalf("%d columns, %+v: a pane of %d", width, by, pane)
				}
			}
		}
	}
}
