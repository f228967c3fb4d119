package diff

// tidy makes the edits within a line readable: it slides insertions and deletions
// to the edges of words, and joins edits that only a few characters separate.
// Outside the edits the lines stay equal.
func tidy(es []Edit, x, y []token) []Edit {
	out := es[:0]
	for i, e := range es {
		floor, ceiling := 0, len(x)
		if len(out) > 0 {
			floor = out[len(out)-1].Old.End
		}
		if i+1 < len(es) {
			ceiling = es[i+1].Old.Start
		}
		e = toWords(e, e.Old.Start-floor, ceiling-e.Old.End, x, y)
		for len(out) > 0 && chaff(out[len(out)-1], e, x, y) {
			e = join(out[len(out)-1], e)
			out = out[:len(out)-1]
		}
		out = append(out, e)
	}
	return out
}

// maxTokenSlides bounds the places that are weighed for one edit in a line.
const maxTokenSlides = 64

// toWords slides an insertion or deletion by at most up or down tokens to
// where its ends fall between words.
func toWords(e Edit, up, down int, x, y []token) Edit {
	ts, run := y, e.New
	if e.New.empty() {
		ts, run = x, e.Old
	} else if !e.Old.empty() {
		return e
	}
	bestBy, best := 0, edge(ts, run.Start)+edge(ts, run.End)
	weigh := func(by int) {
		if s := edge(ts, run.Start+by) + edge(ts, run.End+by); s > best {
			bestBy, best = by, s
		}
	}
	for by := 1; by <= min(down, maxTokenSlides) && ts[run.Start+by-1].id == ts[run.End+by-1].id; by++ {
		weigh(by)
	}
	for by := 1; by <= min(up, maxTokenSlides) && ts[run.Start-by].id == ts[run.End-by].id; by++ {
		weigh(-by)
	}
	return shift(e, bestBy)
}

// edge rates how good it is to cut ts before token i.
func edge(ts []token, i int) int {
	switch {
	case i == 0 || i == len(ts):
		return 3
	case ts[i-1].class == space:
		return 2 // before a word
	case ts[i].class == space:
		return 1 // behind one
	}
	return 0
}

// chaff reports whether the text between the edits a and b is better read as a
// part of the change: white space between words that were all replaced, or a short
// match between long replacements, which is likely a coincidence.
func chaff(a, b Edit, x, y []token) bool {
	island, blank := 0, true
	widest := max(size(x, a.Old), size(y, a.New))
	widest = min(widest, max(size(x, b.Old), size(y, b.New)))
	for _, t := range x[a.Old.End:b.Old.Start] {
		island += t.len()
		blank = blank && t.class == space
		if island > widest {
			return false
		}
	}
	if island == 0 {
		return true
	}
	if blank {
		return !a.Old.empty() && !b.Old.empty() || !a.New.empty() && !b.New.empty()
	}
	return 2*island <= widest
}

// size returns the bytes of the tokens in r.
func size(ts []token, r Range) int {
	if r.empty() {
		return 0
	}
	return int(ts[r.End-1].end - ts[r.Start].start)
}
