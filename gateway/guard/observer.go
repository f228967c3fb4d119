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

	"toolcrib/gateway/texts"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// observeBurst is how many lists are proposed at once; then one is in every
// Times.Propose. A server that lists something else all the time fills no queue.
const observeBurst = 3

// observer proposes the tools that the server lists.
type observer struct {
	config Config
	news   chan struct{}

	mu     sync.Mutex
	latest *Listing
	seen   string // identifies the last proposed list
}

// put queues a list for the observer.
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
	if hash = registry.HashBytes(append(l.Document(), l.Problem...)); hash == o.seen {
		return nil, ""
	}
	return l, hash
}

// run proposes listed tools, while the approved ones are known, until ctx ends.
func (o *observer) run(ctx context.Context, a *approvals) {
	if wait(ctx, a.loaded) != nil {
		return
	}
	room, last, every := observeBurst, time.Now(), o.config.Times.Propose
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.news:
		}
		l, hash := o.take()
		if l == nil {
			continue
		}
		if gained := int(time.Since(last) / every); gained > 0 {
			room, last = min(room+gained, observeBurst), time.Now()
		}
		if room == 0 {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Until(last.Add(every))):
			}
			room, last = 1, time.Now()
			if newer, h := o.take(); newer != nil {
				l, hash = newer, h
			}
		}
		room--
		if _, closed := a.get(); closed != nil { // already reported
			o.back(l)
			continue
		}
		if err := o.config.Backend.Observe(ctx, *l); err != nil {
			if ctx.Err() == nil {
				o.config.Log("what the server lists cannot be proposed: " + err.Error())
			}
			o.back(l)
			continue
		}
		o.mu.Lock()
		o.seen = hash
		o.mu.Unlock()
	}
}

// last proposes the last list at the end of the session, because a client may disconnect as soon as it has an answer.
// ctx may have ended.
func (o *observer) last(ctx context.Context, a *approvals) {
	select {
	case <-a.loaded:
	default:
		return
	}
	l, _ := o.take()
	if _, closed := a.get(); l == nil || closed != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.config.Times.Stop)
	defer cancel()
	if err := o.config.Backend.Observe(ctx, *l); err != nil {
		o.config.Log("what the server lists cannot be proposed: " + err.Error())
	}
}

// reply is the answer to a request of the guard's own.
type reply struct {
	result json.RawMessage
	list   json.RawMessage // the result with the entries of its list that cannot be read
	err    error
}

// errNoTools reports a server without tools.
var errNoTools = errors.New("the server has no tools")

// inquirer sends the guard's own requests to the server.
type inquirer struct {
	server  Server
	session *session
	limit   time.Duration // for a whole list

	mu    sync.Mutex
	asked map[string]chan reply // by id
}

// maxPages limits the pages of one list.
const maxPages = 1_000

// lists asks the server for all of its tools.
func (q *inquirer) lists(ctx context.Context) (Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, q.limit)
	defer cancel()
	if q.session.facts().shakes && wait(ctx, q.session.introduced) != nil {
		return Listing{}, fmt.Errorf("it did not answer initialize within %s", q.limit)
	}
	s := q.session.facts()
	l := Listing{ServerList: wire.ServerList{Server: s.server, Protocol: s.protocol, Capabilities: s.capabilities}}
	if s.toolless {
		return l, errNoTools
	}
	size, seen := 0, map[string]bool{}
	for cursor := ""; ; {
		params := jsondoc.NewObject()
		if cursor != "" {
			params.Set("cursor", jsondoc.NewString(cursor))
		}
		answer := q.exchange(ctx, toolsList.method(), params)
		switch {
		case errors.Is(answer.err, texts.ErrNoMethod):
			return l, errNoTools
		case answer.err != nil:
			return Listing{}, answer.err
		}
		m := message{text: answer.list}
		list, next, err := m.page(span{0, len(m.text)}, toolsList)
		if err != nil {
			return Listing{}, err
		}
		if err := array(list.of(m.text), lenient, func(value []byte) error {
			l.Tools = append(l.Tools, value)
			return nil
		}); err != nil {
			return Listing{}, err
		}
		size += len(answer.result)
		cursor = m.str(next)
		switch {
		case cursor == "" || seen[cursor]:
			l.Tools, l.Skipped = wire.Readable(l.Tools)
			if cursor != "" {
				l.Skipped = append(l.Skipped, wire.RepeatedPage)
			}
			return l, nil
		case len(seen) == maxPages, size > MaxLine:
			return Listing{}, errors.New("its list is endless")
		}
		seen[cursor] = true
	}
}

// ask implements texts.Ask.
func (q *inquirer) ask(ctx context.Context, method string, params *jsondoc.Node) (json.RawMessage, error) {
	answer := q.exchange(ctx, method, params)
	return answer.result, answer.err
}

// exchange sends one of the guard's own requests. The error of the reply wraps texts.ErrNoMethod or texts.ErrRefused if
// the server answered with an error.
func (q *inquirer) exchange(ctx context.Context, method string, params *jsondoc.Node) reply {
	inside := bytes.TrimSuffix(jsondoc.Canonical(params), []byte("}"))
	if meta := q.session.facts().meta; len(meta) > 0 {
		if len(inside) > 1 {
			inside = append(inside, ',')
		}
		inside = append(append(inside, `"_meta":`...), meta...)
	}
	id := quote("toolcrib-guard-" + rand.Text()) // not predictable
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`+"\n", id, method, append(inside, '}'))
	answer := make(chan reply, 1)
	q.mu.Lock()
	q.asked[idKey(id)] = answer
	q.mu.Unlock()
	defer q.waiter(idKey(id))
	m, err := read(bytes.TrimRight(line, "\n"))
	if err == nil {
		err = q.server.send(ctx, &m, line)
	}
	if err != nil {
		return reply{err: err}
	}
	select {
	case a := <-answer:
		return a
	case <-ctx.Done():
		return reply{err: fmt.Errorf("it did not answer within %s", q.limit)}
	}
}

// codeNoMethod is the code of JSON-RPC 2.0 for an unknown method.
const codeNoMethod = "-32601"

// waiter removes and returns the channel that waits for the answer to one of the guard's own requests, or nil.
func (q *inquirer) waiter(key string) chan<- reply {
	q.mu.Lock()
	defer q.mu.Unlock()
	answer := q.asked[key]
	delete(q.asked, key)
	return answer
}

// replied reports whether a response answers one of the guard's own requests, and delivers it.
func (q *inquirer) replied(key string, m *message) bool {
	answer := q.waiter(key)
	if answer == nil {
		return false
	}
	switch {
	case !m.failure.present():
		r := reply{result: bytes.Clone(m.result.of(m.text)), list: m.unread}
		if r.list == nil {
			r.list = r.result
		}
		answer <- r
	case string(m.member(m.failure, "code").of(m.text)) == codeNoMethod:
		answer <- reply{err: texts.ErrNoMethod}
	default:
		answer <- reply{err: fmt.Errorf("%w: %s", texts.ErrRefused, clip(m.str(m.member(m.failure, "message"))))}
	}
	return true
}
