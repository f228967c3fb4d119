package store

import (
	"context"
	"sync"
	"time"
)

// notifier is an engine that reports commits of other processes.
type notifier interface {
	// Listen calls heard once it listens, with 0, and then with the number of the
	// newest event of each commit, 0 if it is unknown, until ctx ends or the
	// connection does. The error names the cause.
	Listen(ctx context.Context, heard func(event int64)) error
}

// Delays before listening again, and polling intervals while notifications arrive. Between polls, a guard has only the
// connection that listens.
const (
	listenAgain = time.Second
	lookAnyway  = 10 * time.Second
	idleAfter   = 3 * time.Second
)

// waiting distributes the notifications of the engine to the goroutines in Wait.
type waiting struct {
	once sync.Once
	stop context.CancelFunc // nil before the first Wait
	done chan struct{}

	mu        sync.Mutex
	told      int64         // counts notifications, and changes of listening
	listening bool          // the engine notifies of commits
	news      chan struct{} // closed when told increases
}

// Wait returns when another process may have committed something: at a notification of
// the engine, or after every, which is at least lookAnyway while the engine notifies.
// seen is the result of the last call, 0 for the first: a notification since then ends
// the wait at once.
func (db *DB) Wait(ctx context.Context, seen int64, every time.Duration) (told int64) {
	n, notifies := db.pool.Engine.(notifier)
	if notifies {
		db.waiting.once.Do(func() { db.waiting.listen(n) })
	}
	w := &db.waiting
	w.mu.Lock()
	told, news := w.told, w.news
	if w.listening {
		every = max(every, lookAnyway)
	}
	w.mu.Unlock()
	if told != seen {
		return told
	}
	timer := time.NewTimer(every)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-news:
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.told
	}
	return told
}

// listen receives notifications until the database is closed. It reconnects when its connection ends; without one, Wait
// polls.
func (w *waiting) listen(n notifier) {
	ctx, stop := context.WithCancel(context.Background())
	done, news := make(chan struct{}), make(chan struct{})
	w.mu.Lock()
	w.stop, w.done, w.news = stop, done, news
	w.mu.Unlock()
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = n.Listen(ctx, func(int64) { w.change(true) }) // readers of the database report its errors
			w.change(false)
			select {
			case <-ctx.Done():
			case <-time.After(listenAgain):
			}
		}
	}()
}

// change wakes everybody who waits.
func (w *waiting) change(listening bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told++
	w.listening = listening
	close(w.news)
	w.news = make(chan struct{})
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

// Blocked reports whether a write transaction is waiting for another one, possibly of another process.
func (db *DB) Blocked() bool { return db.pool.Blocked() }
