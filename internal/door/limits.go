package door

import (
	"bytes"
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// Time limits of clients: for the head of a request, for its body, to read the
// answer, and between two requests.
const (
	headerTime  = 10 * time.Second
	bodyTime    = 30 * time.Second
	writeTime   = 30 * time.Second
	idleTime    = time.Minute
	closingTime = 3 * time.Second
)

// maxHeader limits the head of a request, in bytes.
const maxHeader = 64 << 10

// Server returns a server for the connections of a door.
func Server(h http.Handler) *http.Server {
	return &http.Server{Handler: limitWrites(h), ConnContext: announce, ConnState: watch, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader}
}

// Serve serves the connections of a door until ctx ends, and returns how ctx
// ended: over TLS when the server has a configuration for it. Requests under way
// then have a moment to end.
func Serve(ctx context.Context, web *http.Server, l net.Listener) error {
	l = New(l)
	if web.TLSConfig != nil {
		l = tls.NewListener(l, web.TLSConfig)
	}
	served := make(chan error, 1)
	go func() { served <- web.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer cancel()
	if web.Shutdown(closing) != nil {
		_ = web.Close() // streams of notifications stay open until they are cut
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return ctx.Err()
}

// Refusal is why a request is not taken.
type Refusal struct {
	Status int
	Why    string
}

// ReadBody puts the body of a request in memory. It returns why that cannot be,
// nil when it is there.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64) *Refusal {
	tooLong := &Refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("a message has at most %s", size(most))}
	if r.ContentLength > most {
		return tooLong
	}
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTime)) // where there are none, there is no network
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var exceeded *http.MaxBytesError
	switch {
	case errors.As(err, &exceeded):
		return tooLong
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Refusal{http.StatusRequestTimeout, "the rest of the message did not come"}
	case err != nil:
		return &Refusal{http.StatusBadRequest, "the message cannot be read to its end"}
	}
	_ = deadline.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// size writes a number of bytes.
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// TurnAway ends the connection of a request after its answer, without waiting
// for what its client may still have to say.
func TurnAway(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Second))
	w.Header().Set("Connection", "close")
}

// Welcome reports whether a page of an origin may connect: one of this machine,
// or one of those that are named, such as "https://example.com".
func Welcome(origin string, named []string) bool {
	if slices.Contains(named, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && Loopback(u.Hostname())
}

// Loopback reports whether a host is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// limitWrites closes connections of clients that do not read, however long the
// answer takes to come: every write has a time limit of its own, and so has the
// server's output before and after the handler.
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

// shares is among how many the seats are divided: nobody has more than this part of
// them, unless one token is for everybody.
const shares = 4

// members are the authenticated connections of a door. Beyond the share of their
// principal, and beyond all seats, a further one closes one that is idle: that of the
// principal for longest, or of the one who has the most. The door's lock guards them.
type members struct {
	seats int
	count int
	of    map[string]*principal
}

// principal has the connections of one token or key.
type principal struct {
	name  string
	count int
	idle  list.List // of *visitor, the one that rests for longest first
}

// share returns how many connections a principal may have.
func (m *members) share(who string) int {
	if who == "" {
		return m.seats
	}
	return max(m.seats/shares, 1)
}

// join makes a connection one of a principal. It returns the idle connection that had
// to leave, which is to be closed, and false when none was idle.
func (m *members) join(v *visitor, who string) (idle *visitor, ok bool) {
	m.leave(v)
	p := m.of[who]
	if p == nil {
		p = &principal{name: who}
	}
	if p.count >= m.share(who) {
		if idle = p.longest(); idle == nil {
			return nil, false
		}
	} else if m.count >= m.seats {
		if idle = m.largest().longest(); idle == nil {
			return nil, false
		}
	}
	if idle != nil {
		m.leave(idle)
		idle.closed = true
	}
	if m.of == nil {
		m.of = map[string]*principal{}
	}
	m.of[who] = p
	v.principal = p
	p.count++
	m.count++
	return idle, true
}

// longest returns the connection that is idle for longest, nil when none is.
func (p *principal) longest() *visitor {
	if p == nil || p.idle.Len() == 0 {
		return nil
	}
	v, _ := p.idle.Front().Value.(*visitor)
	return v
}

// largest returns who has the most connections, one of which is idle; nil when none
// is.
func (m *members) largest() *principal {
	var most *principal
	for _, p := range m.of {
		if p.idle.Len() > 0 && (most == nil || p.count > most.count) {
			most = p
		}
	}
	return most
}

// leave takes a connection from its principal.
func (m *members) leave(v *visitor) {
	p := v.principal
	if p == nil {
		return
	}
	m.setIdle(v, false)
	v.principal = nil
	m.count--
	if p.count--; p.count == 0 {
		delete(m.of, p.name)
	}
}

func (m *members) setIdle(v *visitor, idle bool) {
	switch {
	case v.principal == nil || idle == (v.rest != nil):
	case idle:
		v.rest = v.principal.idle.PushBack(v)
	default:
		v.principal.idle.Remove(v.rest)
		v.rest = nil
	}
}

// Bearer returns the bearer token of a request; false when it has none. The name of the
// scheme is the same in every case, and any number of spaces follows it (RFC 9110, 11.4).
func Bearer(r *http.Request) (token string, ok bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimLeft(token, " ")
	return token, ok && token != "" && strings.EqualFold(scheme, "Bearer")
}
