package serve

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"toolcrib/gateway/mcp"
	"toolcrib/gateway/tokens"
	"toolcrib/internal/door"
	"toolcrib/internal/turns"
	"toolcrib/internal/unixsocket"
)

// Bodies of more than largeBody bytes wait until few are under way: arguments take a hundred times their length in memory while they are
// looked at.
const (
	maxBody   = 1 << 20
	largeBody = 64 << 10
	turnTime  = 10 * time.Second // that one may wait
)

// guard lets in only requests that may come in, and answers their errors.
func (s *Server) guard(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		s.running.Add(1)
		defer s.running.Done()
		q := &request{w: w, r: hr}
		label(r, q)
		if err := s.let(r, q); err != nil {
			refuse(w, s.answerTo(hr.Context(), err))
		}
	})
}

// let takes a request past every check, and then to its handler.
func (s *Server) let(r route, q *request) error {
	if err := s.checkSource(q.r); err != nil {
		return err
	}
	if !r.open {
		if err := s.authenticate(q); err != nil {
			return err
		}
	}
	if r.pattern != mcpPath { // which has its own
		if err := r.checkQuery(q); err != nil {
			return err
		}
	}
	if !r.stream {
		room := s.budgets.requests
		if r.pattern == mcpPath && q.r.Method == http.MethodGet {
			room = s.budgets.listens
		}
		if !room.Enter(q.token.ID) {
			return turnedAway(http.StatusServiceUnavailable, "busy", "too many requests at once; try again later")
		}
		defer room.Leave(q.token.ID)
	}
	done, err := s.turn(q)
	if err != nil {
		return err
	}
	defer done()
	if r.pattern != mcpPath && q.r.Method == http.MethodPost {
		if r := door.ReadBody(q.w, q.r, maxBody); r != nil {
			return turnedAway(r.Status, "body", r.Why)
		}
	}
	if r.open || r.stream {
		return r.handle(q)
	}
	return s.byTurn(q, r.handle)
}

// byTurn runs what takes a processor by a turn of the request's token. It gives the turn
// back while a client reads the answer.
func (s *Server) byTurn(q *request, run func(*request) error) error {
	ctx, done, ok := s.work.Hold(q.r.Context(), q.token.ID)
	if !ok {
		return q.r.Context().Err()
	}
	defer done()
	held := *q
	held.r, held.w = q.r.WithContext(ctx), answerWriter{q.w, turns.Writer(ctx, q.w)}
	return run(&held)
}

// answerWriter writes an answer through another writer.
type answerWriter struct {
	http.ResponseWriter
	body io.Writer
}

// Write implements io.Writer.
func (w answerWriter) Write(p []byte) (int, error) { return w.body.Write(p) }

// Unwrap is for http.ResponseController.
func (w answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func turnedAway(status int, code, message string) error {
	return &refusal{status: status, fault: mcp.Fault{Code: code, Message: message}, close: true}
}

// checkSource refuses requests of web pages from other origins, and of pages whose
// own name resolves to this server (DNS rebinding).
func (s *Server) checkSource(r *http.Request) error {
	if host := hostOf(r.Host); s.config.Host != nil && !s.config.Host(host) {
		return turnedAway(http.StatusMisdirectedRequest, "host", "this server does not answer for the host "+quote(host))
	}
	for _, origin := range r.Header.Values("Origin") {
		if !door.OriginAllowed(origin, s.config.Origins) {
			return turnedAway(http.StatusForbidden, "origin", "this origin may not connect; toolcrib serve --allow-origin names those that may")
		}
	}
	return nil
}

// hostOf returns the host of a Host header without its port.
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return host
	}
	return strings.Trim(header, "[]")
}

// authenticate finds out who sent a request, as of now.
func (s *Server) authenticate(q *request) error {
	shown, ok := door.Bearer(q.r)
	find := s.config.Tokens.Check
	if !ok {
		if shown, ok = s.peer(q.r); !ok {
			return turnedAway(http.StatusUnauthorized, "token_missing", "send a token as \"Authorization: Bearer TOKEN\"; `toolcrib tokens create AGENT` makes one")
		}
		find = s.config.Tokens.ByID
	}
	err := s.head(q)
	if err != nil {
		return err
	}
	q.token, err = s.logins.check(q.r.Context(), s.config, shown, q.event, find)
	if errors.Is(err, tokens.ErrToken) {
		s.metrics.refused.Add(1)
		return turnedAway(http.StatusUnauthorized, "token_invalid", err.Error())
	}
	if err != nil {
		return err
	}
	q.caller = q.token.Caller
	if !door.Admit(q.r, q.token.ID) {
		return turnedAway(http.StatusServiceUnavailable, "busy", "too many requests of this token, or of all, are under way; wait for answers, or try again later")
	}
	return nil
}

// peer returns the id of the token that the configuration gives the account of a
// request's peer. A request with an Authorization header counts as that alone.
func (s *Server) peer(r *http.Request) (id string, ok bool) {
	conn, known := door.Conn(r).(unixsocket.Conn)
	if !known || r.Header["Authorization"] != nil {
		return "", false
	}
	id, ok = s.config.Peers[conn.UID]
	return id, ok
}

// head reads the newest event of the database, and fails when the database is
// gone.
func (s *Server) head(q *request) error {
	err := s.config.Log.There()
	if err == nil {
		q.event, q.state, err = s.config.Log.Head(q.r.Context())
	}
	if err != nil && q.r.Context().Err() == nil {
		s.config.Logger.Error("the database cannot be read", "error", err.Error())
		return problem(http.StatusServiceUnavailable, "no_database", "the database cannot be read; the server's log has the reason")
	}
	return err
}

// turn waits until a request with a large body may be read. done is to be called when
// it is not needed any more.
func (s *Server) turn(q *request) (done func(), err error) {
	if q.r.Method != http.MethodPost || q.r.ContentLength >= 0 && q.r.ContentLength <= largeBody {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(q.r.Context(), turnTime)
	defer cancel()
	if !s.budgets.large.Wait(ctx, q.token.ID) {
		return nil, turnedAway(http.StatusServiceUnavailable, "busy", "too many large requests at once; try again later")
	}
	return func() { s.budgets.large.Leave(q.token.ID) }, nil
}

// logins caches valid secrets and ids as of an event: a revocation is an event, so
// older entries no longer count.
type logins struct {
	mu    sync.Mutex
	event int64
	known map[[sha256.Size]byte]tokens.Token
}

// maxLogins bounds how many are remembered.
const maxLogins = 4096

// check returns the token that find has for a secret or an id, as of an event.
func (l *logins) check(ctx context.Context, c Config, shown string, event int64, find func(context.Context, string) (tokens.Token, error)) (tokens.Token, error) {
	key := sha256.Sum256([]byte(shown)) // no secret looks like an id
	if t, ok := l.get(key, event); ok {
		return t, t.InForce(c.Now())
	}
	t, err := find(ctx, shown)
	if err == nil {
		l.put(key, event, t)
	}
	return t, err
}

func (l *logins) get(key [sha256.Size]byte, event int64) (tokens.Token, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.event != event {
		return tokens.Token{}, false
	}
	t, ok := l.known[key]
	return t, ok
}

func (l *logins) put(key [sha256.Size]byte, event int64, t tokens.Token) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if event < l.event {
		return
	}
	if event > l.event || len(l.known) >= maxLogins || l.known == nil {
		l.event, l.known = event, map[[sha256.Size]byte]tokens.Token{}
	}
	l.known[key] = t
}
