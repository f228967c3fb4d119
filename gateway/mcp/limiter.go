package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"toolcrib/internal/door"
)

// Limits that the clients of an endpoint share. A client beyond them gets an
// error, and the others are served.
const (
	maxRequests = 512 // at once, streams of notifications among them
	maxSessions = 1000
	maxLarge    = 8 // requests of more than heavyArguments bytes at once
)

// turnTime sets how long a client may wait for its turn with a large request.
const turnTime = 10 * time.Second

// limiter keeps clients from taking all the memory there is, and all the time.
type limiter struct {
	requests, large chan struct{}
	full            func() bool // reports whether there may be no more sessions
	work            Turn        // nil for no limit
}

func (s *Server) limiter() *limiter {
	return &limiter{requests: make(chan struct{}, maxRequests), large: make(chan struct{}, maxLarge), work: s.config.Turn, full: func() bool {
		n := 0
		for range s.sdk.Sessions() {
			n++
		}
		return n >= maxSessions
	}}
}

// hold lets a request pass when there is room for it, with its body read.
func (b *limiter) hold(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case b.requests <- struct{}{}:
			defer func() { <-b.requests }()
		default:
			turnAway(w, http.StatusServiceUnavailable, "too many requests at once; try again later")
			return
		}
		if r.Method == http.MethodPost {
			if r.Header.Get("Mcp-Session-Id") == "" && r.Header.Get("Mcp-Protocol-Version") < sessionless && b.full() {
				turnAway(w, http.StatusServiceUnavailable, "too many sessions; end those that are not used, or try again later")
				return
			}
			if r.ContentLength < 0 || r.ContentLength > heavyArguments {
				if !b.turn(r.Context()) {
					turnAway(w, http.StatusServiceUnavailable, "too many large requests at once; try again later")
					return
				}
				defer func() { <-b.large }()
			}
			if err := door.ReadBody(w, r, maxMessage); err != nil {
				turnAway(w, err.Status, err.Why)
				return
			}
			if !b.passable(w, r) {
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// passable is the function of that name, by a turn: reading a message takes as long as
// many of those that it is for.
func (b *limiter) passable(w http.ResponseWriter, r *http.Request) bool {
	if b.work == nil {
		return passable(w, r)
	}
	_, done, err := b.work(r.Context())
	if err != nil {
		turnAway(w, http.StatusServiceUnavailable, err.Error())
		return false
	}
	defer done()
	return passable(w, r)
}

// passable reports whether the message of a request can be passed on, and answers it
// if not.
func passable(w http.ResponseWriter, r *http.Request) bool {
	body, err := io.ReadAll(r.Body) // it is in memory
	r.Body = io.NopCloser(bytes.NewReader(body))
	if text := bytes.TrimSpace(body); err != nil || len(text) == 0 || text[0] == '[' && json.Valid(text) {
		return true // nothing, or a batch, of which the SDK knows which revision has it
	}
	refused, id := checkMessage(body)
	if refused != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(refusal(id, refused)) // an error is one of the client, who went away
	}
	return refused == nil
}

// turn waits until there is room for one more large request; false when it took
// too long.
func (b *limiter) turn(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, turnTime)
	defer cancel()
	select {
	case b.large <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// turnAway refuses a request and ends its connection, without waiting for what
// its client may still have to say.
func turnAway(w http.ResponseWriter, status int, why string) {
	door.TurnAway(w)
	http.Error(w, why, status)
}
