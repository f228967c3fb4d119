package diff

import "strings"

// Choice is which side of a conflict is taken.
type Choice int

// The choices.
const (
	Undecided Choice = iota
	TakeOurs
	TakeTheirs
)

// Taken returns the merge with the sides of its conflicts that were chosen, one
// choice for each conflict. Those that are undecided, or have no choice, remain.
func (m Merge) Taken(choices []Choice) Merge {
	t := split(m.Text)
	var b strings.Builder
	out, done, shift := Merge{}, 0, 0
	for i, c := range m.Conflicts {
		b.WriteString(t.slice(Range{done, c.Merged.Start}))
		done = c.Merged.End
		choice := Undecided
		if i < len(choices) {
			choice = choices[i]
		}
		switch choice {
		case Undecided:
			c.Merged = Range{c.Merged.Start + shift, c.Merged.End + shift}
			out.Conflicts = append(out.Conflicts, c)
			b.WriteString(c.Ours.Text)
		case TakeOurs:
			b.WriteString(c.Ours.Text)
		case TakeTheirs:
			b.WriteString(c.Theirs.Text)
			shift += c.Theirs.Lines.Len() - c.Ours.Lines.Len()
		}
	}
	b.WriteString(t.slice(Range{done, t.len()}))
	out.Text = b.String()
	return out
}
