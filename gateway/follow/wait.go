package follow

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Wait returns when another bundle was accepted, or after every where the operating system
// does not report changes of files. seen is the result of the last call, 0 at first.
func (c *Copy) Wait(ctx context.Context, seen int64, every time.Duration) int64 {
	changes, err := fsnotify.NewWatcher()
	if err == nil {
		defer changes.Close() //nolint:errcheck // it only reports
		err = changes.Add(c.Dir)
	}
	if a, failed := c.Accepted(); failed == nil && a.At.UnixNano() != seen {
		return a.At.UnixNano()
	}
	var events chan fsnotify.Event
	var tick <-chan time.Time
	if err == nil {
		events = changes.Events
	} else {
		timer := time.NewTimer(every)
		defer timer.Stop()
		tick = timer.C
	}
	for {
		select {
		case <-ctx.Done():
			return seen
		case <-tick:
			return seen
		case e, ok := <-events:
			if !ok {
				return seen
			}
			if a, failed := c.Accepted(); filepath.Base(e.Name) == acceptedFile && failed == nil && a.At.UnixNano() != seen {
				return a.At.UnixNano()
			}
		}
	}
}

// Poll updates the copy at the given interval until ctx ends. It skips a turn if another
// process of the machine has just done it, and passes errors to problem.
func (c *Copy) Poll(ctx context.Context, address string, source Source, every time.Duration, problem func(error)) {
	for least := time.Duration(0); ; least = time.Second {
		wait := max(every-c.Now().Sub(c.Checked().Tried), least)
		if wait > time.Second {
			wait += time.Duration(rand.Int64N(int64(every)/10 + 1)) //nolint:gosec // it only spreads requests
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if c.Now().Sub(c.Checked().Tried) < every {
			continue // another process looked
		}
		if _, err := c.Update(ctx, address, source); err != nil && ctx.Err() == nil {
			problem(err)
		}
	}
}
