// This file runs transactions on the connections of an engine.

package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"toolcrib/internal/failpoint"
	"toolcrib/review/proof"
	"toolcrib/store/engine"
)

// Pool manages the connections to a database and runs transactions on them.
type Pool struct {
	Engine Engine
	Options

	writer  chan *Session // contains the unused writer, or nil if it is not open; empty while a transaction runs
	logger  chan *Session // like writer, but for transactions that a power failure can roll back
	idle    chan *Session // unused readers
	slots   chan struct{} // contains an element for each open reader
	toBegin atomic.Int32  // number of write transactions that have not begun
	unused  *time.Timer   // closes unused connections; nil if connections stay open
}

// Options configures all transactions of a Pool.
type Options struct {
	Witness   Witness
	Trust     *proof.Trust        // determines which versions have valid signatures; nil if signatures are not required
	Committed func(acts []string) // called after each commit with the acts of its events; can be nil
	DryRun    bool                // roll back all write transactions
	Idle      time.Duration       // time after which unused connections are closed; 0 to keep them
}

// New returns a pool for e. It opens no connections.
func New(e Engine, opts Options) *Pool {
	db := &Pool{
		Engine: e, Options: opts, writer: make(chan *Session, 1), logger: make(chan *Session, 1),
		idle: make(chan *Session, Readers()), slots: make(chan struct{}, Readers()),
	}
	db.writer <- nil
	db.logger <- nil
	if opts.Idle > 0 {
		db.unused = time.AfterFunc(opts.Idle, db.closeUnused)
	}
	return db
}

// used restarts the timer that closes unused connections.
func (db *Pool) used() {
	if db.unused != nil {
		db.unused.Reset(db.Idle)
	}
}

// closeUnused closes all unused connections. The server can then accept connections from other processes. After a lost
// connection, the unused connections are probably also lost.
func (db *Pool) closeUnused() {
	for {
		select {
		case s := <-db.idle:
			_ = s.Close() // reopened when needed
			<-db.slots
			continue
		default:
		}
		break
	}
	for _, idle := range []chan *Session{db.writer, db.logger} {
		select {
		case w := <-idle:
			if w != nil {
				_ = w.Close()
			}
			idle <- nil
		default: // a write is in progress
		}
	}
}

// lostAttempts limits how often a transaction is tried again if its connection is lost before it begins.
const lostAttempts = 3

