package draw

import (
	"strings"
)

// Width returns how many cells s takes at most. Terminals differ in whether they join characters
// such as flags. The wider reading counts, so that no line is longer than measured.
func Width[T ~string](s T) int {
	w := 0
	for i := 0; i < len(s); {
		n, cells := cluster(string(s[i:]))
		i += n
		w += cells
	}
	return w
}

// maxAgreed is the last character up to which the two readings of width agree.
const maxAgreed = 0x2ff

// Cut returns s cut to width cells, with an ellipsis when something is lost.
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

// Words is Cut between two words, where the text has several.
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

// Slice returns the cells of s from from to before to, exactly as many: blanks
// stand for what s does not have and for halves of wide characters.
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
