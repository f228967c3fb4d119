package audit

import (
	"context"
	"sync"
	"sync/atomic"

	"toolcrib/store/pages"
)

// scan is one tree that is read: of a table with a plan, of an index of one, or
// of neither, when only its pages are counted.
type scan struct {
	root   uint32
	rowid  bool // of what has neither
	plan   *plan
	index  *index
	visit  visit
	settle func(*fact) error // takes what visit found, in the order of the rows
	last   int64             // rowid, as settled
}

// visit looks at a row; it is called by many goroutines at once.
type visit func(*worker, *row, *fact) error

// job is the reading of a run of leaves.
type job struct {
	scan *scan
	run  pages.Run
	done chan *batch
}

// batch is what the reading of a run came to.
type batch struct {
	facts []fact
	rows  int64
	err   error
}

// fact is what is kept of a row until its turn has come.
type fact struct {
	rowid     int64
	number    int64
	key       uint64 // what tells it apart
	prev      uint64
	seal      uint64
	more      uint64
	who       int32 // the subject or the proposal it is about, -1 when that is none
	act       uint8
	yes       bool
	proposal  *proposal
	subject   *subject
	summary   summary
	submitted bool
}

// tally is a number of rows and a sum that says which, in whatever order.
type tally struct{ n, sum uint64 }

func (t *tally) add(hash uint64) { t.n, t.sum = t.n+1, t.sum+hash }

// join adds what another goroutine counted.
func (t *tally) join(other tally) {
	atomic.AddUint64(&t.n, other.n)
	atomic.AddUint64(&t.sum, other.sum)
}

// ahead is how many runs may wait for those before them.
const ahead = 64

// run reads trees with several workers, and settles what they find in the order
// of the rows. The first error ends it.
func (a *Audit) run(ctx context.Context, scans []*scan, workers int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue, ordered := make(chan *job), make(chan *job, ahead)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			w := &worker{audit: a, reader: a.file.NewReader()}
			for j := range queue {
				j.done <- w.do(ctx, j)
			}
		})
	}
	working.Go(func() {
		defer close(ordered)
		defer close(queue)
		if err := a.produce(ctx, scans, queue, ordered); err != nil {
			cancel(err)
		}
	})
	for j := range ordered {
		b := <-j.done
		if err := a.settle(j.scan, b); err != nil {
			cancel(err)
		}
	}
	working.Wait()
	return context.Cause(ctx)
}

// produce makes jobs of the trees. What is put into ordered is always put into
// queue, too, so that whoever waits for it gets it.
func (a *Audit) produce(ctx context.Context, scans []*scan, queue, ordered chan<- *job) error {
	for _, s := range scans {
		open := a.file.Index
		if s.rowid || s.plan != nil && !s.plan.WithoutRowid {
			open = a.file.Table
		}
		tree, err := open(s.root)
		if err != nil {
			return err
		}
		for _, run := range tree.Runs() {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			j := &job{scan: s, run: run, done: make(chan *batch, 1)}
			ordered <- j
			queue <- j
		}
	}
	return nil
}

// settle takes a batch in its turn.
func (a *Audit) settle(s *scan, b *batch) error {
	defer a.batches.Put(b)
	if b.err != nil || s.plan == nil {
		return b.err
	}
	for i := range b.facts {
		f := &b.facts[i]
		if s.plan.seal != nil {
			if err := s.sealedRow(f); err != nil {
				return err
			}
			if s.plan.seal.Prev == "" {
				a.log.record(s.plan.Name, f.seal)
			}
		}
		if s.settle != nil {
			if err := s.settle(f); err != nil {
				return err
			}
		}
	}
	if s.plan.seal != nil && b.rows > 0 {
		a.rows[s.plan.Name] += b.rows
		if a.progress != nil {
			a.progress(s.plan.Name, a.rows[s.plan.Name])
		}
	}
	return nil
}

// sealedRow checks that no row is missing, and that a chain goes on.
func (s *scan) sealedRow(f *fact) error {
	if s.last++; f.rowid != s.last {
		return unsound("row %d of %s is missing", s.last, s.plan.Name)
	}
	if s.plan.seal.Prev == "" || s.plan.Name == versions {
		return nil
	}
	if f.prev != s.plan.seal.last.seal {
		return unsound("row %d of %s breaks the chain", f.rowid, s.plan.Name)
	}
	s.plan.seal.last = link{f.rowid, f.seal}
	return nil
}
