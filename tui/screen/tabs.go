package screen

import (
	"toolcrib/tui/draw"
)

// TabLine draws tabs in width cells: where there is no room for all, the current
// one with its neighbours, and a sign on the sides that have more. The current one is
// marked where it has the keys.
func (f Frame) TabLine(names []string, current int, keys bool, width int) draw.Line {
	from, to := 0, Fitting(names, 0, width)
	for to < min(len(names), current+2) && from < current {
		from++
		to = Fitting(names, from, width)
	}
	l := draw.Of("", " ")
	if from > 0 {
		l = draw.Of(f.Theme.Accent, "‹")
	}
	for i := from; i < to; i++ {
		name, style := draw.Show(names[i]), f.Theme.Faint
		sign := draw.Safe(" ")
		switch {
		case i == current && keys:
			sign, style = "▎", f.Theme.Accent
		case i == current:
			style = f.Theme.Strong
		}
		l = l.Add(style, sign+name+" ")
	}
	if to < len(names) {
		l = l.Add(f.Theme.Accent, "›")
	}
	return l
}

// Fitting returns behind which of the names, from one on, the width ends: each
// has a blank on both sides, and the line a sign at both ends.
func Fitting(names []string, from, width int) int {
	used, to := 1, from
	for to < len(names) {
		used += draw.Width(draw.Show(names[to])) + 2
		if used > width || to < len(names)-1 && used == width {
			break
		}
		to++
	}
	return max(to, from+1)
}
