// This file defines an HTTP server with time limits, and limits the number of connections
// of each principal.

package httpserver

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

// bodyTime is the time in which a client must send the body of a request. writeTime is
// the time in which a client must read the data of a single write. closingTime is the
// time that active requests have to finish at shutdown.
const (
	bodyTime    = 30 * time.Second
	writeTime   = 30 * time.Second
	closingTime = 3 * time.Second
)

// Server returns an http.Server that calls h and has the limits of this package.
func Server(h http.Handler) *http.Server {
	limited := func(w http.ResponseWriter, r *http.Request) {
		p := &timedWriter{w, http.NewResponseController(w)}
		p.extend()
		h.ServeHTTP(p, r)
		p.extend()
	}
	keepConn := func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, plain(conn))
	}
	return &http.Server{
		Handler: http.HandlerFunc(limited), ConnContext: keepConn, ConnState: trackIdle,
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
	}
}

// Serve serves the connections that l accepts until ctx is done, and then returns the
// error of ctx. It wraps l in a listener of this package. It uses TLS if web has a TLS
// configuration. At shutdown, active requests have closingTime to finish.
func Serve(ctx context.Context, web *http.Server, l net.Listener) error {
	l = New(l, Limits{Unauthenticated: maxUnauthenticated, Authenticated: maxConnections, Time: 2 * time.Second})
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
		_ = web.Close() // event streams do not end by themselves
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return ctx.Err()
}

// Refusal is the response to a rejected request: the HTTP status and the reason.
type Refusal struct {
	Status int
	Reason string
}

// ReadBody reads the body of r into memory and replaces r.Body with a reader of the data.
// limit is the maximum length of the body in bytes and must be a multiple of 1 MiB. If
// the body is too long or cannot be read, ReadBody returns the Refusal to send to the
// client.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) *Refusal {
	tooLong := &Refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the message is larger than %d MiB", limit>>20)}
	if r.ContentLength > limit {
		return tooLong
	}
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTime)) // fails only without a network connection
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, exceeded := errors.AsType[*http.MaxBytesError](err); exceeded {
		return tooLong
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Refusal{http.StatusRequestTimeout, "the client did not send the whole message in time"}
	case err != nil:
		return &Refusal{http.StatusBadRequest, "cannot read the message"}
	}
	_ = deadline.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// Reject makes the server close the connection after the response to the current request,
// without reading the rest of the request.
func Reject(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Second))
	w.Header().Set("Connection", "close")
}

// OriginAllowed reports whether web pages with the given origin can use the server. This
// is the case for all origins on this machine, and for the origins in named, such as
// "https://example.com".
func OriginAllowed(origin string, named []string) bool {
	if slices.Contains(named, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && Loopback(u.Hostname())
}

// Loopback reports whether host, the host name or IP address in a URL, denotes this
// machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// timedWriter is a response writer that limits the time of each write to writeTime, but
// not the total time of a response. The server therefore closes the connection of a
// client that stops reading.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *timedWriter) extend() {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTime)) // fails only without a network connection
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

// Unwrap returns the wrapped response writer. http.ResponseController calls it.
func (p *timedWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// members contains the authenticated connections of a listener, and is guarded by the
// lock of the listener. If a new connection would exceed the limit of its principal, the
// longest idle connection of this principal is closed. If it would exceed the total
// limit, an idle connection of the principal with the most connections is closed.
type members struct {
	seats int
	count int
	of    map[string]*principal
}

// principal contains the connections that were authenticated with the same token or key.
type principal struct {
	name  string
	count int
	idle  list.List // elements are *clientConn; the connection that has been idle longest is first
}

// join adds v to the connections of the given principal. If this would exceed a limit,
// join removes another connection, which is idle, and the caller must close the idle
// connection. If there is no idle connection to remove, ok is false.
func (m *members) join(v *clientConn, who string) (idle *clientConn, ok bool) {
	m.leave(v)
	p := m.of[who]
	if p == nil {
		p = &principal{name: who}
	}
	share := m.seats // maximum number of connections of this principal
	if who != "" {
		share = max(m.seats/4, 1)
	}
	if p.count >= share {
		if idle = p.longestIdle(); idle == nil {
			return nil, false
		}
	} else if m.count >= m.seats {
		if idle = m.largest().longestIdle(); idle == nil {
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

// longestIdle returns the connection that has been idle longest, or nil if no connection
// is idle.
func (p *principal) longestIdle() *clientConn {
	if p == nil || p.idle.Len() == 0 {
		return nil
	}
	return p.idle.Front().Value.(*clientConn)
}

// largest returns the principal with the most connections among the principals with an
// idle connection. It returns nil if no connection is idle.
func (m *members) largest() *principal {
	var most *principal
	for _, p := range m.of {
		if p.idle.Len() > 0 && (most == nil || p.count > most.count) {
			most = p
		}
	}
	return most
}

// leave removes v from the connections of its principal. It does nothing if v is not
// authenticated.
func (m *members) leave(v *clientConn) {
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

func (m *members) setIdle(v *clientConn, idle bool) {
	switch {
	case v.principal == nil || idle == (v.idleEntry != nil):
	case idle:
		v.idleEntry = v.principal.idle.PushBack(v)
	default:
		v.principal.idle.Remove(v.idleEntry)
		v.idleEntry = nil
	}
}

// Bearer returns the bearer token of a request. ok is false if the request has no bearer
// token. The name of the scheme is case-insensitive, and several spaces may follow the
// name (RFC 9110, section 11.4).
func Bearer(r *http.Request) (token string, ok bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimLeft(token, " ")
	return token, ok && token != "" && strings.EqualFold(scheme, "Bearer")
}
