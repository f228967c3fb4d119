package sqlite

import (
	"context"
	"errors"
	"time"

	"toolcrib/store/engine"
)

// busyTimeout sets how long an operation waits for other users of the file before
// it fails with engine.ErrBusy.
const busyTimeout = 30 * time.Second

// Readers leave the waiting to the engine: readers share, so they wait
// only while a log is being recovered, or written back by the last who left.
// Writers ask again themselves. The engine asks at longer and longer
// intervals, up to a tenth of a second, so of many writers it is the newest that
// gets its turn, and the one who has waited longest may wait forever
// (https://www.sqlite.org/src/file/src/main.c, sqliteDefaultBusyCallback).
const (
	waits = "busy_timeout(30000)"
	asks  = "busy_timeout(0)"
)

// askEvery is the interval at which writers ask: the same for
// all, so that whoever waits has the same chance at each turn.
const askEvery = 4 * time.Millisecond

// retryBusy repeats try until the database is not busy, the timeout has passed,
// or ctx is done.
func (f *File) retryBusy(ctx context.Context, try func() error) error {
	over := time.NewTimer(f.busyTimeout)
	defer over.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := f.Describe(try())
		if !errors.Is(err, engine.ErrBusy) {
			return err
		}
		select {
		case <-time.After(askEvery):
		case <-over.C:
			return err
		case <-ctx.Done():
		}
	}
}
