// This file waits for commits by other processes.

package store

import (
	"context"
	"sync"
	"time"
)

// notifier is implemented by engines that report commits by other processes.
type notifier interface {
	// Listen listens until ctx ends or the connection is lost, and returns the reason. It calls heard(0) when it starts
	// to listen. After each commit, it calls heard with the number of the newest event, or with 0 if the number is
	// unknown.
	Listen(ctx context.Context, heard func(event int64)) error
}

// relistenDelay is the delay before listening again after a lost connection. listeningPollInterval is the polling
// interval while notifications arrive. A process closes connections that are idle for idleAfter, because sixty gateways
// share the 100 connections of a server. Between polls, a gateway then only has the connection that listens.
const (
	relistenDelay         = time.Second
	listeningPollInterval = 10 * time.Second
	idleAfter             = 300 * time.Millisecond
)

// waiting wakes the goroutines in Wait when the engine reports a commit.
type waiting struct {
	once sync.Once
	stop context.CancelFunc // nil before the first Wait
	done chan struct{}

	mu        sync.Mutex
	changes   int64         // number of notifications, plus changes of listening
	listening bool          // whether the engine is reporting commits
	changed   chan struct{} // closed when changes increases
}

// Wait waits until another process may have committed a change. It returns after a notification from the engine or
// after the given interval, whichever comes first. While notifications arrive, the interval is at least
// listeningPollInterval. The argument previous is the result of the last call, or 0 in the first call. Wait returns at
// once if a notification has arrived since that call.
func (db *DB) Wait(ctx context.Context, previous int64, every time.Duration) (now int64) {
	n, notifies := db.pool.Engine.(notifier)
	if notifies {
		db.waiting.once.Do(func() { db.waiting.listen(n) })
	}
	w := &db.waiting
	w.mu.Lock()
	now, news := w.changes, w.changed
	if w.listening {
		every = max(every, listeningPollInterval)
	}
	w.mu.Unlock()
	if now != previous {
		return now
	}
	timer := time.NewTimer(every)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-news:
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.changes
	}
	return now
}

// listen receives notifications until the database is closed. It reconnects if the connection is lost. Until then, Wait
// polls at the interval that its caller chose.
func (w *waiting) listen(n notifier) {
	ctx, stop := context.WithCancel(context.Background())
	done, news := make(chan struct{}), make(chan struct{})
	w.mu.Lock()
	w.stop, w.done, w.changed = stop, done, news
	w.mu.Unlock()
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = n.Listen(ctx, func(int64) { w.change(true) }) // readers of the database report its errors
			w.change(false)
			select {
			case <-ctx.Done():
			case <-time.After(relistenDelay):
			}
		}
	}()
}

// change wakes all goroutines in Wait and records whether the engine is reporting commits.
func (w *waiting) change(listening bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes++
	w.listening = listening
	close(w.changed)
	w.changed = make(chan struct{})
}

// end stops the goroutine that listens, and waits until this goroutine has ended.
func (w *waiting) end() {
	w.once.Do(func() {}) // prevents a later call of listen
	w.mu.Lock()
	stop, done := w.stop, w.done
	w.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
}

// Blocked reports whether a write transaction is waiting for another write transaction, possibly in another process.
func (db *DB) Blocked() bool { return db.pool.Blocked() }
