// This file proposes changes in a server's list, and sends requests of the guard to the server.

package guard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"golang.org/x/time/rate"

	"toolcrib/gateway/texts"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// observeBurst is the number of lists that the observer proposes without a delay. It proposes further lists at
// intervals of Times.Propose. Otherwise, a server that changes its list constantly could flood the queue of proposals.
const observeBurst = 3

// observer passes the server's lists to Backend.Observe, which proposes the differences from the approved tools.
type observer struct {
	config Config
	news   chan struct{}

	mu     sync.Mutex
	latest *Listing
	seen   string // hash of the last proposed list
}

// put stores l for the next proposal. It replaces a list that has not been proposed yet.
func (o *observer) put(l Listing) {
	o.mu.Lock()
	o.latest = &l
	o.mu.Unlock()
	o.wake()
}

// putBack stores a list again after an attempt to propose it has failed. It does nothing if put has stored a newer
// list.
func (o *observer) putBack(l *Listing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.latest = cmp.Or(o.latest, l)
}

// wake causes run to propose the stored list.
func (o *observer) wake() {
	select {
	case o.news <- struct{}{}:
	default:
	}
}

// nextListing removes and returns the stored list and its hash. It returns nil if no list is stored, or if the list
// equals the last proposed list.
func (o *observer) nextListing() (l *Listing, hash string) {
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

// run proposes each list that is passed to put. It returns when ctx is done. If the approved tools cannot be read, run
// retains the latest list for a later attempt.
func (o *observer) run(ctx context.Context, a *approvals) {
	if wait(ctx, a.loaded) != nil {
		return
	}
	limit := rate.NewLimiter(rate.Every(o.config.Times.Propose), observeBurst)
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.news:
		}
		l, hash := o.nextListing()
		if l == nil {
			continue
		}
		if limit.Wait(ctx) != nil {
			return
		}
		if newer, h := o.nextListing(); newer != nil {
			l, hash = newer, h
		}
		if _, closed := a.get(); closed != nil { // followApprovals has reported the error
			o.putBack(l)
			continue
		}
		if err := o.config.Backend.Observe(ctx, *l); err != nil {
			if ctx.Err() == nil {
				o.config.Log("cannot propose the changes in the server's list: " + err.Error())
			}
			o.putBack(l)
			continue
		}
		o.mu.Lock()
		o.seen = hash
		o.mu.Unlock()
	}
}

// proposeLast proposes the stored list at the end of the session, because a client may disconnect before run has
// proposed the list. ctx may already be done.
func (o *observer) proposeLast(ctx context.Context, a *approvals) {
	select {
	case <-a.loaded:
	default:
		return
	}
	l, _ := o.nextListing()
	if _, closed := a.get(); l == nil || closed != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.config.Times.Stop)
	defer cancel()
	if err := o.config.Backend.Observe(ctx, *l); err != nil {
		o.config.Log("cannot propose the changes in the server's list: " + err.Error())
	}
}

// errNoTools indicates that the server does not support tools.
var errNoTools = errors.New("the server has no tools")

// requester sends requests of the guard to the server.
type requester struct {
	conn    *Conn
	session *session
	limit   time.Duration // time limit for a complete list
}

// errSilent indicates that the server did not respond to a request within the time limit.
var errSilent = errors.New("the server did not answer")

// lists reads the complete list of the server's tools. If the server does not support tools, it returns errNoTools and
// a Listing with only the facts about the server.
func (q *requester) lists(ctx context.Context) (Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, q.limit)
	defer cancel()
	if q.session.facts().handshake && wait(ctx, q.session.introduced) != nil {
		return Listing{}, fmt.Errorf("%w initialize within %s", errSilent, q.limit)
	}
	s := q.session.facts()
	l := Listing{ServerList: wire.ServerList{Server: s.server, Protocol: s.protocol, Capabilities: s.capabilities}}
	if s.toolless {
		return l, errNoTools
	}
	unambiguous := func(ctx context.Context, method string, params *jsondoc.Node) (json.RawMessage, error) {
		result, err := q.request(ctx, method, params)
		if err == nil { // some clients could accept a member TOOLS in place of tools
			m := message{text: result}
			_, _, err = m.page(span{0, len(result)}, toolsList)
		}
		return result, err
	}
	tools, repeats, err := texts.List(ctx, unambiguous, string(toolsList), 1<<20, MaxLine)
	if errors.Is(err, texts.ErrNoMethod) {
		return l, errNoTools
	}
	if err != nil {
		return Listing{}, err
	}
	l.Tools, l.Skipped = wire.Readable(tools)
	if repeats {
		l.Skipped = append(l.Skipped, wire.RepeatedPage)
	}
	return l, nil
}

// request sends a request to the server and returns the result. It adds the _meta of the client's requests to params if
// there was no handshake. It implements texts.Ask.
func (q *requester) request(ctx context.Context, method string, params *jsondoc.Node) (json.RawMessage, error) {
	inside := bytes.TrimSuffix(jsondoc.Canonical(params), []byte("}"))
	if meta := q.session.facts().meta; len(meta) > 0 {
		if len(inside) > 1 {
			inside = append(inside, ',')
		}
		inside = append(append(inside, `"_meta":`...), meta...)
	}
	result, err := q.conn.Call(ctx, method, append(inside, '}'), nil)
	var answered *jsonrpc.Error
	switch {
	case errors.As(err, &answered) && answered.Code == jsonrpc.CodeMethodNotFound:
		err = texts.ErrNoMethod
	case answered != nil:
		err = fmt.Errorf("%w: %s", texts.ErrRefused, clip(answered.Message))
	case err != nil && ctx.Err() != nil:
		err = fmt.Errorf("%w within %s", errSilent, q.limit)
	}
	return result, err
}
