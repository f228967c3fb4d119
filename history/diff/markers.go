package diff

import "strings"

// markerLength sets how long a conflict marker is unless the text itself has
// lines that begin like one.
const markerLength = 7

// Labels name the three sides behind the conflict markers.
type Labels struct {
	Base, Ours, Theirs string
}

// Marked returns the merged text with all three sides of each conflict between
// markers, in the form that diff3 -m and git write:
//
//	<<<<<<< ours
//	||||||| base
//	=======
//	>>>>>>> theirs
//
// The markers are longer where the text has lines that begin like them, so
// they cannot be mistaken or forged. A side that does not end in "\n" gets
// one.
func (m Merge) Marked(names Labels) string {
	t := split(m.Text)
	n := m.markerLength()
	var b strings.Builder
	mark := func(sign, name string) {
		b.WriteString(strings.Repeat(sign, n))
		if name != "" {
			b.WriteString(" " + name)
		}
		b.WriteByte('\n')
	}
	lines := func(s string) {
		b.WriteString(s)
		if s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
	}
	done := 0
	for _, c := range m.Conflicts {
		b.WriteString(t.slice(Range{done, c.Merged.Start}))
		mark("<", names.Ours)
		lines(c.Ours.Text)
		mark("|", names.Base)
		lines(c.Base.Text)
		mark("=", "")
		lines(c.Theirs.Text)
		mark(">", names.Theirs)
		done = c.Merged.End
	}
	b.WriteString(t.slice(Range{done, t.len()}))
	return b.String()
}

// markerLength returns a length no line of any side begins with.
func (m Merge) markerLength() int {
	n := markerLength
	look := func(s string) {
		for line := range strings.Lines(s) {
			for _, sign := range "<|=>" {
				if run := len(line) - len(strings.TrimLeft(line, string(sign))); run >= n {
					n = run + 1
				}
			}
		}
	}
	look(m.Text)
	for _, c := range m.Conflicts {
		look(c.Base.Text)
		look(c.Theirs.Text)
	}
	return n
}
