package guard

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"toolcrib/registry"
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
	known  bool              // there was one that found something
	hashes map[string]string // by name, "" for a name that is there twice
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
		r.known, r.hashes = true, hashes
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

// hash returns the hash of what the server lists under a name.
func (r *refresher) hash(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hashes[name]
}

// reply is the answer to a request of the guard's own.
type reply struct {
	result json.RawMessage
	err    error
}

// errNoTools reports a server without tools.
var errNoTools = errors.New("the server has no tools")

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
		l, err := g.lists(ctx)
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

// maxPages limits the pages of one list.
const maxPages = 1_000

// lists asks the server for all of its tools.
func (g *Guard) lists(ctx context.Context) (Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, g.config.Times.List)
	defer cancel()
	g.mu.Lock()
	shakes := g.session.shakes
	g.mu.Unlock()
	if shakes && g.wait(ctx, g.introducedBy) != nil {
		return Listing{}, fmt.Errorf("it did not answer initialize within %s", g.config.Times.List)
	}
	g.mu.Lock()
	s := g.session
	g.mu.Unlock()
	if s.toolless {
		return Listing{}, errNoTools
	}
	l := Listing{Server: s.server, Protocol: s.protocol, Capabilities: s.capabilities}
	size, seen := 0, map[string]bool{}
	for cursor := ""; ; {
		result, err := g.page(ctx, s.meta, cursor)
		if err != nil {
			return Listing{}, err
		}
		var page struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
		}
		if err := readResult(result, &page.Tools, &page.Next); err != nil {
			return Listing{}, err
		}
		l.Tools = append(l.Tools, page.Tools...)
		size += len(result)
		switch {
		case page.Next == "":
			return l, nil
		case seen[page.Next], len(seen) == maxPages, size > MaxLine:
			return Listing{}, errors.New("its list does not end")
		}
		cursor, seen[page.Next] = page.Next, true
	}
}

// readResult reads the tools and the next cursor of a list.
func readResult(result json.RawMessage, tools *[]json.RawMessage, next *string) error {
	m := message{text: result}
	var list, cursor span
	if err := m.members(span{0, len(result)}, []string{"tools", "nextCursor"}, func(key string, value span) {
		switch key {
		case "tools":
			list = value
		case "nextCursor":
			cursor = value
		}
	}); err != nil {
		return err
	}
	if !list.there() || result[list.from] != '[' {
		return errors.New("its answer to tools/list has no list of tools")
	}
	*next = m.str(cursor)
	s := scanner{text: result[:list.to], at: list.from}
	return s.elements(0, func(value span) error {
		*tools = append(*tools, value.of(result))
		return nil
	})
}

// page asks the server for one page of its tools.
func (g *Guard) page(ctx context.Context, meta json.RawMessage, cursor string) (json.RawMessage, error) {
	params := []byte("{")
	if cursor != "" {
		params = append(append(params, `"cursor":`...), quote(cursor)...)
	}
	if len(meta) > 0 {
		if len(params) > 1 {
			params = append(params, ',')
		}
		params = append(append(params, `"_meta":`...), meta...)
	}
	id := quote("toolcrib-guard-" + rand.Text()) // nobody guesses it
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"tools/list","params":%s}`+"\n", id, append(params, '}'))
	answer := make(chan reply, 1)
	g.mu.Lock()
	g.own[idKey(id)] = answer
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		delete(g.own, idKey(id))
		g.mu.Unlock()
	}()
	m, err := read(bytes.TrimRight(line, "\n"))
	if err == nil {
		err = g.server.send(ctx, &m, line)
	}
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answer:
		return a.result, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("it did not answer within %s", g.config.Times.List)
	}
}

// codeNoMethod is the code of JSON-RPC 2.0 for an unknown method.
const codeNoMethod = "-32601"

// ownAnswer returns who waits for the answer to a request of the guard's own, nil for
// nobody, and forgets the request.
func (g *Guard) ownAnswer(key string) chan<- reply {
	g.mu.Lock()
	defer g.mu.Unlock()
	answer := g.own[key]
	delete(g.own, key)
	return answer
}

// replied reports whether an answer was to a request of the guard's own, and takes it.
func (g *Guard) replied(key string, m *message) bool {
	answer := g.ownAnswer(key)
	if answer == nil {
		return false
	}
	switch {
	case !m.failure.there():
		answer <- reply{result: bytes.Clone(m.result.of(m.text))}
	case string(m.member(m.failure, "code").of(m.text)) == codeNoMethod:
		answer <- reply{err: errNoTools}
	default:
		answer <- reply{err: fmt.Errorf("it answers: %s", clip(m.str(m.member(m.failure, "message"))))}
	}
	return true
}

// observeBurst is how many lists are proposed at once; then one is in every
// Times.Propose. A server that lists something else all the time fills no queue.
const observeBurst = 3

// observer proposes what the server lists.
type observer struct {
	news chan struct{}

	mu     sync.Mutex
	latest *Listing
	seen   string // names what was proposed last
}

// put has the observer propose what a list shows.
func (o *observer) put(l Listing) {
	o.mu.Lock()
	o.latest = &l
	o.mu.Unlock()
	o.look()
}

// back keeps a list that could not be proposed for the next look.
func (o *observer) back(l *Listing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.latest == nil {
		o.latest = l
	}
}

// look has the observer look for a list.
func (o *observer) look() {
	select {
	case o.news <- struct{}{}:
	default:
	}
}

// take returns a list that was not proposed, nil for none.
func (o *observer) take() (l *Listing, hash string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l, o.latest = o.latest, nil
	if l == nil {
		return nil, ""
	}
	var all []byte
	for _, raw := range l.Tools {
		all = append(append(all, raw...), '\n')
	}
	if hash = registry.HashBytes(all); hash == o.seen {
		return nil, ""
	}
	return l, hash
}

// observes proposes what lists show, until ctx ends.
func (g *Guard) observes(ctx context.Context) {
	if g.wait(ctx, g.loaded) != nil {
		return
	}
	room, last, every := observeBurst, time.Now(), g.config.Times.Propose
	for {
		select {
		case <-ctx.Done():
			return
		case <-g.observer.news:
		}
		l, hash := g.observer.take()
		if l == nil {
			continue
		}
		if gained := int(time.Since(last) / every); gained > 0 {
			room, last = min(room+gained, observeBurst), time.Now()
		}
		if room == 0 {
			timer := time.NewTimer(time.Until(last.Add(every)))
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
			room, last = 1, time.Now()
			if newer, h := g.observer.take(); newer != nil {
				l, hash = newer, h
			}
		}
		room--
		if g.closedBy() != nil { // it is said already
			g.observer.back(l)
			continue
		}
		if err := g.config.Crib.Observe(ctx, *l); err != nil {
			if ctx.Err() == nil {
				g.config.Log("what the server lists cannot be proposed: " + err.Error())
			}
			g.observer.back(l)
			continue
		}
		g.observer.mu.Lock()
		g.observer.seen = hash
		g.observer.mu.Unlock()
	}
}
