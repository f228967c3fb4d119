package cli

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"toolcrib/gateway/upstream"
)

// atOnce sets how many servers are started at the same time. Most are npx and uvx,
// which install packages first.
const atOnce = 4

// firstStart is how long a server may take to answer that may install itself first,
// beside others that do.
const firstStart = 3 * time.Minute

// readAtOnce asks servers for their tools and reports each answer as it comes.
func readAtOnce(ctx context.Context, a *app, ready []clientServer) []pollResult {
	read := make([]pollResult, len(ready))
	done := make(chan int)
	var group errgroup.Group
	group.SetLimit(atOnce)
	go func() {
		for i, c := range ready {
			group.Go(func() error {
				from := place{name: c.label, shown: "server " + c.label, server: c.config}
				server := from.upstream(a.env)
				server.Timeout = firstStart
				data, err := upstream.List(ctx, server)
				read[i] = pollResult{from, data, err}
				done <- i
				return nil
			})
		}
	}()
	began := a.env.Now()
	for n := range ready {
		i := <-done
		word := "read"
		if read[i].err != nil {
			word = "failed"
		}
		a.note("%d of %d: %s %s after %s", n+1, len(ready), ready[i].label, word, a.env.Now().Sub(began).Round(100*time.Millisecond))
		a.noteStderr(read[i].err)
	}
	return read
}

// take proposes the tools of a server as a change set of its name.
func (c clientServer) take(ctx context.Context, a *app, read pollResult) (intaken, error) {
	if read.err != nil {
		return intaken{}, read.err
	}
	return importFlags{server: c.label, set: c.label}.take(ctx, a, read.from.shown, read.data, &read.from)
}
