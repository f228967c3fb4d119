// The HTTP server and its configuration.

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

// Tokens identifies the holder of a secret.
type Tokens interface {
	// Check returns the token with the given secret. It returns tokens.ErrToken if there is no valid one.
	Check(ctx context.Context, secret string) (tokens.Token, error)
	// ByID returns the token with an id. It returns tokens.ErrToken if there is no valid one.
	ByID(ctx context.Context, id string) (tokens.Token, error)
}

// Gateway contains the actions of agents at run time.
type Gateway interface {
	Describe(ctx context.Context, c gateway.Caller, name string) (gateway.Description, error)
	Execute(ctx context.Context, c gateway.Caller, r gateway.Request) (gateway.Result, error)
	// Outcome returns the outcome of a call that waited for the user.
	Outcome(ctx context.Context, c gateway.Caller, pending string) (gateway.Result, error)
}

// Log is the audit log.
type Log interface {
	// Head returns the numbers of the newest event and of the state of the registry.
	Head(ctx context.Context) (event, state int64, err error)
	// Notices returns at most limit notices after an event, the oldest first, and the event up to which they are
	// complete.
	Notices(ctx context.Context, after int64, limit int) (found []gateway.Notice, upTo int64, err error)
	// CheckExists returns nil if the database is still the file that was opened.
	CheckExists() error
	// Wait returns when another process may have committed a transaction, or after the interval every if the database
	// does not announce changes. seen is the previous result, initially 0.
	Wait(ctx context.Context, seen int64, every time.Duration) (told int64)
}

// Catalog reads approved definitions for applications.
type Catalog interface {
	// Load returns the agent of a caller and its tools, including deferred ones, as of a time. The zero time means
	// now.
	Load(ctx context.Context, c gateway.Caller, asOf time.Time) (Loaded, error)
	// Encode encodes tools as an array in a format. It also returns the parts that the format cannot represent.
	Encode(ctx context.Context, tools []Definition, f Format) (array []byte, left []string, err error)
	// PromptInput returns the input for the prompts of the agent, without the time and the user.
	PromptInput(ctx context.Context, c gateway.Caller) (prompt.Input, error)
	// Known adds the stored data of a caller's user to a context.
	Known(ctx context.Context, c gateway.Caller, to *prompt.Context) error
}

// Config configures a server.
type Config struct {
	Tokens  Tokens
	Gateway Gateway
	Log     Log
	Catalog Catalog
	// MCP returns the MCP server for a caller. Its requests wait for their Turn.
	MCP       func(gateway.Caller, mcp.Turn) (*mcp.Server, error)
	Documents mcp.Documents

	Version string // version of toolcrib
	Now     func() time.Time
	Logger  *slog.Logger
	// Host reports whether requests may name a host; nil permits all. A web page with a name that resolves to this
	// server (DNS rebinding) cannot hide that name.
	Host func(string) bool
	// Origins are the origins of web pages that may connect, besides those of this machine.
	Origins []string
	// Peers maps uids to ids of tokens. A request without a token over a Unix socket has the token of its peer's
	// account.
	Peers map[int]string
	// Publish returns the live registry for machines that follow it. It is nil if the server does not offer the
	// registry.
	Publish func(ctx context.Context) (Published, error)
	// Report converts the report of a follower to proposals, as the agent of the token. It returns their number, and an
	// error if it refuses some of them. It is not called concurrently, and is nil if the server accepts no reports.
	Report func(ctx context.Context, t tokens.Token, r follow.Report) (made int, err error)
	// Calls keeps lines of the call log of a follower, for the holder of a token. The error wraps follow.ErrChain if they
	// do not continue its earlier ones. It is nil if the server keeps none.
	Calls func(ctx context.Context, t tokens.Token, lines follow.CallLines) error
	// Metrics writes additional metrics; nil for none.
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

// New returns a server.
func New(c Config) *Server {
	return &Server{config: c, clients: clients{all: map[clientKey]*client{}}, metrics: &metrics{version: c.Version, start: c.Now(), requests: map[requestLabels]int64{}, took: map[string]*histogram{}, calls: map[string]int64{}}, work: semaphore.New(semaphore.Unlimited, semaphore.Share()), budgets: budgets{
		requests: semaphore.New(512, 128), large: semaphore.New(4, 2), events: semaphore.New(3072, 512), listens: semaphore.New(512, 128), calls: semaphore.New(512, 128),
	}}
}

// Serve serves clients on a listener until ctx is done or the database is gone, and returns the cause. It uses TLS if
// web is configured for it. At the end, running calls have a short time to complete; streams end at once.
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
	case <-time.After(time.Second): // lets calls with closed connections record their outcome
	}
	if cause := context.Cause(ctx); errors.Is(err, context.Canceled) && cause != nil {
		err = cause
	}
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("serve: %w", err)
}

// Handler returns the server's handler. Sessions end when ctx is done.
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
			return problem(http.StatusMethodNotAllowed, "method_not_allowed", "this path takes "+allow)
		}}))
	}
	elsewhere := s.guard(route{pattern: "/", open: true, handle: func(*request) error {
		return problem(http.StatusNotFound, "not_found", "unknown path; /openapi.json lists the paths")
	}})
	mux.Handle("/", elsewhere)
	return s.observe(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path.Clean(r.URL.Path) { // the mux would redirect such a path
			elsewhere.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
}
