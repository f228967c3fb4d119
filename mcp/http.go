package mcp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the endpoint is.
const Path = "/mcp"

// sessionless is the first revision of the protocol without sessions.
const sessionless = "2026-07-28"

// How long clients may take or stay away.
const (
	headerTime  = 10 * time.Second
	idleSession = 30 * time.Minute
	closingTime = 3 * time.Second
)

// HTTP says who may connect over HTTP.
type HTTP struct {
	Token string // every request carries it as a bearer token
	// Origins are the web pages that may connect, besides those of this
	// machine: "https://example.com".
	Origins []string
}

// Handler returns the endpoint: the revision of the protocol is that of the
// request's Mcp-Protocol-Version header, so that clients with sessions and
// without are served side by side.
func (s *Server) Handler(h HTTP) http.Handler {
	get := func(*http.Request) *sdk.Server { return s.sdk }
	withSessions := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{SessionTimeout: idleSession, MaxRequestBodyBytes: maxMessage})
	without := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true})
	mux := http.NewServeMux()
	mux.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
			without.ServeHTTP(w, r)
			return
		}
		withSessions.ServeHTTP(w, r)
	})
	return limitWrites(h.guard(s.limiter().hold(mux)))
}

// guard lets in only who has the token and is no page of another origin.
func (h HTTP) guard(next http.Handler) http.Handler {
	want := sha256.Sum256([]byte("Bearer " + h.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, origin := range r.Header.Values("Origin") {
			if !h.welcome(origin) {
				turnAway(w, http.StatusForbidden, "this origin may not connect; toolcrib mcp --allow-origin names those that may")
				return
			}
		}
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if h.Token == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="toolcrib"`)
			turnAway(w, http.StatusUnauthorized, "a bearer token is needed; toolcrib mcp says where it is")
			return
		}
		if !admitted(r) {
			turnAway(w, http.StatusServiceUnavailable, "too many connections with the token; close those that are not used, or try again later")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// welcome reports whether a page of an origin may connect.
func (h HTTP) welcome(origin string) bool {
	if slices.Contains(h.Origins, origin) {
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

// serve returns a server for what comes through a door.
func serve(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ConnContext: announce, ReadHeaderTimeout: headerTime, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
}

// ServeHTTP serves clients on a listener until ctx ends. Calls that are under
// way then have a moment to come to their end.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, h HTTP) error {
	if h.Token == "" {
		return errors.New("mcp: an HTTP endpoint needs a bearer token")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.follow(ctx)
	web := serve(s.Handler(h))
	served := make(chan error, 1)
	go func() { served <- web.Serve(newDoor(l)) }()
	select {
	case err := <-served:
		return fmt.Errorf("mcp: %w", err)
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer cancel()
	if web.Shutdown(closing) != nil {
		_ = web.Close() // streams of notifications stay open until they are cut
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("mcp: %w", err)
	}
	return ctx.Err()
}
