package screen

import (
	"testing"
)

// TestLayoutFillsTheScreen computes the layout of every width with every position of the divider (T16).
func TestLayoutFillsTheScreen(t *testing.T) {
	for width := MinWidth; width <= 320; width++ {
		for _, by := range []Division{{}, {Shift: -1000}, {Shift: -8}, {Shift: 8}, {Shift: 1000}, {Zoomed: true}, {Zoomed: true, Shift: 8}} {
			l := NewLayout(width, 40, by)
			if side := width >= SideMinWidth && !by.Zoomed; side != (l.Side > 0) || side && l.List+1+l.Side != width || !side && l.List != width {
				t.Fatalf("%d columns, %+v: a list of %d beside %d", width, by, l.List, l.Side)
			}
			if two := width >= PanesMinWidth && !by.Zoomed; two != (l.Left > 0) || two && l.Left+1+l.Right != width || !two && l.Right != width {
				t.Fatalf("%d columns, %+v: panes of %d and %d", width, by, l.Left, l.Right)
			}
			for _, pane := range []int{l.List, l.Side, l.Left, l.Right} {
				if pane != 0 && pane < MinPaneWidth {
					t.Fatalf("%d columns, %+v: a pane of %d", width, by, pane)
				}
			}
		}
	}
}
