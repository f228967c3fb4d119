package diff

// When words are added to a paragraph with hard line breaks, its editor moves
// all the line breaks that follow. Line against line nearly everything looks
// changed then; read as one passage, only the added words are.

const (
	// maxRewrapped is the largest block, in tokens, that is read as a passage.
	maxRewrapped = 20_000
	// rewrappedKept is the part of a passage that has to stay the same.
	rewrappedKept = 0.6
	// rewrapGain sets how many times fewer bytes have to be changed in the
	// passage than in its lines.
	rewrapGain = 2
)

// passage is the lines of one side of a block, read as one.
type passage struct {
	tokens []token // their start and end count from the beginning of the passage
	from   []place // where each comes from
}

// place is a token's line and its first byte there. A line break is at line -1.
type place struct {
	line, start int
}

// rewrap marks the block's lines as a passage whose line breaks moved, and
// returns true, if they did. changed is how many visible bytes are changed
// line by line.
func (m *marker) rewrap(lines []Line, read []changedLine, dels, changed int) bool {
	old, new := m.passage(read[:dels]), m.passage(read[dels:])
	if len(old.tokens)+len(new.tokens) > maxRewrapped {
		return false
	}
	c := m.compare(old.tokens, new.tokens)
	es := tidy(edits(c.del, c.ins, 0), old.tokens, new.tokens)
	whole := max(visible(old.tokens), visible(new.tokens))
	lost, gained := 0, 0
	for _, e := range es {
		lost += visible(old.tokens[e.Old.Start:e.Old.End])
		gained += visible(new.tokens[e.New.Start:e.New.End])
	}
	if rewrapGain*(lost+gained) >= changed || float64(whole-max(lost, gained)) < rewrappedKept*float64(whole) {
		return false
	}
	for i := range lines {
		lines[i].Rewrapped = true
	}
	for _, e := range es {
		old.mark(lines[:dels], e.Old)
		new.mark(lines[dels:], e.New)
	}
	return true
}

// passage joins lines: each break, with the white space around it, is read as
// one blank.
func (m *marker) passage(lines []changedLine) passage {
	var p passage
	end := 0
	add := func(t token, at place) {
		n := t.len()
		t.start, t.end = int32(end), int32(end+n)
		end += n
		p.tokens, p.from = append(p.tokens, t), append(p.from, at)
	}
	blank := token{end: 1, id: m.ids.number(" "), class: space}
	for i, l := range lines {
		ts := l.tokens
		if i > 0 {
			add(blank, place{line: -1})
			if len(ts) > 0 && ts[0].class == space {
				ts = ts[1:]
			}
		}
		if n := len(ts); i < len(lines)-1 && n > 0 && ts[n-1].class == space {
			ts = ts[:n-1]
		}
		for _, t := range ts {
			add(t, place{i, int(t.start)})
		}
	}
	return p
}

// mark adds the tokens of r to the spans of their lines.
func (p passage) mark(lines []Line, r Range) {
	for i := r.Start; i < r.End; i++ {
		at := p.from[i]
		if at.line < 0 {
			continue
		}
		spans := &lines[at.line].Spans
		end := at.start + p.tokens[i].len()
		if n := len(*spans); n > 0 && (*spans)[n-1].End == at.start {
			(*spans)[n-1].End = end
		} else {
			*spans = append(*spans, Span{at.start, end})
		}
	}
}
