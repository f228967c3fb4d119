package upstream

import (
	"context"
	"time"
)

// Waits after a failure before the next attempt: twice as long each
// time.
const (
	firstRetry = time.Second
	lastRetry  = 5 * time.Minute
)

// Watch lists a server's tools until ctx ends: whenever the server reports a
// change, and at an interval, over a new connection, because a program runs its
// upgrade only after a restart. look gets a document as List returns it, or an
// error; it is called from one goroutine.
func Watch(ctx context.Context, s Server, every time.Duration, look func(document []byte, err error)) {
	retry := firstRetry
	for ctx.Err() == nil {
		err := watch(ctx, s, every, func(document []byte) {
			retry = firstRetry
			look(document, nil)
		})
		if err == nil || ctx.Err() != nil {
			continue
		}
		look(nil, err)
		wait(ctx, min(retry, every))
		retry = min(2*retry, lastRetry)
	}
}

// watch looks over one connection until it is time for a new one.
func watch(ctx context.Context, s Server, every time.Duration, look func([]byte)) error {
	changed := make(chan struct{}, 1)
	session, err := Connect(ctx, s, func() {
		select {
		case changed <- struct{}{}:
		default: // it will be looked at anyway
		}
	})
	if err != nil {
		return err
	}
	defer session.Close()
	timer := time.NewTimer(every)
	defer timer.Stop()
	for {
		document, err := session.Document(ctx)
		if err != nil {
			return err
		}
		look(document)
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
			return nil
		case <-changed:
		case <-session.Ended():
			return session.failed(ctx, ErrClosed)
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
