package draw

import (
	"strings"
)

// Width returns the maximum width of s in cells. Terminals differ in whether they join characters such as flags. The
// larger width counts, so that no line is wider than measured.
func Width[T ~string](s T) int {
	w := 0
	for i := 0; i < len(s); {
		n, cells := cluster(string(s[i:]))
		i += n
		w += cells
	}
	return w
}

// maxAgreed is the last code point up to which both ways of measuring agree.
const maxAgreed = 0x2ff

// Cut cuts s to width cells and marks the cut with an ellipsis.
func Cut(s Safe, width int) Safe {
	if len(s) <= width || Width(s) <= width {
		return s
	}
	if width <= 0 {
		return ""
	}
	w := 0
	for i := 0; i < len(s); {
		n, cells := cluster(string(s[i:]))
		if w+cells > width-1 {
			return s[:i] + "…"
		}
		i += n
		w += cells
	}
	return s
}

// Words is like Cut, but cuts between words if possible.
func Words(s Safe, width int) Safe {
	cut := Cut(s, width)
	if cut == s {
		return s
	}
	if i := strings.LastIndexByte(string(cut), ' '); i > 0 {
		return cut[:i] + " …"
	}
	return cut
}

// Slice returns the cells of s from from up to but excluding to. It pads s, and the halves of wide characters, with
// blanks.
func Slice(s Safe, from, to int) Safe {
	var b strings.Builder
	at := 0
	for i := 0; i < len(s) && at < to; {
		n, cells := cluster(string(s[i:]))
		switch inside := min(at+cells, to) - max(at, from); {
		case inside == cells:
			b.WriteString(string(s[i : i+n]))
		case inside > 0:
			b.WriteString(Blank(inside))
		}
		i, at = i+n, at+cells
	}
	b.WriteString(Blank(to - max(at, from)))
	return Safe(b.String())
}
