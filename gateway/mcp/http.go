package mcp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/internal/door"
)

// Path is where the endpoint is.
const Path = "/mcp"

// sessionless is the first revision of the protocol without sessions.
const sessionless = "2026-07-28"

// idleSession sets how long a session may stay without a request.
const idleSession = 30 * time.Minute

// HTTP names who may connect over HTTP.
type HTTP struct {
	Token string // every request carries it as a bearer token
	// Origins are the web pages that may connect, besides those of this
	// machine: "https://example.com".
	Origins []string
}

// Handler returns the endpoint for who has the token.
func (s *Server) Handler(h HTTP) http.Handler { return h.guard(s.endpoint()) }

// Endpoint returns the endpoint for clients that somebody else lets in, and
// serves them until ctx ends: their sessions end then.
func (s *Server) Endpoint(ctx context.Context) http.Handler {
	s.follow(ctx)
	context.AfterFunc(ctx, func() {
		for session := range s.sdk.Sessions() {
			_ = session.Close() // the client may be gone
		}
	})
	return s.endpoint()
}

// endpoint returns the endpoint: the revision of the protocol is that of the
// request's Mcp-Protocol-Version header, so that clients with sessions and
// without are served side by side.
func (s *Server) endpoint() http.Handler {
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
	return s.limiter().hold(mux)
}

// guard lets in only who has the token and is not a page of another origin.
func (h HTTP) guard(next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(h.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, origin := range r.Header.Values("Origin") {
			if !door.Welcome(origin, h.Origins) {
				turnAway(w, http.StatusForbidden, "this origin may not connect; toolcrib mcp --allow-origin names those that may")
				return
			}
		}
		shown, _ := door.Bearer(r)
		got := sha256.Sum256([]byte(shown))
		if h.Token == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="toolcrib"`)
			turnAway(w, http.StatusUnauthorized, "a bearer token is needed; toolcrib mcp prints it or its file")
			return
		}
		if !door.Admit(r, "") {
			turnAway(w, http.StatusServiceUnavailable, "too many connections with the token; close those that are not used, or try again later")
			return
		}
		next.ServeHTTP(w, r)
	})
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
	if err := door.Serve(ctx, door.Server(s.Handler(h)), l); err == nil || ctx.Err() == nil {
		return fmt.Errorf("mcp: %w", err)
	}
	return ctx.Err()
}
