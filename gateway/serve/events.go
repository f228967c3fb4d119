package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"toolcrib/gateway"
	"toolcrib/internal/visible"
)

// docNotice is one event as a stream has it.
type docNotice struct {
	Seq         int64     `json:"seq"` // Of the audit log: a client goes on after it
	At          time.Time `json:"at"`
	Event       string    `json:"event"`
	Subject     string    `json:"subject"`
	Version     int       `json:"version"`
	ContentHash string    `json:"content_hash,omitempty"`
	Pending     string    `json:"pending,omitempty"`  // The id of the call that waits, or was answered
	User        string    `json:"user,omitempty"`     // Of the call
	Approved    *bool     `json:"approved,omitempty"` // Whether the call was
}

// streams wake the event streams that are open.
type streams struct {
	mu   sync.Mutex
	wake chan struct{} // closed when there may be news
}

// news returns a channel that is closed when there may be new events.
func (s *streams) news() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wake == nil {
		s.wake = make(chan struct{})
	}
	return s.wake
}

// tell wakes every stream.
func (s *streams) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wake != nil {
		close(s.wake)
	}
	s.wake = nil
}

// Times and limits of an open stream.
const (
	beatTime   = 15 * time.Second // between two signs of life
	noticePage = 200
)

// events is GET /v1/events: a stream of approvals and waiting calls.
func (s *Server) events(q *request) error {
	after, err := q.after()
	if err != nil {
		return err
	}
	if !s.budgets.events.Enter(q.token.ID) {
		return problem(http.StatusServiceUnavailable, "busy", "too many event streams; close those that are not used")
	}
	defer s.budgets.events.Leave(q.token.ID)
	h := q.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	q.w.WriteHeader(http.StatusOK)
	// Later errors end the stream. The client reconnects and then receives the
	// missed events.
	_ = s.stream(q, after)
	return nil
}

// after is the number of the last event that the client knows; by itself it
// knows all there are.
func (q *request) after() (int64, error) {
	text := cmp.Or(q.r.Header.Get("Last-Event-ID"), q.text("after", strconv.FormatInt(q.event, 10)))
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, problem(http.StatusBadRequest, "usage", "after is "+quote(text)+"; write the number of an event")
	}
	return n, nil
}

// stream writes what happens until the client goes away, its token is not valid
// any more, or the server ends.
func (s *Server) stream(q *request, after int64) error {
	out := http.NewResponseController(q.w)
	if _, err := fmt.Fprint(q.w, "retry: 1000\n\n"); err != nil {
		return err
	}
	beat := time.NewTicker(beatTime)
	defer beat.Stop()
	for changed := true; ; {
		news := s.streams.news()
		if changed {
			if err := s.authenticate(q); err != nil {
				return err
			}
			err := s.byTurn(q, func(q *request) (err error) {
				after, err = s.writeNotices(q.r.Context(), q, after)
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
		case <-beat.C: // without news, the database knows nothing that the token's time does not say
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

// writeNotices writes what happened after an event, as far as the token's agent
// may know, and returns up to which event that is.
func (s *Server) writeNotices(ctx context.Context, q *request, after int64) (int64, error) {
	for {
		found, upTo, err := s.config.Log.Notices(ctx, after, noticePage)
		if err != nil {
			return after, err
		}
		for _, n := range found {
			if !q.concerns(n) {
				continue
			}
			text, err := json.Marshal(newDocNotice(n))
			if err != nil {
				return after, err
			}
			if _, err := fmt.Fprintf(q.w, "id: %d\nevent: %s\ndata: %s\n\n", n.Seq, n.Kind, visible.JSON(text)); err != nil {
				return after, err
			}
		}
		after = max(after, upTo)
		if len(found) < noticePage {
			return after, nil
		}
	}
}

// concerns reports whether the agent of a request's token may receive a notice:
// approvals in its view, and its own calls.
func (q *request) concerns(n gateway.Notice) bool {
	c := q.caller
	if n.Kind == gateway.NoticePending || n.Kind == gateway.NoticeAnswer {
		return n.Caller.Actor == c.Actor && n.Caller.Agent == c.Agent && n.Caller.Layer == c.Layer && (c.User == "" || n.Caller.User == c.User)
	}
	return slices.Contains(c.Layer.View(), n.Subject.Layer)
}

func newDocNotice(n gateway.Notice) docNotice {
	d := docNotice{
		Seq: n.Seq, At: n.At, Event: string(n.Kind), Subject: n.Subject.String(), Version: n.Version, ContentHash: n.ContentHash, Pending: n.Pending, User: n.Caller.User,
	}
	if n.Kind == gateway.NoticeAnswer {
		d.Approved = &n.Approved
	}
	return d
}

// every is how often a server looks whether another process did something, where the
// database does not tell.
const every = 100 * time.Millisecond

// follow looks for what other processes do until ctx ends: it wakes the event
// streams, and ends the sessions of tokens that are not valid any more. It
// returns an error when the database is not there any more.
func (s *Server) follow(ctx context.Context) error {
	last, approved, _ := s.config.Log.Head(ctx) // what cannot be read now is read at the next turn
	newer := make(chan int64, 1)
	ended := make(chan struct{})
	defer func() {
		close(newer)
		<-ended
	}()
	go func() {
		defer close(ended)
		for state := range newer {
			s.refresh(ctx, state)
		}
	}()
	for told := int64(0); ; {
		told = s.config.Log.Wait(ctx, told, every)
		if ctx.Err() != nil {
			return nil
		}
		if err := s.config.Log.There(); err != nil {
			s.config.Logger.Error("the database is gone", "error", err.Error())
			return err
		}
		event, state, err := s.config.Log.Head(ctx)
		if err != nil || event == last && state == approved {
			s.clients.expire(s.config.Now())
			continue
		}
		last = event
		if state != approved {
			select {
			case newer <- state:
				approved = state
			default: // the previous state is being read; the next turn sends this one
			}
		}
		s.streams.tell()
		s.clients.check(ctx, s.config.Tokens)
	}
}
