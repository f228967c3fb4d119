package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"toolcrib/registry/wire"
)

// refresher keeps what the server lists.
type refresher struct {
	mu     sync.Mutex
	wanted int           // comparisons that were asked for
	done   int           // those that an answer covers
	ticked chan struct{} // closed after a comparison
	kick   chan struct{}
	failed error             // why the last comparison found nothing
	hashes map[string]string // by name, "" for a name that is there twice; nil before one was found
}

func (r *refresher) init() {
	r.ticked, r.kick = make(chan struct{}), make(chan struct{}, 1)
	r.wanted = 1 // nothing is called before the first
}

// want asks for a comparison; one that runs may be too early.
func (r *refresher) want() {
	r.mu.Lock()
	r.wanted++
	r.mu.Unlock()
	r.start()
}

// start has the comparisons that are wanted made.
func (r *refresher) start() {
	select {
	case r.kick <- struct{}{}:
	default: // one is to come
	}
}

// began returns what a comparison that begins now will cover.
func (r *refresher) began() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wanted
}

// ends keeps what a comparison found.
func (r *refresher) ends(covers int, hashes map[string]string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done, r.failed = max(r.done, covers), err
	if err == nil {
		r.hashes = hashes
	}
	close(r.ticked)
	r.ticked = make(chan struct{})
}

// wait waits for the comparisons that are wanted now. It returns an error if the
// last one failed.
func (r *refresher) wait(ctx context.Context) error {
	r.mu.Lock()
	for until := r.wanted; r.done < until; {
		ticked := r.ticked
		r.mu.Unlock()
		select {
		case <-ticked:
		case <-ctx.Done():
			return ctx.Err()
		}
		r.mu.Lock()
	}
	defer r.mu.Unlock()
	return r.failed
}

// found returns the hashes of what the server lists, by name; nil when nobody knows.
// Nobody changes them.
func (r *refresher) found() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hashes
}

// hash returns the hash of what the server lists under a name.
func (r *refresher) hash(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hashes[name]
}

// refreshes compares the server's tools when it has begun, when it reports a change,
// and now and then, until ctx ends.
func (g *Guard) refreshes(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-g.refresher.kick:
	}
	for ctx.Err() == nil {
		covers := g.refresher.began()
		g.mu.Lock()
		noticed := g.noticed
		g.noticed = false
		g.mu.Unlock()
		l, err := g.inquirer.lists(ctx)
		if errors.Is(err, errNoTools) {
			l, err = Listing{}, nil
		}
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("the tools of %s cannot be compared with the approved ones: %w", g.config.Name, err)
			g.config.Log(err.Error())
		}
		g.refresher.ends(covers, hashes(l.Tools), err)
		if err == nil {
			g.observer.put(l)
			g.tell(noticed)
		}
		timer := time.NewTimer(g.config.Times.Compare)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-g.refresher.kick:
		}
		timer.Stop()
	}
}

// hashes returns the hash of every tool by its name, "" for a name that is there
// twice.
func hashes(tools []json.RawMessage) map[string]string {
	all := make(map[string]string, len(tools))
	for _, raw := range tools {
		item, err := wire.ReadItem(wire.MCP, raw)
		if err != nil {
			continue
		}
		hash := item.Hash()
		if _, twice := all[item.Name]; twice {
			hash = ""
		}
		all[item.Name] = hash
	}
	return all
}

// compare has the server's tools compared when the client was shown a list that
// differs from the last comparison: a server may change without a word.
func (r *refresher) compare(text []byte, list span) {
	s := scanner{text: text[:list.to], at: list.from}
	differs := false
	_ = s.elements(0, func(value span) error { // it was checked
		item, err := wire.ReadItem(wire.MCP, value.of(text))
		differs = differs || err == nil && r.hash(item.Name) != item.Hash()
		return nil
	})
	if differs && r.found() != nil {
		r.want()
	}
}
