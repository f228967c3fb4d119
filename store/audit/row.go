package audit

import (
	"errors"
	"fmt"

	"toolcrib/store/pages"
)

// ErrUnsound says that the database is not sound, or that it can not be told
// for certain that it is.
var ErrUnsound = errors.New("the database is not sound")

func unsound(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsound, fmt.Sprintf(format, args...))
}

// row is a row of a table as it stands in the file.
type row struct {
	plan   *plan
	rowid  int64
	record pages.Record
}

// read parses a payload and holds the values against the types of the columns,
// none of which may be NULL.
func (r *row) read(rowid int64, payload []byte) error {
	r.rowid = rowid
	if err := r.record.Parse(payload); err != nil {
		return err
	}
	p := r.plan
	if len(r.record.Values) > p.stored {
		return unsound("a row of %s has %d values", p.Name, len(r.record.Values))
	}
	for i := range p.Columns {
		// Columns that were added later are the last.
		if p.place[i] < len(r.record.Values) {
			continue
		}
		if p.WithoutRowid || !p.missing[i].known {
			return unsound("a row of %s has %d values", p.Name, len(r.record.Values))
		}
		text := p.missing[i].text
		r.record.Values = append(r.record.Values, pages.Value{Type: uint64(13 + 2*len(text)), Body: text})
	}
	for i := range p.Columns {
		if p.place[i] < 0 {
			continue
		}
		kind := r.record.Values[p.place[i]].Kind()
		switch {
		case i == p.alias && kind == pages.Null:
		case i != p.alias && kind == pages.Text && p.Columns[i].Type == "TEXT":
		case i != p.alias && kind == pages.Integer && p.Columns[i].Type == "INTEGER":
		case i != p.alias && kind == pages.Blob && p.Columns[i].Type == "BLOB":
		default:
			return unsound("column %s of row %d of %s holds something else", p.Columns[i].Name, rowid, p.Name)
		}
	}
	for _, check := range p.checks {
		if !check(r) {
			return unsound("row %d of %s breaks a constraint", rowid, p.Name)
		}
	}
	return nil
}

// text returns the bytes of a column.
func (r *row) text(column int) []byte { return r.record.Values[r.plan.place[column]].Body }

// int returns the number in a column.
func (r *row) int(column int) int64 {
	if column == r.plan.alias {
		return r.rowid
	}
	return r.record.Values[r.plan.place[column]].Int()
}

// part is one value of an index entry: a column, or what an expression
// says.
type part struct {
	column     int
	expression expression
	computed   func(*row) int64
}

// entry returns the entry of a row in an index as the engine stores it, written
// into buffers that are used again.
func (x *index) entry(r *row, head, body []byte) (newHead, newBody []byte) {
	// The size of the header takes one byte in all but absurd cases, whose sums
	// then do not agree.
	head, body = append(head[:0], 0), body[:0]
	for _, p := range x.parts {
		switch {
		case p.expression != nil:
			text, null := p.expression(r)
			if null {
				head = append(head, 0)
				continue
			}
			head, body = pages.AppendVarint(head, uint64(13+2*len(text))), append(body, text...)
		case p.computed != nil:
			head, body = pages.AppendInt(head, body, p.computed(r))
		case p.column == r.plan.alias:
			head, body = pages.AppendInt(head, body, r.rowid)
		default:
			v := r.record.Values[r.plan.place[p.column]]
			head, body = pages.AppendVarint(head, v.Type), append(body, v.Body...)
		}
	}
	head[0] = byte(len(head))
	return append(head, body...), body
}
