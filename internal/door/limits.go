package door

import (
	"bytes"
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
