// This file implements the checks that a request must pass before its handler runs.

package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"toolcrib/gateway/mcp"
	"toolcrib/gateway/tokens"
	"toolcrib/internal/httpserver"
	"toolcrib/internal/semaphore"
	"toolcrib/internal/unixsocket"
	"toolcrib/registry/jsondoc"
)

// Limits of request bodies, in bytes. Parsed arguments require a hundred times their length in memory. Therefore, only
// a few bodies larger than largeBody are processed at the same time.
const (
	maxBody   = 1 << 20
	largeBody = 64 << 10
)

// guard returns an HTTP handler for the route r. It authorizes each request, calls the handler of the route, and
// converts an error to an error response.
func (s *Server) guard(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		s.running.Add(1)
		defer s.running.Done()
		q := &request{w: w, r: hr}
		if o, ok := hr.Context().Value(recorderKey{}).(*responseRecorder); ok {
			o.route, o.request = r.pattern, q
		}
		if err := s.authorize(r, q); err != nil {
			refuse(w, s.answerTo(hr.Context(), err))
		}
	})
}

// authorize checks a request and then calls the handler of the route.
func (s *Server) authorize(r route, q *request) error {
	host := strings.Trim(q.r.Host, "[]")
	if name, _, err := net.SplitHostPort(q.r.Host); err == nil {
		host = name
	}
	if s.config.Host != nil && !s.config.Host(host) { // DNS rebinding: a web page has changed its host name to resolve to this server
		return rejected(http.StatusMisdirectedRequest, "host", "this server does not accept requests for the host "+jsondoc.Quote(host))
	}
	for _, origin := range q.r.Header.Values("Origin") {
		if !httpserver.OriginAllowed(origin, s.config.Origins) {
			return rejected(http.StatusForbidden, "origin", "this origin is not allowed; allow the origin with toolcrib serve --allow-origin")
		}
	}
	if !r.open {
		if err := s.authenticate(q); err != nil {
			return err
		}
	}
	if r.pattern != mcpPath { // the MCP handler checks the parameters itself
		if err := r.checkQuery(q); err != nil {
			return err
		}
	}
	if !r.stream {
		room := s.budgets.requests
		if r.pattern == mcpPath && q.r.Method == http.MethodGet {
			room = s.budgets.listens
		}
		if !room.TryAcquire(q.token.ID) {
			return rejected(http.StatusServiceUnavailable, "busy", "too many requests at once; try again later")
		}
		defer room.Release(q.token.ID)
	}
	if q.r.Method == http.MethodPost && (q.r.ContentLength < 0 || q.r.ContentLength > largeBody) {
		ctx, cancel := context.WithTimeout(q.r.Context(), 10*time.Second)
		defer cancel()
		if !s.budgets.large.Acquire(ctx, q.token.ID) {
			return rejected(http.StatusServiceUnavailable, "busy", "too many large requests at once; try again later")
		}
		defer s.budgets.large.Release(q.token.ID)
	}
	if r.pattern != mcpPath && q.r.Method == http.MethodPost {
		if r := httpserver.ReadBody(q.w, q.r, maxBody); r != nil {
			return rejected(r.Status, "body", r.Reason)
		}
	}
	if r.open || r.stream {
		return r.handle(q)
	}
	return s.runInTurn(q, r.handle)
}

// runInTurn waits for the token's turn and then calls run. Turns limit the number of requests that use a processor at
// the same time. The turn is released while the response is sent to the client.
func (s *Server) runInTurn(q *request, run func(*request) error) error {
	ctx, done, ok := s.work.Hold(q.r.Context(), q.token.ID)
	if !ok {
		return q.r.Context().Err()
	}
	defer done()
	held := *q
	held.r, held.w = q.r.WithContext(ctx), answerWriter{q.w, semaphore.Writer(ctx, q.w)}
	return run(&held)
}

// answerWriter is an http.ResponseWriter that writes the body to another writer.
type answerWriter struct {
	http.ResponseWriter
	body io.Writer
}

// Write implements io.Writer.
func (w answerWriter) Write(p []byte) (int, error) { return w.body.Write(p) }

// Unwrap returns the underlying response writer, for http.ResponseController.
func (w answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func rejected(status int, code, message string) error {
	return &refusal{status: status, fault: mcp.Fault{Code: code, Message: message}, close: true}
}

// authenticate sets the token, the caller, and the newest event of q. It returns an error if the request has no valid
// token.
func (s *Server) authenticate(q *request) error {
	shown, ok := httpserver.Bearer(q.r)
	find := s.config.Tokens.Check
	if !ok {
		// For a connection over a Unix socket, the configuration assigns a token to the account of the peer.
		if conn, local := httpserver.Conn(q.r).(unixsocket.Conn); local && q.r.Header["Authorization"] == nil {
			shown, ok = s.config.Peers[conn.UID]
		}
		if !ok {
			return rejected(http.StatusUnauthorized, "token_missing", "the request has no token; send the header \"Authorization: Bearer TOKEN\" (to create a token, run `toolcrib tokens create AGENT`)")
		}
		find = s.config.Tokens.ByID
	}
	err := s.head(q)
	if err != nil {
		return err
	}
	q.token, err = find(q.r.Context(), shown)
	if errors.Is(err, tokens.ErrToken) {
		s.metrics.refused.Add(1)
		return rejected(http.StatusUnauthorized, "token_invalid", err.Error())
	}
	if err != nil {
		return err
	}
	q.caller = q.token.Caller
	if !httpserver.Admit(q.r, q.token.ID) {
		return rejected(http.StatusServiceUnavailable, "busy", "too many requests with this token, or in total; wait for responses, or try again later")
	}
	return nil
}

// head sets q.event and q.state to the current values. It returns an error if the database cannot be read.
func (s *Server) head(q *request) error {
	err := s.config.Log.CheckExists()
	if err == nil {
		q.event, q.state, err = s.config.Log.Head(q.r.Context())
	}
	if err != nil && q.r.Context().Err() == nil {
		s.config.Logger.Error("the database cannot be read", "error", err.Error())
		return problem(http.StatusServiceUnavailable, "no_database", "the database cannot be read; the log of the server contains the cause")
	}
	return err
}
