// This file implements the GET /v1/events endpoint, a stream of events about approvals and pending calls.

package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/tokens"
	"toolcrib/internal/visible"
	"toolcrib/registry/jsondoc"
)

// docNotice is an event of a stream.
type docNotice struct {
	Seq         int64     `json:"seq"` // The number of the event in the audit log. To continue after this event, a client passes the number as after.
	At          time.Time `json:"at"`
	Event       string    `json:"event"`
	Subject     string    `json:"subject"`
	Version     int       `json:"version"`
	ContentHash string    `json:"content_hash,omitempty"`
	Pending     string    `json:"pending,omitempty"`  // The id of the pending call
	User        string    `json:"user,omitempty"`     // The user of the call
	Approved    *bool     `json:"approved,omitempty"` // Whether the user approved the call
}

// streams notifies the open event streams of new events.
type streams struct {
	mu   sync.Mutex
	wake chan struct{} // closed when there may be new events; nil if no stream is waiting
}

// changed returns a channel that is closed when there may be new events.
func (s *streams) changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wake == nil {
		s.wake = make(chan struct{})
	}
	return s.wake
}

// notify closes the channel that changed returned last, which wakes all waiting streams.
func (s *streams) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wake != nil {
		close(s.wake)
	}
	s.wake = nil
}

const (
	beatTime   = 15 * time.Second // interval of the SSE comments that keep an idle stream open
	noticePage = 200
)

// events handles GET /v1/events. It responds with a stream of events about approvals and pending calls.
func (s *Server) events(q *request) error {
	// By default, the stream begins with the next event after the request.
	text := cmp.Or(q.r.Header.Get("Last-Event-ID"), q.text("after", strconv.FormatInt(q.event, 10)))
	after, err := strconv.ParseInt(text, 10, 64)
	if err != nil || after < 0 {
		return problem(http.StatusBadRequest, "usage", "after must be the number of an event (got "+jsondoc.Quote(text)+")")
	}
	if !s.budgets.events.TryAcquire(q.token.ID) {
		return problem(http.StatusServiceUnavailable, "busy", "too many event streams; close unused streams")
	}
	defer s.budgets.events.Release(q.token.ID)
	h := q.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	q.w.WriteHeader(http.StatusOK)
	// Later errors end the stream. The client then reconnects and receives the missed events.
	_ = s.stream(q, after)
	return nil
}

// stream writes the events with numbers greater than seq until the client disconnects, the token becomes invalid, or
// the server shuts down.
func (s *Server) stream(q *request, seq int64) error {
	out := http.NewResponseController(q.w)
	if _, err := fmt.Fprint(q.w, "retry: 1000\n\n"); err != nil {
		return err
	}
	beat := time.NewTicker(beatTime)
	defer beat.Stop()
	for changed := true; ; {
		news := s.streams.changed()
		if changed {
			if err := s.authenticate(q); err != nil {
				return err
			}
			err := s.runInTurn(q, func(q *request) (err error) {
				seq, err = s.writeNotices(q.r.Context(), q, seq)
				return err
			})
			if err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
		changed = true
		select {
		case <-news:
		case <-beat.C: // check for an expired token here, because an expiry, unlike a revocation, is not an event
			changed = false
			if err := q.token.InForce(s.config.Now()); err != nil {
				return err
			}
			if _, err := fmt.Fprint(q.w, ": still here\n\n"); err != nil {
				return err
			}
		case <-q.r.Context().Done():
			return q.r.Context().Err()
		case <-s.clients.ctx.Done():
			return s.clients.ctx.Err()
		}
	}
}

// writeNotices writes the notices with numbers greater than seq that the agent of the token may receive. It returns the
// number of the last event that it has read, including events that the agent may not receive.
func (s *Server) writeNotices(ctx context.Context, q *request, seq int64) (int64, error) {
	for {
		found, upTo, err := s.config.Log.Notices(ctx, seq, noticePage)
		if err != nil {
			return seq, err
		}
		for _, n := range found {
			if !q.mayReceive(n) {
				continue
			}
			d := docNotice{
				Seq: n.Seq, At: n.At, Event: string(n.Kind), Subject: n.Subject.String(), Version: n.Version, ContentHash: n.ContentHash, Pending: n.Pending, User: n.Caller.User,
			}
			if n.Kind == gateway.NoticeAnswer {
				d.Approved = &n.Approved
			}
			text, err := json.Marshal(d)
			if err != nil {
				return seq, err
			}
			if _, err := fmt.Fprintf(q.w, "id: %d\nevent: %s\ndata: %s\n\n", n.Seq, n.Kind, visible.JSON(text)); err != nil {
				return seq, err
			}
		}
		seq = max(seq, upTo)
		if len(found) < noticePage {
			return seq, nil
		}
	}
}

// mayReceive reports whether the agent of the token may receive n. An agent may receive notices of approvals in its
// view, and notices of calls by the agent itself.
func (q *request) mayReceive(n gateway.Notice) bool {
	c := q.caller
	if n.Kind == gateway.NoticePending || n.Kind == gateway.NoticeAnswer {
		return n.Caller.Actor == c.Actor && n.Caller.Agent == c.Agent && n.Caller.Layer == c.Layer && (c.User == "" || n.Caller.User == c.User)
	}
	return slices.Contains(c.Layer.View(), n.Subject.Layer)
}

// every is the interval at which follow polls for events of other processes if the database does not announce them.
const every = 100 * time.Millisecond

// follow waits for events of all processes until ctx is done. After each event, it wakes the event streams. It also
// ends the MCP sessions of tokens that are no longer valid. It returns an error if the database file has been moved,
// deleted, or replaced.
func (s *Server) follow(ctx context.Context) error {
	last, approved, _ := s.config.Log.Head(ctx) // on an error, the first event is treated as a change
	for seen := int64(0); ; {
		seen = s.config.Log.Wait(ctx, seen, every)
		if ctx.Err() != nil {
			return nil
		}
		if err := s.config.Log.CheckExists(); err != nil {
			s.config.Logger.Error("the database is no longer available", "error", err.Error())
			return err
		}
		event, state, err := s.config.Log.Head(ctx)
		if err != nil || event == last && state == approved {
			s.clients.closeWhere(func(t tokens.Token) bool { return t.InForce(s.config.Now()) != nil })
			continue
		}
		last, approved = event, state
		s.streams.notify()
		s.clients.closeWhere(func(t tokens.Token) bool {
			_, err := s.config.Tokens.ByID(ctx, t.ID)
			return errors.Is(err, tokens.ErrToken)
		})
	}
}
