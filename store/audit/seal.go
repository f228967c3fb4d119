package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"toolcrib/history"
)

// sealed is a Seal with the columns by their place in the table.
type sealed struct {
	Seal
	fields         []int
	seal, prev     int
	text, textHash int
	last           link // of a chain that all rows form
}

// link is what the next row has to continue.
type link struct {
	number int64
	seal   uint64 // keyed hash of the seal
}

func (p *plan) sealedBy(s Seal) (*sealed, error) {
	place := func(name string) int {
		for i, c := range p.Columns {
			if c.Name == name {
				return i
			}
		}
		return -1
	}
	out := &sealed{Seal: s, seal: place(s.Column), prev: place(s.Prev), text: place(s.Text), textHash: place(s.TextHash)}
	known := out.seal >= 0 && (s.Prev == "") == (out.prev < 0) && (s.Text == "") == (out.text < 0 || out.textHash < 0)
	for _, name := range s.Columns {
		out.fields = append(out.fields, place(name))
		known = known && place(name) >= 0
	}
	if !known {
		return nil, unsound("the columns of %s are others", s.Table)
	}
	return out, nil
}

// check recomputes the seal of a row.
func (s *sealed) check(w *worker, r *row) error {
	if s.text >= 0 && !w.hashes(r.text(s.text), r.text(s.textHash)) {
		return unsound("row %d of %s is not what its content hash says", r.rowid, s.Table)
	}
	w.fields = history.AppendField(w.fields[:0], s.Format)
	for _, c := range s.fields {
		if r.plan.Columns[c].Type == "INTEGER" {
			w.number = strconv.AppendInt(w.number[:0], r.int(c), 10)
			w.fields = history.AppendField(w.fields, w.number)
			continue
		}
		w.fields = history.AppendField(w.fields, r.text(c))
	}
	if !w.hashes(w.fields, r.text(s.seal)) {
		return unsound("row %d of %s is not what its seal says", r.rowid, s.Table)
	}
	return nil
}

// hashes reports whether the SHA-256 of b is written in hexadecimal.
func (w *worker) hashes(b, written []byte) bool {
	sum := sha256.Sum256(b)
	hex.Encode(w.hex[:], sum[:])
	return bytes.Equal(w.hex[:], written)
}
