package sqlite

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// listenEvery is the minimum time between two notifications, so that a burst of writes causes only a few.
const listenEvery = 200 * time.Millisecond

// Listen calls heard with 0 when it starts to watch the file, and again whenever a process may have committed a
// transaction, until ctx ends. It returns an error if the operating system cannot watch the file.
func (f *File) Listen(ctx context.Context, heard func(event int64)) error {
	changes, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer changes.Close() //nolint:errcheck // it only reports
	if err := changes.Add(filepath.Dir(f.path)); err != nil {
		return err
	}
	heard(0)
	var pause <-chan time.Time // nil if the next notification need not wait
	for pending := false; ; {
		select {
		case <-ctx.Done():
			return nil
		case err := <-changes.Errors:
			return err
		case e := <-changes.Events:
			name := filepath.Base(e.Name)
			pending = pending || name == filepath.Base(f.path) || name == filepath.Base(f.path)+"-wal"
		case <-pause:
			pause = nil
		}
		if pending && pause == nil {
			heard(0)
			pending, pause = false, time.After(listenEvery)
		}
	}
}
