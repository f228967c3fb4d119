package diff

import (
	"iter"
	"slices"
)

// Kind is the kind of a line: kept, removed or added.
type Kind uint8

// The kinds of line.
const (
	Context Kind = iota // the same on both sides
	Delete              // only in the old text
	Insert              // only in the new text
)

// String returns "context", "delete" or "insert".
func (k Kind) String() string {
	switch k {
	case Delete:
		return "delete"
	case Insert:
		return "insert"
	case Context:
	}
	return "context"
}

// Line is one line of a hunk.
type Line struct {
	Kind     Kind
	Old, New int    // line numbers, from 1; 0 on the side that lacks the line
	Text     string // without the "\n" at its end; a "\r" before that is kept

	// NoNewline is set on a last line that does not end in "\n". That alone can
	// be the whole difference between two lines.
	NoNewline bool

	// Pair is set by Words and Mark: the index, among the lines of the hunk, of the line
	// that this one became or came from, or -1.
	Pair int
	// Rewrapped is set by them on the lines of a passage whose line breaks
	// moved. Such lines have no pair.
	Rewrapped bool
	// Spans is set by them: the parts of Text that its pair lacks, or that the
	// passage lacks on the other side. Without these parts two paired lines are
	// the same, and two passages differ in white space at line breaks only. A
	// line that has no pair and is not rewrapped is changed as a whole.
	Spans []Span
}

// Span is a part of a line in bytes: Start is its first byte, End is behind
// its last. It holds whole characters.
type Span struct {
	Start, End int
}

// Hunk is a run of changes with the lines around them. Deleted lines stand
// before the inserted ones that replace them.
type Hunk struct {
	// OldStart and NewStart number the first line, from 1, on either side. As
	// in the unified format of POSIX diff, they name the line before when the
	// hunk has no line on that side.
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []Line
}

// Unified cuts the patch into hunks with up to context lines around each
// change; changes with no more than twice that between them share a hunk. A
// negative context gives one hunk with the whole text. There is no hunk when
// nothing changed.
func (p *Patch) Unified(context int) []Hunk {
	if p.Empty() {
		return nil
	}
	if context < 0 || context > p.old.len() {
		context = p.old.len()
	}
	var hunks []Hunk
	for from := 0; from < len(p.edits); {
		to := from + 1
		for to < len(p.edits) && p.edits[to].Old.Start-p.edits[to-1].Old.End <= 2*context {
			to++
		}
		hunks = append(hunks, p.hunk(p.edits[from:to], context))
		from = to
	}
	return hunks
}

// hunk returns the hunk of the given edits.
func (p *Patch) hunk(es []Edit, context int) Hunk {
	first, last := es[0], es[len(es)-1]
	before := min(context, first.Old.Start)
	after := min(context, p.old.len()-last.Old.End)
	x, y := first.Old.Start-before, first.New.Start-before
	h := Hunk{
		OldStart: x + 1, OldLines: last.Old.End + after - x,
		NewStart: y + 1, NewLines: last.New.End + after - y,
	}
	size := h.OldLines
	for _, e := range es {
		size += e.New.Len()
	}
	h.Lines = make([]Line, 0, size)
	for _, e := range es {
		for ; x < e.Old.Start; x, y = x+1, y+1 {
			h.Lines = append(h.Lines, p.old.at(x, Context, x+1, y+1))
		}
		for ; x < e.Old.End; x++ {
			h.Lines = append(h.Lines, p.old.at(x, Delete, x+1, 0))
		}
		for ; y < e.New.End; y++ {
			h.Lines = append(h.Lines, p.new.at(y, Insert, 0, y+1))
		}
	}
	for range after {
		h.Lines = append(h.Lines, p.old.at(x, Context, x+1, y+1))
		x, y = x+1, y+1
	}
	if h.OldLines == 0 {
		h.OldStart--
	}
	if h.NewLines == 0 {
		h.NewStart--
	}
	return h
}

// at returns line i of t.
func (t text) at(i int, kind Kind, old, new int) Line {
	line, newline := t.bare(i)
	return Line{Kind: kind, Old: old, New: new, Text: line, NoNewline: !newline, Pair: -1}
}

// block is a run of changed lines of a hunk: those from from on are deleted,
// those from mid on inserted; it ends before to.
type block struct {
	from, mid, to int
}

// blocks iterates over the runs of changed lines.
func (h Hunk) blocks(yield func(block) bool) {
	for i := 0; i < len(h.Lines); i++ {
		if h.Lines[i].Kind == Context {
			continue
		}
		b := block{from: i}
		for i < len(h.Lines) && h.Lines[i].Kind == Delete {
			i++
		}
		b.mid = i
		for i < len(h.Lines) && h.Lines[i].Kind == Insert {
			i++
		}
		if b.to = i; !yield(b) {
			return
		}
		i-- // it may be a deleted line again
	}
}

// Row is one row of a hunk seen side by side: the old line at the left, the
// new one at the right, as indices among the hunk's lines; -1 leaves a side
// empty. In a row of context both are the same line.
type Row struct {
	Left, Right int
}

// Rows arranges the hunk side by side. Lines that Words has paired share a row;
// lines between two pairs fill the rows from above.
func (h Hunk) Rows() []Row {
	rows := make([]Row, 0, len(h.Lines))
	done := 0
	for b := range h.blocks {
		rows = h.contextRows(rows, done, b.from)
		done = b.to
		left, right := b.from, b.mid
		for i := b.from; i < b.mid; i++ {
			if pair := h.Lines[i].Pair; pair >= 0 {
				rows = append(fillRows(rows, left, i, right, pair), Row{i, pair})
				left, right = i+1, pair+1
			}
		}
		rows = fillRows(rows, left, b.mid, right, b.to)
	}
	return h.contextRows(rows, done, len(h.Lines))
}

func (h Hunk) contextRows(rows []Row, from, to int) []Row {
	for i := from; i < to; i++ {
		rows = append(rows, Row{i, i})
	}
	return rows
}

// fillRows places the lines left:leftEnd beside right:rightEnd.
func fillRows(rows []Row, left, leftEnd, right, rightEnd int) []Row {
	for left < leftEnd || right < rightEnd {
		row := Row{-1, -1}
		if left < leftEnd {
			row.Left = left
			left++
		}
		if right < rightEnd {
			row.Right = right
			right++
		}
		rows = append(rows, row)
	}
	return rows
}

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
