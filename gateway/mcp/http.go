// This file implements the HTTP endpoint, its access control, and its limits.

package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/internal/httpserver"
)

// Path is the URL path of the endpoint.
const Path = "/mcp"

// sessionless is the first revision of the protocol without sessions.
const sessionless = "2026-07-28"

// HTTP contains the access rules for connections over HTTP.
type HTTP struct {
	Token string // bearer token that every request must have
	// Origins contains the origins of web pages that may connect, such as "https://example.com". Web pages of this
	// machine can always connect.
	Origins []string
}

// Handler returns the endpoint for clients with the token h.Token. It refuses requests without this token, and requests
// from web pages with an origin that h does not permit.
func (s *Server) Handler(h HTTP) http.Handler {
	next, want := s.endpoint(), sha256.Sum256([]byte(h.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, origin := range r.Header.Values("Origin") {
			if !httpserver.OriginAllowed(origin, h.Origins) {
				refuse(w, http.StatusForbidden, "this origin is not allowed; allow the origin with toolcrib mcp --allow-origin")
				return
			}
		}
		shown, _ := httpserver.Bearer(r)
		got := sha256.Sum256([]byte(shown))
		if h.Token == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="toolcrib"`)
			refuse(w, http.StatusUnauthorized, "a bearer token is required; at startup, toolcrib mcp prints the token or the name of the token file")
			return
		}
		if !httpserver.Admit(r, "") {
			refuse(w, http.StatusServiceUnavailable, "too many connections with the token; close unused connections, or try again later")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Endpoint returns a handler that does not check tokens. The caller must authenticate requests before it passes them to
// the handler. When ctx is done, all sessions end.
func (s *Server) Endpoint(ctx context.Context) http.Handler {
	s.follow(ctx)
	context.AfterFunc(ctx, func() {
		for session := range s.sdk.Sessions() {
			_ = session.Close() // the client may have disconnected
		}
	})
	return s.endpoint()
}

// endpoint returns the handler of Path. The handler selects the revision of the protocol by the Mcp-Protocol-Version
// header, because clients with and without sessions use the same path.
func (s *Server) endpoint() http.Handler {
	get := func(*http.Request) *sdk.Server { return s.sdk }
	withSessions := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{SessionTimeout: 30 * time.Minute, MaxRequestBodyBytes: maxMessage})
	without := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true})
	mux := http.NewServeMux()
	mux.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
			without.ServeHTTP(w, r)
			return
		}
		withSessions.ServeHTTP(w, r)
	})
	return s.limit(mux)
}

// ServeHTTP serves clients on l until ctx is done. After that, running calls have a short time to complete.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, h HTTP) error {
	if h.Token == "" {
		return errors.New("mcp: an HTTP endpoint needs a bearer token")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.follow(ctx)
	if err := httpserver.Serve(ctx, httpserver.Server(s.Handler(h)), l); err == nil || ctx.Err() == nil {
		return fmt.Errorf("mcp: %w", err)
	}
	return ctx.Err()
}

// limit returns a handler that enforces the limits of the endpoint, which apply to all clients together. The handler
// refuses excess requests and invalid bodies, reads the body of each accepted request, and calls next.
func (s *Server) limit(next http.Handler) http.Handler {
	requests := make(chan struct{}, 512) // semaphore for open requests, including notification streams
	large := make(chan struct{}, 8)      // semaphore for requests of more than heavyArguments bytes
	full := func() bool {
		sessions := 0
		for range s.sdk.Sessions() {
			sessions++
		}
		return sessions >= 1000
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case requests <- struct{}{}:
			defer func() { <-requests }()
		default:
			refuse(w, http.StatusServiceUnavailable, "too many requests at once; try again later")
			return
		}
		if r.Method == http.MethodPost {
			if r.Header.Get("Mcp-Session-Id") == "" && r.Header.Get("Mcp-Protocol-Version") < sessionless && full() {
				refuse(w, http.StatusServiceUnavailable, "too many sessions; end unused sessions, or try again later")
				return
			}
			if r.ContentLength < 0 || r.ContentLength > heavyArguments {
				ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
				defer cancel()
				select {
				case large <- struct{}{}:
					defer func() { <-large }()
				case <-ctx.Done():
					refuse(w, http.StatusServiceUnavailable, "too many large requests at once; try again later")
					return
				}
			}
			if err := httpserver.ReadBody(w, r, maxMessage); err != nil {
				refuse(w, err.Status, err.Reason)
				return
			}
			if !s.checkBody(w, r) {
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// checkBody reports whether checkMessage accepts the body of r. If not, checkBody also refuses the request. It waits
// for a Turn, because parsing a message can be as expensive as processing it.
func (s *Server) checkBody(w http.ResponseWriter, r *http.Request) bool {
	if s.config.Turn != nil {
		_, done, err := s.config.Turn(r.Context())
		if err != nil {
			refuse(w, http.StatusServiceUnavailable, err.Error())
			return false
		}
		defer done()
	}
	body, err := io.ReadAll(r.Body) // ReadBody has read the body into memory
	r.Body = io.NopCloser(bytes.NewReader(body))
	if text := bytes.TrimSpace(body); err != nil || len(text) == 0 || text[0] == '[' && json.Valid(text) {
		return true // an empty body, or a batch, which the SDK accepts in some revisions
	}
	refused, id := checkMessage(body)
	if refused != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(refusal(id, refused)) // fails only if the client has disconnected
	}
	return refused == nil
}

// refuse responds with an error and closes the connection without reading the rest of the request.
func refuse(w http.ResponseWriter, status int, why string) {
	httpserver.Reject(w)
	http.Error(w, why, status)
}
