package diff

import (
	"iter"
	"slices"
)

// Edit replaces the lines Old of the old text by the lines New of the new one.
// One of the two may be empty, not both.
type Edit struct {
	Old, New Range
}

// Patch is the difference of two texts.
type Patch struct {
	old, new text
	edits    []Edit
}

// workPerCompare limits the steps of exact search for two texts, beyond those
// proportional to their size: some 30 ms.
const workPerCompare = 10 << 20

// Lines compares two texts line by line. It takes time and memory roughly
// proportional to their size, whatever they hold. Where the work for the
// fewest changes would exceed a fixed bound, which takes thousands of changed
// lines that occur elsewhere too, it is content with nearly the fewest.
func Lines(old, new string) *Patch {
	p := &Patch{old: split(old), new: split(new)}
	head, tail := p.ends()
	// More would be wasted on a text that repeats itself.
	ids := newInterner(min(p.old.len()+p.new.len()-2*(head+tail), 1<<16))
	number := func(t text) []int32 {
		ns := make([]int32, 0, t.len()-head-tail)
		for i := head; i < t.len()-tail; i++ {
			ns = append(ns, ids.number(t.line(i)))
		}
		return ns
	}
	a, b := number(p.old), number(p.new)
	if len(a) > 0 && len(b) > 0 {
		c := comparer{trivial: make([]bool, ids.len())}
		for i, line := range ids.keys {
			c.trivial[i] = isPlain(line)
		}
		c.compare(a, b, ids.len(), workPerCompare)
		p.edits = edits(c.del, c.ins, head)
	} else if len(a)+len(b) > 0 {
		p.edits = []Edit{{Old: Range{head, head + len(a)}, New: Range{head, head + len(b)}}}
	}
	p.edits = slide(p.old, p.new, p.edits)
	return p
}

// ends counts the equal lines at the beginning and at the end.
func (p *Patch) ends() (head, tail int) {
	most := min(p.old.len(), p.new.len())
	for head < most && p.old.line(head) == p.new.line(head) {
		head++
	}
	for tail < most-head && p.old.line(p.old.len()-1-tail) == p.new.line(p.new.len()-1-tail) {
		tail++
	}
	return head, tail
}

// isPlain reports whether a line has too little in it to tell one place from
// another: no letter and no digit.
func isPlain(line string) bool {
	for i := range len(line) {
		switch b := line[i] | 0x20; {
		case b >= 'a' && b <= 'z', b >= '0' && b <= '9', b >= 0x80:
			return false
		}
	}
	return true
}

// changes iterates over the edits that marked items make.
func changes(del, ins []bool) iter.Seq[Edit] {
	return func(yield func(Edit) bool) {
		for x, y := 0, 0; x < len(del) || y < len(ins); x, y = x+1, y+1 {
			e := Edit{Range{x, x}, Range{y, y}}
			for x < len(del) && del[x] {
				x++
			}
			for y < len(ins) && ins[y] {
				y++
			}
			e.Old.End, e.New.End = x, y
			if (x > e.Old.Start || y > e.New.Start) && !yield(e) {
				return
			}
		}
	}
}

// edits gathers marked items, which begin at the given line, into edits.
func edits(del, ins []bool, first int) []Edit {
	var es []Edit
	for e := range changes(del, ins) {
		es = append(es, shift(e, first))
	}
	return es
}

// Edits returns the changes in order. Between two of them at least one line is
// the same on both sides.
func (p *Patch) Edits() []Edit { return slices.Clone(p.edits) }

// Empty reports whether the two texts are the same.
func (p *Patch) Empty() bool { return len(p.edits) == 0 }

// Changed returns how many lines are deleted and how many are inserted.
func (p *Patch) Changed() (deleted, inserted int) {
	for _, e := range p.edits {
		deleted += e.Old.Len()
		inserted += e.New.Len()
	}
	return deleted, inserted
}
