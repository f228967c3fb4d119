package diff

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
