package diff

// A run of inserted or deleted lines can often be put elsewhere with the same
// effect: when the line before it equals its last line, it can move up by one,
// and down likewise. slide moves each to the place that reads best, and joins
// those that meet, which turns an insertion beside a deletion into one change.
//
// Between the places left it decides as git does since 2016 (see indent.go).
func slide(old, new text, edits []Edit) []Edit {
	s := slider{old: old, new: new, left: maxSteps}
	out := edits[:0]
	for i := 0; i < len(edits); i++ {
		e := edits[i]
		for {
			floor, ceiling := 0, old.len() // in old lines: where the neighbours begin
			if len(out) > 0 {
				floor = out[len(out)-1].Old.End
			}
			if i+1 < len(edits) {
				ceiling = edits[i+1].Old.Start
			}
			up := s.room(e, -1, e.Old.Start-floor)
			if up > 0 && up == e.Old.Start-floor && len(out) > 0 {
				e = join(out[len(out)-1], shift(e, -up))
				out = out[:len(out)-1]
				continue
			}
			down := s.room(e, 1, ceiling-e.Old.End)
			if down > 0 && down == ceiling-e.Old.End && i+1 < len(edits) {
				i++
				e = join(shift(e, down), edits[i])
				continue
			}
			if up+down > 0 {
				e = s.best(e, up, down)
			}
			break
		}
		out = append(out, e)
	}
	return out
}

func shift(e Edit, by int) Edit {
	e.Old.Start, e.Old.End = e.Old.Start+by, e.Old.End+by
	e.New.Start, e.New.End = e.New.Start+by, e.New.End+by
	return e
}

func join(a, b Edit) Edit {
	return Edit{Range{a.Old.Start, b.Old.End}, Range{a.New.Start, b.New.End}}
}

// slider counts the lines it compares, so that texts made of few different
// lines stay cheap: when none are left, nothing moves any more.
type slider struct {
	old, new text
	left     int
}

// side returns the text and the run that slides, if e slides at all: what
// replaces lines by others stays where it is.
func (s *slider) side(e Edit) (t text, run Range, ok bool) {
	switch {
	case e.Old.empty():
		return s.new, e.New, true
	case e.New.empty():
		return s.old, e.Old, true
	}
	return text{}, Range{}, false
}

// room returns by how many lines, at most most, e can move: down for a step of 1, up
// for -1.
func (s *slider) room(e Edit, step, most int) int {
	t, run, ok := s.side(e)
	n := 0
	for at := min(step, 0); ok && n < most && s.left > 0 && t.line(run.Start+at) == t.line(run.End+at); at += step {
		n++
		s.left--
	}
	return n
}

const (
	maxSlides     = 100 // places that are weighed for one edit
	weighingSteps = 32  // what one of them costs, in lines compared
	maxSteps      = 1 << 18
)

// best returns e moved by -up to down lines to where it reads best; of equals,
// the lowest place.
func (s *slider) best(e Edit, up, down int) Edit {
	t, run, _ := s.side(e)
	first := max(-up, down-maxSlides)
	s.left -= (down - first) * weighingSteps
	bestBy, best := down, splitScore{}
	for by := first; by <= down; by++ {
		start, end := t.score(run.Start+by), t.score(run.End+by)
		score := splitScore{start.indent + end.indent, start.penalty + end.penalty}
		if by == first || score.cost(best) <= 0 {
			bestBy, best = by, score
		}
	}
	return shift(e, bestBy)
}
