// This file waits for commits of other processes.

package store

import (
	"context"
	"sync"
	"time"
)

// notifier is an engine that notifies of commits by other processes.
type notifier interface {
	// Listen calls heard with 0 when it is listening, and then with the number of the newest event of each commit, or 0
	// if the number is unknown, until ctx ends or the connection is lost. It returns the cause.
	Listen(ctx context.Context, heard func(event int64)) error
}

// Delay before listening again, and polling interval while notifications arrive. Between polls, a guard has only the
// connection that listens. It closes others soon, because sixty guards share the 100 connections of a server.
const (
	relistenDelay         = time.Second
	listeningPollInterval = 10 * time.Second
	idleAfter             = 300 * time.Millisecond
)

// waiting distributes the engine's notifications to goroutines in Wait.
type waiting struct {
	once sync.Once
	stop context.CancelFunc // nil before the first Wait
	done chan struct{}

	mu        sync.Mutex
	changes   int64         // number of notifications and changes of listening
	listening bool          // the engine notifies of commits
	changed   chan struct{} // closed when changes increases
}

// Wait returns when another process may have committed something: after a notification from the engine, or after the
// interval every, which is raised to listeningPollInterval while notifications arrive. Pass the result of the last call
// as seen, or 0 at first: Wait returns at once if there was a notification since then.
func (db *DB) Wait(ctx context.Context, seen int64, every time.Duration) (now int64) {
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
	if now != seen {
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

// listen receives notifications until the database is closed. It reconnects if the connection is lost. Without a
// connection, Wait polls.
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

// change wakes all goroutines in Wait.
func (w *waiting) change(listening bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes++
	w.listening = listening
	close(w.changed)
	w.changed = make(chan struct{})
}

// end stops listening.
func (w *waiting) end() {
	w.once.Do(func() {}) // prevents later starts
	w.mu.Lock()
	stop, done := w.stop, w.done
	w.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
}

// Blocked reports whether a write transaction is waiting for another one, possibly in another process.
func (db *DB) Blocked() bool { return db.pool.Blocked() }
