// This file has the result of a comparison of texts: patches, hunks and lines.

package diff

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Kind is the kind of a line: context, deleted or inserted.
type Kind uint8

// The kinds of lines.
const (
	Context Kind = iota // in both texts
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

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(text []byte) error {
	for _, *k = range []Kind{Context, Delete, Insert} {
		if k.String() == string(text) {
			return nil
		}
	}
	return fmt.Errorf("unknown kind of line %q", text)
}

// Line is a line of a hunk.
type Line struct {
	Kind Kind   `json:"kind"`          // context, delete or insert
	Old  int    `json:"old,omitempty"` // line number from 1, or 0 if the side does not contain the line
	New  int    `json:"new,omitempty"`
	Text string `json:"text"` // without the final "\n"; a "\r" before it is kept

	// NoNewline is set on a last line that does not end in "\n". That alone can
	// be the whole difference between two lines.
	NoNewline bool `json:"no_newline,omitempty"`

	// Pair is set by Words and Mark: the index in the hunk of the line that this
	// one replaced or was replaced by, or -1.
	Pair int `json:"-"`
	// Rewrapped is set by Words and Mark for lines of a passage whose line breaks
	// moved. Such lines have no pair.
	Rewrapped bool `json:"-"`
	// Spans is set by Words and Mark: the parts of Text that do not occur in its
	// pair or, for rewrapped lines, on the other side of the passage. Without these
	// parts, paired lines are equal, and passages differ only in white space at
	// line breaks. A line without a pair that is not rewrapped is changed
	// completely.
	Spans []Span `json:"spans,omitempty"`
}

// Span is a part of a line: the bytes from Start to before End. It consists of
// whole characters.
type Span struct {
	Start, End int
}

// MarshalJSON writes the span as [start, end].
func (s Span) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "[%d,%d]", s.Start, s.End), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (s *Span) UnmarshalJSON(text []byte) error {
	var both [2]int
	err := json.Unmarshal(text, &both)
	s.Start, s.End = both[0], both[1]
	return err
}

// Hunk is a run of changes with the lines around them. Deleted lines precede the
// inserted lines that replace them.
type Hunk struct {
	// OldStart and NewStart are the numbers of the first line on each side, from 1.
	// As in the unified format of POSIX diff, they are the number of the previous
	// line if the hunk has no line on that side.
	OldStart int    `json:"old_start"`
	OldLines int    `json:"old_lines"`
	NewStart int    `json:"new_start"`
	NewLines int    `json:"new_lines"`
	Lines    []Line `json:"lines"`
}

// Unified returns the hunks of the patch, with up to context lines around each
// change; changes separated by at most twice as many lines share a hunk. A negative
// context returns one hunk with the whole text. Without changes, there are no
// hunks.
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
		first, last := p.edits[from], p.edits[to-1]
		before := min(context, first.Old.Start)
		after := min(context, p.old.len()-last.Old.End)
		x, y := first.Old.Start-before, first.New.Start-before
		h := Hunk{
			OldStart: x + 1, OldLines: last.Old.End + after - x,
			NewStart: y + 1, NewLines: last.New.End + after - y,
		}
		size := h.OldLines
		for _, e := range p.edits[from:to] {
			size += e.New.Len()
		}
		h.Lines = make([]Line, 0, size)
		for _, e := range p.edits[from:to] {
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
		hunks = append(hunks, h)
		from = to
	}
	return hunks
}

// at returns line i of t.
func (t text) at(i int, kind Kind, old, new int) Line {
	line, newline := strings.CutSuffix(t.line(i), "\n")
	return Line{Kind: kind, Old: old, New: new, Text: line, NoNewline: !newline, Pair: -1}
}

// block is a run of changed lines of a hunk: lines from from are deleted, lines
// from mid are inserted, and it ends before to.
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
		i-- // may be a deleted line again
	}
}

// Row is a row of a hunk shown side by side. Left and Right are indices of lines in
// the hunk; -1 means that the side is empty. In context rows, both are the same.
type Row struct {
	Left, Right int
}

// Rows returns the rows of the hunk side by side. Lines that Words paired share a
// row; the lines between two pairs fill the rows from the top.
func (h Hunk) Rows() []Row {
	rows := make([]Row, 0, len(h.Lines))
	done := 0
	for b := range h.blocks {
		rows = contextRows(rows, done, b.from)
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
	return contextRows(rows, done, len(h.Lines))
}

func contextRows(rows []Row, from, to int) []Row {
	for i := from; i < to; i++ {
		rows = append(rows, Row{i, i})
	}
	return rows
}

// fillRows places the lines left:leftEnd next to right:rightEnd.
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

// Edit replaces the lines Old of the old text by the lines New of the new text. At
// most one of them is empty.
type Edit struct {
	Old, New Range
}

// Patch is the difference between two texts.
type Patch struct {
	old, new text
	edits    []Edit
}

// workPerCompare limits the steps of exact search for two texts in addition to
// those proportional to their size, to about 30 ms.
const workPerCompare = 10 << 20

// Lines compares two texts line by line. Time and memory are roughly proportional
// to their size. If finding the fewest changes would exceed a fixed limit, which
// takes thousands of changed lines that also occur elsewhere, the result has
// slightly more changes.
func Lines(old, new string) *Patch {
	p := &Patch{old: split(old), new: split(new)}
	// The equal lines at the start and at the end are not compared.
	head, tail, most := 0, 0, min(p.old.len(), p.new.len())
	for head < most && p.old.line(head) == p.new.line(head) {
		head++
	}
	for tail < most-head && p.old.line(p.old.len()-1-tail) == p.new.line(p.new.len()-1-tail) {
		tail++
	}
	// A larger size would be wasted on repetitive texts.
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

// isPlain reports whether a line has no letter and no digit, so that it is
// unsuitable as an anchor.
func isPlain(line string) bool {
	for i := range len(line) {
		switch b := line[i] | 0x20; {
		case b >= 'a' && b <= 'z', b >= '0' && b <= '9', b >= 0x80:
			return false
		}
	}
	return true
}

// changes iterates over the edits that marked items form.
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

// edits returns the edits that marked items form, shifted by first.
func edits(del, ins []bool, first int) []Edit {
	var es []Edit
	for e := range changes(del, ins) {
		es = append(es, shift(e, first))
	}
	return es
}

// Edits returns the changes in order, separated by at least one unchanged line.
func (p *Patch) Edits() []Edit { return slices.Clone(p.edits) }

// Empty reports whether the texts are equal.
func (p *Patch) Empty() bool { return len(p.edits) == 0 }

// Changed returns the numbers of deleted and inserted lines.
func (p *Patch) Changed() (deleted, inserted int) {
	for _, e := range p.edits {
		deleted += e.Old.Len()
		inserted += e.New.Len()
	}
	return deleted, inserted
}
