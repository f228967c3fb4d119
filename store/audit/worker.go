package audit

import (
	"context"
	"hash/maphash"

	"toolcrib/store/pages"
)

// worker reads runs for one goroutine.
type worker struct {
	audit  *Audit
	reader *pages.Reader
	row    row
	before pages.Record
	after  pages.Record
	head   []byte
	body   []byte
	fields []byte
	number []byte
	hex    [64]byte
	sums   []tally
}

func (w *worker) do(ctx context.Context, j *job) *batch {
	b, _ := w.audit.batches.Get().(*batch)
	*b = batch{facts: b.facts[:0]}
	switch {
	case ctx.Err() != nil:
		b.err = context.Cause(ctx)
	case j.scan.plan != nil:
		b.err = w.table(j, b)
	case j.scan.index != nil:
		b.err = w.index(j)
	default:
		b.err = w.reader.Each(j.run, nil)
	}
	return b
}

func (w *worker) hash(b []byte) uint64 { return maphash.Bytes(w.audit.seed, b) }

// index reads entries: they stand in order, none twice, and are summed up.
func (w *worker) index(j *job) error {
	var found tally
	next, err := w.ordered(j.run, len(j.scan.index.Columns), j.scan.index.keys, j.scan.index.Unique)
	if err != nil {
		return err
	}
	err = w.reader.Each(j.run, func(_ int64, payload []byte) error {
		found.add(w.hash(payload))
		return next(payload)
	})
	j.scan.index.found.join(found)
	return err
}

// ordered returns a function that looks at one entry after the other, and
// leaves its record in w.after: the first of columns values are in strict order,
// and those that are unique keys are told apart by the first of keys.
func (w *worker) ordered(run pages.Run, columns, keys int, unique bool) (func(payload []byte) error, error) {
	any := run.Before() != nil
	if any {
		if err := w.after.Parse(run.Before()); err != nil {
			return nil, err
		}
	}
	return func(payload []byte) error {
		w.before, w.after = w.after, w.before
		if err := w.after.Parse(payload); err != nil {
			return err
		}
		if len(w.after.Values) < columns {
			return unsound("an entry of an index has %d values", len(w.after.Values))
		}
		if !any {
			any = true
			return nil
		}
		order, same, err := pages.Compare(&w.before, &w.after)
		if err != nil {
			return err
		}
		if order >= 0 || same >= columns || unique && same >= keys && !hasNull(w.after.Values[:keys]) {
			return unsound("entries of an index are out of order, or twice there")
		}
		return nil
	}, nil
}

func hasNull(values []pages.Value) bool {
	for _, v := range values {
		if v.Type == 0 {
			return true
		}
	}
	return false
}

// table reads rows: each keeps the constraints and its seal, and has its
// entries in the indexes.
func (w *worker) table(j *job, b *batch) error {
	p := j.scan.plan
	w.row.plan = p
	w.sums = append(w.sums[:0], make([]tally, len(p.indexes))...)
	next := func([]byte) error { return nil }
	if p.WithoutRowid {
		var err error
		if next, err = w.ordered(j.run, p.keys, p.keys, true); err != nil {
			return err
		}
	}
	err := w.reader.Each(j.run, func(rowid int64, payload []byte) error {
		b.rows++
		if err := next(payload); err != nil {
			return err
		}
		if err := w.row.read(rowid, payload); err != nil {
			return err
		}
		return w.look(j.scan, b)
	})
	for i, x := range p.indexes {
		x.rows.join(w.sums[i])
	}
	return err
}

func (w *worker) look(s *scan, b *batch) error {
	for i, x := range s.plan.indexes {
		if x.where == nil || x.where(&w.row) {
			w.head, w.body = x.entry(&w.row, w.head, w.body)
			w.sums[i].add(w.hash(w.head))
		}
	}
	if s.visit == nil && s.plan.seal == nil {
		return nil
	}
	f := fact{rowid: w.row.rowid, who: -1}
	if seal := s.plan.seal; seal != nil {
		if err := seal.check(w, &w.row); err != nil {
			return err
		}
		f.seal = w.hash(w.row.text(seal.seal))
		if seal.prev >= 0 {
			f.prev = w.hash(w.row.text(seal.prev))
		}
	}
	if s.visit != nil {
		if err := s.visit(w, &w.row, &f); err != nil {
			return err
		}
	}
	b.facts = append(b.facts, f)
	return nil
}
