// This file defines the HTTP server and its configuration.

package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/follow"
	"toolcrib/gateway/mcp"
	"toolcrib/gateway/tokens"
	"toolcrib/internal/httpserver"
	"toolcrib/internal/semaphore"
	"toolcrib/prompt"
)

// Tokens looks up tokens.
type Tokens interface {
	// Check returns the token with the given secret. It returns tokens.ErrToken if the token does not exist or is not
	// valid.
	Check(ctx context.Context, secret string) (tokens.Token, error)
	// ByID returns the token with the given id. It returns tokens.ErrToken if the token does not exist or is not valid.
	ByID(ctx context.Context, id string) (tokens.Token, error)
}

// Gateway describes and calls approved tools.
type Gateway interface {
	Describe(ctx context.Context, c gateway.Caller, name string) (gateway.Description, error)
	Execute(ctx context.Context, c gateway.Caller, r gateway.Request) (gateway.Result, error)
	// Outcome returns the outcome of the pending call with the given id.
	Outcome(ctx context.Context, c gateway.Caller, pending string) (gateway.Result, error)
}

// Log reads the audit log.
type Log interface {
	// Head returns the number of the newest event and the current state of the registry.
	Head(ctx context.Context) (event, state int64, err error)
	// Notices returns at most limit notices with numbers greater than seq, the oldest first. upTo is the number of
	// the last event that Notices has examined.
	Notices(ctx context.Context, seq int64, limit int) (found []gateway.Notice, upTo int64, err error)
	// CheckExists returns an error if the database file has been moved, deleted, or replaced since it was opened.
	CheckExists() error
	// Wait waits until another process may have committed a transaction. It returns a value that the caller must pass
	// as previous in the next call. In the first call, previous is 0. If the database does not announce changes, Wait
	// returns after interval.
	Wait(ctx context.Context, previous int64, interval time.Duration) int64
}

// Catalog reads approved definitions for applications.
type Catalog interface {
	// Load returns the definitions that the caller's agent has at the time asOf, including deferred tools. If asOf is
	// zero, Load returns the current definitions.
	Load(ctx context.Context, c gateway.Caller, asOf time.Time) (Loaded, error)
	// Encode encodes tools as an array in the format f. left contains the parts that the format cannot represent.
	Encode(ctx context.Context, tools []Definition, f Format) (array []byte, left []string, err error)
	// PromptInput returns the input for the prompts of the caller's agent, without the current time and the user's
	// data.
	PromptInput(ctx context.Context, c gateway.Caller) (prompt.Input, error)
	// Known adds the stored data of the caller's user to the given prompt context.
	Known(ctx context.Context, c gateway.Caller, to *prompt.Context) error
}

// Config configures a server.
type Config struct {
	Tokens  Tokens
	Gateway Gateway
	Log     Log
	Catalog Catalog
	// MCP returns an MCP server for the given caller. The server must use the given mcp.Turn.
	MCP       func(gateway.Caller, mcp.Turn) (*mcp.Server, error)
	Documents mcp.Documents

	Version string // version of toolcrib
	Now     func() time.Time
	Logger  *slog.Logger
	// Host reports whether a request may have the given host name in its Host header. This check protects against DNS
	// rebinding, in which a web page changes its host name to resolve to this server. If Host is nil, all names are
	// permitted.
	Host func(string) bool
	// Origins contains the origins of web pages that may connect. Web pages of this machine can always connect.
	Origins []string
	// Peers maps the uids of accounts to ids of tokens. A request over a Unix socket without a token uses the token of
	// the connected account.
	Peers map[int]string
	// Publish returns the live registry for machines that follow it. If Publish is nil, the server does not publish its
	// registry.
	Publish func(ctx context.Context) (Published, error)
	// Report converts the report of a follower to proposals of the token's agent, and returns the number of new
	// proposals. It returns an error if the report is refused completely or in part. Report is not called concurrently.
	// If Report is nil, the server does not accept reports.
	Report func(ctx context.Context, t tokens.Token, r follow.Report) (made int, err error)
	// Calls stores lines of the call log of a follower that has the token t. It returns follow.ErrChain if the first
	// line does not follow the last stored line of this follower. If Calls is nil, the server does not accept lines.
	Calls func(ctx context.Context, t tokens.Token, lines follow.CallLines) error
	// Metrics writes additional metrics in the text format of Prometheus. It may be nil.
	Metrics func(io.Writer)
}

// Server serves applications. It is safe for concurrent use.
type Server struct {
	config  Config
	metrics *metrics
	views   views
	bundles bundles

	reporting sync.Mutex

	budgets budgets
	work    *semaphore.Semaphore
	streams streams
	clients clients
	running sync.WaitGroup
}

// New returns a server with the given configuration.
func New(c Config) *Server {
	return &Server{config: c, clients: clients{all: map[clientKey]*client{}}, metrics: &metrics{version: c.Version, start: c.Now(), requests: map[requestLabels]int64{}, took: map[string]*histogram{}, calls: map[string]int64{}}, work: semaphore.New(semaphore.Unlimited, semaphore.Share()), budgets: budgets{
		requests: semaphore.New(512, 128), large: semaphore.New(4, 2), events: semaphore.New(3072, 512), listens: semaphore.New(512, 128), calls: semaphore.New(512, 128),
	}}
}

// Serve serves clients on l until ctx is done or the database file is missing, and returns the cause. It uses the HTTP
// server web, with TLS if web has a TLS configuration. At the end, Serve closes streams immediately and gives running
// calls a short time to complete.
func (s *Server) Serve(ctx context.Context, l net.Listener, web *http.Server) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.follow(ctx); err != nil {
			stop(err)
		}
	}()
	err := httpserver.Serve(ctx, web, l)
	stop(nil)
	<-ended
	handlers := make(chan struct{})
	go func() {
		s.running.Wait()
		close(handlers)
	}()
	select {
	case <-handlers:
	case <-time.After(time.Second): // wait until calls with closed connections have recorded their outcomes
	}
	if cause := context.Cause(ctx); errors.Is(err, context.Canceled) && cause != nil {
		err = cause
	}
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("serve: %w", err)
}

// Handler returns the HTTP handler of the server. MCP sessions and event streams end when ctx is done.
func (s *Server) Handler(ctx context.Context) http.Handler {
	s.clients.ctx = ctx
	mux := http.NewServeMux()
	allowed := map[string][]string{}
	for _, r := range s.table() {
		pattern := r.pattern
		if r.method != "" {
			pattern = r.method + " " + r.pattern
			allowed[r.pattern] = append(allowed[r.pattern], r.method)
		}
		mux.Handle(pattern, s.guard(r))
	}
	for pattern, methods := range allowed {
		if slices.Contains(methods, http.MethodGet) {
			methods = append(methods, http.MethodHead)
		}
		allow := strings.Join(methods, ", ")
		mux.Handle(pattern, s.guard(route{pattern: pattern, open: true, handle: func(q *request) error {
			q.w.Header().Set("Allow", allow)
			return problem(http.StatusMethodNotAllowed, "method_not_allowed", "this path accepts only "+allow)
		}}))
	}
	elsewhere := s.guard(route{pattern: "/", open: true, handle: func(*request) error {
		return problem(http.StatusNotFound, "not_found", "unknown path; /openapi.json lists the paths")
	}})
	mux.Handle("/", elsewhere)
	return s.observe(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path.Clean(r.URL.Path) { // otherwise, the mux would redirect to the clean path
			elsewhere.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
}
