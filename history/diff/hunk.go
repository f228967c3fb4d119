// This file defines the results of comparing texts: patches, hunks, and lines.

package diff

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Kind is the kind of a line: context, deleted, or inserted.
type Kind uint8

// The kinds of lines.
const (
	Context Kind = iota // in both texts
	Delete              // only in the old text
	Insert              // only in the new text
)

// String returns "context", "delete", or "insert".
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
	Old  int    `json:"old,omitempty"` // line number in the old text, counted from 1; 0 for an inserted line
	New  int    `json:"new,omitempty"`
	Text string `json:"text"` // without the final "\n"; a "\r" before it is kept

	// NoNewline is set for a last line that does not end in "\n". Two lines may differ only in
	// NoNewline.
	NoNewline bool `json:"no_newline,omitempty"`

	// Pair is the index in the hunk of the paired line, which replaced this line or was replaced
	// by it. Pair is -1 if this line is not paired. Words and Mark set Pair.
	Pair int `json:"-"`
	// Rewrapped indicates that the line belongs to a passage in which line breaks have moved.
	// Such a line has no pair. Words and Mark set Rewrapped.
	Rewrapped bool `json:"-"`
	// Spans is set by Words and Mark. It contains the parts of Text that do not occur in the paired
	// line. Without their spans, paired lines are equal. For a rewrapped line, Spans contains the
	// parts that do not occur on the other side of the passage. Without these parts, the sides
	// differ only in white space at line breaks. A line that has no pair and is not rewrapped is
	// changed completely.
	Spans []Span `json:"spans,omitempty"`
}

// Span is the part of a line from byte Start up to, but not including, byte End. It consists of
// complete characters.
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

// Hunk is a run of changes with the lines around it. Deleted lines precede the inserted lines
// that replace them.
type Hunk struct {
	// OldStart and NewStart are the numbers of the first line on each side, counted from 1. If a
	// side has no line in the hunk, its start is the number of the line before the hunk, as in the
	// unified format of POSIX diff.
	OldStart int    `json:"old_start"`
	OldLines int    `json:"old_lines"`
	NewStart int    `json:"new_start"`
	NewLines int    `json:"new_lines"`
	Lines    []Line `json:"lines"`
}

// Unified returns the hunks of the patch. context is the maximum number of unchanged lines before
// and after each change. Two changes share a hunk if at most 2*context lines are between them. If
// context is negative, Unified returns one hunk with the complete text. It returns no hunks if
// there are no changes.
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

// at returns line i of t as a Line with the given kind and line numbers.
func (t text) at(i int, kind Kind, old, new int) Line {
	line, newline := strings.CutSuffix(t.line(i), "\n")
	return Line{Kind: kind, Old: old, New: new, Text: line, NoNewline: !newline, Pair: -1}
}

// block is a run of changed lines in a hunk. The lines in from:mid are deleted, and the lines in
// mid:to are inserted.
type block struct {
	from, mid, to int
}

// blocks iterates over the runs of changed lines in the hunk.
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
		i-- // the next line may be a deleted line
	}
}

// Row is a row of a hunk in a side-by-side view. Left and Right are indices of lines in the hunk,
// or -1 for an empty side. They are equal for a context line.
type Row struct {
	Left, Right int
}

// Rows returns the rows of the hunk in a side-by-side view. Lines that Words has paired share a
// row. The lines between two pairs fill the rows between these pairs from the top, on each side
// separately.
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

// fillRows appends rows for the lines in left:leftEnd, which are on the left side, and the lines
// in right:rightEnd, which are on the right side.
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

// Edit replaces a range of lines of the old text by a range of lines of the new text. One of the
// ranges may be empty.
type Edit struct {
	Old, New Range
}

// Patch is the difference between two texts.
type Patch struct {
	old, new text
	edits    []Edit
}

// workPerCompare limits the exact searches in a comparison of two texts. The searches may perform a
// number of steps that is proportional to the size of the texts, and workPerCompare further steps,
// which last about 30 ms.
const workPerCompare = 10 << 20

// Lines compares two texts line by line. Time and memory are roughly proportional to their size.
// The result has the fewest possible changes unless the search would exceed a fixed limit. Only
// texts with thousands of changed lines that also occur elsewhere exceed the limit. Their result
// has slightly more changes than necessary.
func Lines(old, new string) *Patch {
	p := &Patch{old: split(old), new: split(new)}
	// Equal lines at the beginning and at the end need not be compared.
	head, tail, most := 0, 0, min(p.old.len(), p.new.len())
	for head < most && p.old.line(head) == p.new.line(head) {
		head++
	}
	for tail < most-head && p.old.line(p.old.len()-1-tail) == p.new.line(p.new.len()-1-tail) {
		tail++
	}
	// Repetitive texts do not need a larger capacity.
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

// isPlain reports whether line has neither letters nor digits. Such a line is unsuitable as an
// anchor.
func isPlain(line string) bool {
	for i := range len(line) {
		switch b := line[i] | 0x20; {
		case b >= 'a' && b <= 'z', b >= '0' && b <= '9', b >= 0x80:
			return false
		}
	}
	return true
}

// changes iterates over the edits that the marked items of two sequences represent.
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

// edits returns the edits that the marked items represent, with offset added to all indices.
func edits(del, ins []bool, offset int) []Edit {
	var es []Edit
	for e := range changes(del, ins) {
		es = append(es, shift(e, offset))
	}
	return es
}

// Edits returns the changes in order. At least one unchanged line is between two changes.
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
