package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// What clients may have of an endpoint together. Whoever asks for more is told
// so, and the others are served.
const (
	maxConnections     = 1024 // that have shown the token
	maxUnauthenticated = 4096 // connections that have not
	maxRequests        = 512  // at once, streams of notifications among them
	maxSessions        = 1000
	maxLarge           = 8 // requests of more than heavyArguments bytes at once
)

// How long a client may take for the body of a request, wait for its turn with
// a large one, and take to read what it is sent.
const (
	bodyTime  = 30 * time.Second
	turnTime  = 10 * time.Second
	writeTime = 30 * time.Second
)

// limiter keeps clients from taking all the memory there is, and all the time.
type limiter struct {
	requests, large chan struct{}
	full            func() bool // reports whether there may be no more sessions
}

func (s *Server) limiter() *limiter {
	return &limiter{requests: make(chan struct{}, maxRequests), large: make(chan struct{}, maxLarge), full: func() bool {
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
			if !readBody(w, r) {
				return
			}
		}
		next.ServeHTTP(w, r)
	})
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

// readBody puts the body in memory; false when it has answered the request
// because that cannot be.
func readBody(w http.ResponseWriter, r *http.Request) bool {
	if r.ContentLength > maxMessage {
		turnAway(w, http.StatusRequestEntityTooLarge, "a message has at most 12 MiB")
		return false
	}
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTime)) // where there are none, there is no network
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		turnAway(w, http.StatusRequestEntityTooLarge, "a message has at most 12 MiB")
	case errors.Is(err, os.ErrDeadlineExceeded):
		turnAway(w, http.StatusRequestTimeout, "the rest of the message did not come")
	case err != nil:
		turnAway(w, http.StatusBadRequest, "the message cannot be read to its end")
	}
	if err != nil {
		return false
	}
	_ = deadline.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))
	return true
}

// turnAway refuses a request and ends its connection, without waiting for what
// its client may still have to say.
func turnAway(w http.ResponseWriter, status int, why string) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Second))
	w.Header().Set("Connection", "close")
	http.Error(w, why, status)
}

// limitWrites gives up clients that do not read what they are sent, however long
// the answer takes to come: every write has a time of its own, and so has what
// the server writes before and after the handler.
func limitWrites(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &timedWriter{w, http.NewResponseController(w)}
		p.extend()
		next.ServeHTTP(p, r)
		p.extend()
	})
}

// timedWriter is a writer whose every write may take writeTime.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *timedWriter) extend() {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTime)) // where there are none, there is no network
}

// Write implements http.ResponseWriter.
func (p *timedWriter) Write(text []byte) (int, error) {
	p.extend()
	return p.ResponseWriter.Write(text)
}

// Flush implements http.Flusher.
func (p *timedWriter) Flush() {
	p.extend()
	_ = p.control.Flush()
}

// Unwrap is for http.ResponseController.
func (p *timedWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
