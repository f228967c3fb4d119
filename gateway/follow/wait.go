// This file polls the source of a registry and waits for accepted bundles.

package follow

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"toolcrib/internal/filelock"
)

// Wait blocks until a new bundle is accepted or ctx is done. It returns a value that identifies the accepted bundle,
// which the caller must pass as previous in the next call. In the first call, previous is 0. Wait returns immediately
// if previous does not identify the accepted bundle. If changes of files cannot be watched, Wait also returns after
// interval.
func (c *Copy) Wait(ctx context.Context, previous int64, interval time.Duration) int64 {
	changes, err := fsnotify.NewWatcher()
	if err == nil {
		defer changes.Close() //nolint:errcheck // used for reading only
		err = changes.Add(c.Dir)
	}
	if a, failed := c.Accepted(); failed == nil && a.At.UnixNano() != previous {
		return a.At.UnixNano()
	}
	var events chan fsnotify.Event
	var tick <-chan time.Time
	if err == nil {
		events = changes.Events
	} else {
		timer := time.NewTimer(interval)
		defer timer.Stop()
		tick = timer.C
	}
	for {
		select {
		case <-ctx.Done():
			return previous
		case <-tick:
			return previous
		case e, ok := <-events:
			if !ok {
				return previous
			}
			if a, failed := c.Accepted(); filepath.Base(e.Name) == acceptedFile && failed == nil && a.At.UnixNano() != previous {
				return a.At.UnixNano()
			}
		}
	}
}

// Poll updates the copy until ctx is done. It polls at the given interval, and immediately when the source announces a
// change. It skips a regular poll if another process on the machine has polled within the interval. After an error
// other than ErrRefused, it retries up to eight times within seconds. It calls problem with every error. Random delays
// distribute the requests of machines that receive the same announcement.
func (c *Copy) Poll(ctx context.Context, address string, source Source, interval time.Duration, problem func(error)) {
	announced := make(chan struct{}, 1)
	news := func() {
		select {
		case announced <- struct{}{}:
		default:
		}
	}
	if s, ok := source.(*httpSource); ok && s.serve() {
		var listening sync.WaitGroup
		defer listening.Wait()
		listening.Go(func() { c.listen(ctx, s, interval, news) })
	}
	failed := 0
	for least := time.Duration(0); ctx.Err() == nil; least = time.Second {
		wait := max(interval-c.Now().Sub(c.Checked().Tried), least)
		if wait > time.Second {
			wait += random(interval / 10)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-announced:
			pause(ctx, random(800*time.Millisecond))
		case <-timer.C:
			if c.Now().Sub(c.Checked().Tried) < interval {
				continue // another process has polled in the meantime
			}
		}
		timer.Stop()
		_, err := c.Update(ctx, address, source)
		if failed++; err == nil {
			failed = 0
			if c.Looked != nil {
				c.Looked(ctx)
			}
		} else if !errors.Is(err, ErrRefused) && failed <= 8 {
			time.AfterFunc(random(8*time.Second), news)
		}
		if err != nil && ctx.Err() == nil {
			problem(err)
		}
	}
}

// listen receives the events of source and calls news for each event. A lock ensures that only a single process on the
// machine is connected.
func (c *Copy) listen(ctx context.Context, source *httpSource, every time.Duration, news func()) {
	for ctx.Err() == nil {
		unlock, held, err := filelock.Try(filepath.Join(c.Dir, listenLock))
		if err == nil && !held {
			source.listen(ctx, news)
			unlock()
		}
		pause(ctx, time.Second+random(every))
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// random returns a random duration from 0 to limit.
func random(limit time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(limit) + 1)) //nolint:gosec // the delays need not be unpredictable
}
