package checkpoints

import (
	"context"
	"sync"
)

// Watch keeps how far publication has come, for a screen that does not wait.
type Watch struct {
	Read  func(context.Context) (Status, error)
	mu    sync.Mutex
	stamp int64
	now   Status
}

// Get returns what was read last.
func (w *Watch) Get() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// Refresh reads it again. It keeps values that cannot be read.
func (w *Watch) Refresh(ctx context.Context) {
	now, err := w.Read(ctx)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = now
}

// Changed reports whether a stamp of the database is another one than the last.
func (w *Watch) Changed(stamp int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.stamp
	w.stamp = stamp
	return stamp != before
}
