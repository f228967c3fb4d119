package queue

import (
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// drawnRows keeps the rows of the queue as they were last drawn: a key changes two of
// them, and a message often none.
type drawnRows struct {
	frame string // what all rows depend on
	rows  map[rowLook]string
}

// rowLook is all that one row depends on. It holds the proposal by address, which no
// other proposal gets while the row is kept.
type rowLook struct {
	proposal         *proposals.Proposal
	selected, marked bool
	bracket          draw.Safe
	age              string
}

// maxDrawnRows is how many rows are kept, a few screens of them.
const maxDrawnRows = 500

// begin forgets all rows when something changed that every row depends on.
func (d *drawnRows) begin(f screen.Frame, columns []column) {
	var b strings.Builder
	fmt.Fprint(&b, f.Theme.Name, f.List)
	for _, c := range columns {
		fmt.Fprint(&b, " ", c.name, c.width)
	}
	if frame := b.String(); frame != d.frame || len(d.rows) > maxDrawnRows {
		d.frame, d.rows = frame, map[rowLook]string{}
	}
}

// get returns the row that looks so, and draws it where it is not kept.
func (d *drawnRows) get(look rowLook, write func(*strings.Builder)) string {
	text, ok := d.rows[look]
	if !ok {
		var b strings.Builder
		write(&b)
		text = b.String()
		d.rows[look] = text
	}
	return text
}

func (q *Page) lookOf(i int) rowLook {
	look := rowLook{proposal: q.find(i), selected: i == q.cursor}
	if p := look.proposal; p != nil {
		look.marked, look.bracket, look.age = q.Marks.Has(p.ID), q.bracket(i, *p), wording.ShortAge(q.Frame.Now().Sub(p.CreatedAt))
	}
	return look
}