// afterLoss prepares the next attempt to begin a transaction, after the connections of previous attempts were lost. The
// argument lost is the number of these attempts. afterLoss closes the unused connections, which are probably also lost,
// and waits. It returns false if no attempts remain or ctx ends.
func (db *Pool) afterLoss(ctx context.Context, lost int) bool {
	if lost >= lostAttempts {
		return false
	}
	db.closeUnused()
	timer := time.NewTimer(time.Duration(lost*lost) * 100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Close waits for running transactions, and then closes all connections and the engine.
func (db *Pool) Close() error {
	if db.unused != nil {
		db.unused.Stop()
	}
	var errs []error
	closeOne := func(s *Session) {
		if err := s.Close(); !errors.Is(db.Engine.Describe(err), engine.ErrLost) { // ErrLost: the connection has already ended
			errs = append(errs, err)
		}
	}
	for _, idle := range []chan *Session{db.writer, db.logger} {
		if w := <-idle; w != nil {
			closeOne(w)
		}
	}
	for range cap(db.slots) {
		select {
		case db.slots <- struct{}{}: // this slot has no reader
		case s := <-db.idle:
			closeOne(s)
		}
	}
	return errors.Join(append(errs, db.Engine.Close())...)
}

// Readers returns the number of open read connections and their maximum.
func (db *Pool) Readers() (open, most int) { return len(db.slots), cap(db.slots) }

// Blocked reports whether a write transaction is waiting to begin.
func (db *Pool) Blocked() bool { return db.toBegin.Load() > 0 }

// View runs fn in a read-only snapshot. It runs fn again if the engine requests a retry. If the connection of an idle
// reader was lost, View replaces the reader.
func (db *Pool) View(ctx context.Context, fn func(*Session) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer db.used()
	lost := 0
	for tried := 1; ; tried++ {
		s, err := db.reader(ctx)
		if err != nil {
			return err
		}
		err = db.Engine.Describe(db.Engine.Begin(ctx, s.Conn, engine.Read))
		begun := err == nil
		if begun {
			err = s.run(ctx, fn)
		}
		if !errors.Is(err, engine.ErrLost) {
			db.idle <- s
			if errors.Is(err, engine.ErrAgain) && tried < attempts && ctx.Err() == nil {
				continue
			}
			return err
		}
		_ = s.Close() // the connection has already ended
		<-db.slots
		if lost++; begun || !db.afterLoss(ctx, lost) {
			return err
		}
	}
}

// reader returns an idle reader, or opens a reader if none is idle and the maximum is not reached. Otherwise, it waits
// for an idle reader.
func (db *Pool) reader(ctx context.Context) (*Session, error) {
	select {
	case s := <-db.idle:
		return s, nil
	default:
	}
	select {
	case s := <-db.idle:
		return s, nil
	case db.slots <- struct{}{}:
		s, err := db.Open(ctx, engine.Read)
		if err != nil {
			<-db.slots
			return nil, err
		}
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Update runs fn in a write transaction. It runs fn again if the engine requests a retry. When Update returns nil, the
// transaction is durable.
func (db *Pool) Update(ctx context.Context, fn func(*Session) error) error {
	return db.write(ctx, engine.Write, fn)
}

// Log is like Update, except that a power failure can roll back the transaction.
func (db *Pool) Log(ctx context.Context, fn func(*Session) error) error {
	return db.write(ctx, engine.Log, fn)
}

// attempts limits how often a transaction is tried if it conflicts with other transactions.
const attempts = 20

// write runs fn in a write transaction for the given use. It runs fn again if the engine requests a retry.
func (db *Pool) write(ctx context.Context, use engine.Use, fn func(*Session) error) error {
	db.toBegin.Add(1)
	begun := sync.OnceFunc(func() { db.toBegin.Add(-1) })
	defer begun()
	defer db.used()
	lost := 0
	var acts []string
	err := db.borrow(ctx, use, func(w **Session) (err error) {
		for range attempts {
			if *w == nil {
				if *w, err = db.Open(ctx, use); err != nil {
					return err
				}
			}
			(*w).Witness = db.Witness.In(ctx)
			err = db.try(ctx, *w, use, func(s *Session) error {
				begun()
				return fn(s)
			})
			acts = (*w).acts
			if errors.Is(err, engine.ErrLost) {
				last := (*w).chained
				_ = (*w).Close() // the connection has already ended
				*w = nil
				err = db.outcome(ctx, last, err)
				if lost++; errors.Is(err, engine.ErrAgain) && !db.afterLoss(ctx, lost) {
					return err
				}
			}
			if !errors.Is(err, engine.ErrAgain) {
				return err
			}
			if ctx.Err() != nil {
				return fmt.Errorf("%w: %w", ctx.Err(), err)
			}
		}
		return fmt.Errorf("%w: %w", engine.ErrBusy, err)
	})
	if err == nil && len(acts) > 0 && db.Committed != nil {
		db.Committed(acts)
	}
	return err
}

// borrow waits for the writer, or for the logger if use is engine.Log, and passes it to fn. If the session is not open
// yet, the argument of fn points to nil. After fn returns, the pool retains the session to which the argument points.
func (db *Pool) borrow(ctx context.Context, use engine.Use, fn func(w **Session) error) error {
	idle := db.writer
	if use == engine.Log {
		idle = db.logger
	}
	var w *Session
	select {
	case w = <-idle:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { idle <- w }()
	if w == nil { // turn an unused reader into the writer; later reads open a new reader
		select {
		case s := <-db.idle:
			writes, err := db.Engine.Promote(ctx, s.Conn, use)
			if err != nil || !writes {
				db.idle <- s
				if err != nil {
					return db.Engine.Describe(err)
				}
				break
			}
			<-db.slots
			w = s
		default:
		}
	}
	return fn(&w)
}

// try runs fn once in a write transaction on w.
func (db *Pool) try(ctx context.Context, w *Session, use engine.Use, fn func(*Session) error) error {
	if err := db.Engine.Begin(ctx, w.Conn, use); err != nil {
		w.written = written{}
		err = db.Engine.Describe(err)
		if errors.Is(err, engine.ErrLost) {
			return fmt.Errorf("%w: %w", engine.ErrAgain, err)
		}
		return err
	}
	if !db.DryRun {
		return w.run(ctx, fn)
	}
	err := w.run(ctx, func(s *Session) error { return cmp.Or(fn(s), errDryRun) })
	if w.written = (written{}); errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// errDryRun causes the rollback of a successful transaction if Options.DryRun is set.
var errDryRun = errors.New("dry run")

// errInDoubt indicates that the connection was lost during COMMIT.
var errInDoubt = errors.New("during COMMIT")

// outcome returns nil if a transaction was committed before its connection was lost. If the transaction had not
// started its COMMIT, it was rolled back. Otherwise, outcome looks up row, the last row that the transaction added to
// a hash chain. If this row exists, the transaction was committed. The lookup waits for the write lock and therefore
// for the end of the lost transaction.
func (db *Pool) outcome(ctx context.Context, row chainedRow, lost error) error {
	if !errors.Is(lost, errInDoubt) {
		return fmt.Errorf("%w: %w", engine.ErrAgain, lost)
	}
	if row.table == "" {
		return fmt.Errorf("%w; the change may have been written, so check before you try again", lost)
	}
	s, err := db.Open(ctx, engine.Write)
	if err != nil {
		return errors.Join(lost, err)
	}
	defer s.Close() //nolint:errcheck // nothing was written
	if err := db.Engine.Begin(ctx, s.Conn, engine.Write); err != nil {
		return errors.Join(lost, err)
	}
	var written bool
	err = s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM "+row.table+" WHERE seq = $1 AND hash = $2)", []any{row.seq, row.hash}, &written)
	err = errors.Join(err, s.Script(ctx, "ROLLBACK"))
	switch {
	case err != nil:
		return errors.Join(lost, err)
	case written:
		return nil
	}
	return fmt.Errorf("%w: %w", engine.ErrAgain, lost)
}

// run runs fn in a transaction that has begun. It ends the transaction with COMMIT, or with ROLLBACK if fn fails or
// panics. Cancellation of ctx does not interrupt COMMIT.
func (s *Session) run(ctx context.Context, fn func(*Session) error) error {
	s.written = written{}
	clear(s.begun)
	done := false
	defer func() {
		if !done {
			clear(s.kept)
			_ = s.Script(ctx, "ROLLBACK") // the earlier error is returned
		}
	}()
	if err := fn(s); err != nil {
		return s.Engine.Describe(err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.Engine.Commit(ctx, s.Conn, s.event); err != nil {
		if err = s.Engine.Describe(err); errors.Is(err, engine.ErrLost) {
			err = fmt.Errorf("%w: %w", errInDoubt, err)
		}
		return err
	}
	done = true
	failpoint.Here("committed")
	return nil
}

// maxReaders limits the number of read connections.
const maxReaders = 4

// Readers returns the maximum number of read connections of a pool.
func Readers() int { return min(max(runtime.NumCPU(), 1), maxReaders) }
