package serve_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/mcp"
	"toolcrib/gateway/serve"
	"toolcrib/gateway/tokens"
	"toolcrib/history"
	"toolcrib/internal/semaphore"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

// slow is a service in which everything that needs a processor blocks until it is released, and is counted by token.
type slow struct {
	serve.Gateway
	serve.Catalog
	mcp.Desk

	letGo chan struct{}
	mu    sync.Mutex
	at    map[string]int // number of requests at work, by token
	most  map[string]int
	came  chan string // token of each request that begins to work
}

// work counts a request while it works.
func (s *slow) work(ctx context.Context, who string) error {
	s.mu.Lock()
	s.at[who]++
	s.most[who] = max(s.most[who], s.at[who])
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.at[who]--
	}()
	s.came <- who
	select {
	case <-s.letGo:
		return proposals.ErrNotFound
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *slow) Load(ctx context.Context, c gateway.Caller, _ time.Time) (serve.Loaded, error) {
	return serve.Loaded{}, s.work(ctx, c.Agent)
}

func (s *slow) Execute(ctx context.Context, c gateway.Caller, _ gateway.Request) (gateway.Result, error) {
	defer semaphore.Outside(ctx)() // like the gateway while a provider works
	return gateway.Result{}, s.work(ctx, "provider of "+c.Agent)
}

func (s *slow) List(ctx context.Context, q review.Query) (review.Page, error) {
	return review.Page{}, s.work(ctx, q.Author)
}

func (s *slow) Check(_ context.Context, secret string) (tokens.Token, error) {
	return tokens.Token{ID: secret, Caller: gateway.Caller{Agent: secret, User: "ada", Actor: proposals.Actor{Kind: proposals.Agent, Name: secret}}}, nil
}

func (s *slow) ByID(ctx context.Context, id string) (tokens.Token, error) { return s.Check(ctx, id) }

func (s *slow) CheckExists() error { return nil }

func (s *slow) Head(context.Context) (event, state int64, err error) { return 1, 1, nil }

func (s *slow) Notices(context.Context, int64, int) ([]gateway.Notice, int64, error) {
	return nil, 1, nil
}

func (s *slow) Wait(ctx context.Context, _ int64, _ time.Duration) int64 {
	<-ctx.Done()
	return 0
}

func (s *slow) State(context.Context) (int64, error) { return 1, nil }

// open starts a server with s and returns a function that sends a request with a token and returns the status.
func (s *slow) open(t *testing.T) (send func(token, method, path, body string) int) {
	t.Helper()
	s.letGo, s.at, s.most, s.came = make(chan struct{}), map[string]int{}, map[string]int{}, make(chan string, 1000)
	server := serve.New(serve.Config{
		Tokens: s, Gateway: s, Log: s, Catalog: s, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Documents: mcp.Documents{Fault: func(err error) mcp.Fault { return mcp.Fault{Code: "failed", Message: err.Error()} }},
		MCP: func(c gateway.Caller, turn mcp.Turn) (*mcp.Server, error) {
			return mcp.New(mcp.Config{Desk: s, Registry: approvedNothing{s}, As: c.Actor, Caller: c, Turn: turn, Documents: mcp.Documents{Fault: func(err error) mcp.Fault { return mcp.Fault{Message: err.Error()} }}})
		},
	})
	web := httptest.NewServer(server.Handler(t.Context()))
	t.Cleanup(web.Close)
	return func(token, method, path, body string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, web.URL+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0
		}
		for key, value := range map[string]string{
			"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "list_proposals",
		} {
			req.Header.Set(key, value)
		}
		resp, err := web.Client().Do(req)
		if err != nil {
			return 0 // the test has ended
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		return resp.StatusCode
	}
}

// approvedNothing is the registry of a server without approvals.
type approvedNothing struct{ *slow }

func (approvedNothing) List(context.Context, string) (registry.Live, error) {
	return registry.Live{}, proposals.ErrNotFound
}

func (approvedNothing) Files(context.Context) ([]registry.Live, error) { return nil, nil }

func (approvedNothing) Version(context.Context, registry.Subject, int) (history.Version, error) {
	return history.Version{}, proposals.ErrNotFound
}

// TestOneTokenWorksItsShare sends the maximum number of requests with one token, over HTTP and MCP. Only its share of
// them may work at once, another token must be served meanwhile, and requests that wait for a provider must let
// others work.
func TestOneTokenWorksItsShare(t *testing.T) {
	shortrun.OneGoroutine(t)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_proposals","arguments":{"author":"greedy"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	s := &slow{}
	send := s.open(t)
	var all sync.WaitGroup
	var busy atomic.Int64
	share := semaphore.Share()
	for range 20 {
		all.Go(func() { // these only wait for their provider
			send("greedy", http.MethodPost, "/v1/agents/greedy/execute", `{"tool":"get_tides","args":{}}`)
		})
	}
	for range 20 {
		if who := <-s.came; who != "provider of greedy" {
			t.Fatalf("%s works", who)
		}
	}
	for i := range 60 {
		all.Go(func() {
			status := 0
			if i%2 == 0 {
				status = send("greedy", http.MethodGet, fmt.Sprintf("/v1/catalog?as_of=2026-01-01T00:00:%02dZ", i%60), "")
			} else {
				status = send("greedy", http.MethodPost, "/mcp", call)
			}
			if status == http.StatusServiceUnavailable {
				busy.Add(1)
			}
		})
	}
	for range share {
		if who := <-s.came; who != "greedy" {
			t.Fatalf("%s works", who)
		}
	}
	all.Go(func() { send("quiet", http.MethodGet, "/v1/catalog?as_of=2026-01-01T00:00:00Z", "") })
	for who := ""; who != "quiet"; { // immediately, despite the waiting requests of the other token
		if who = <-s.came; who == "greedy" {
			t.Fatal("more than its share of the greedy token works")
		}
	}
	close(s.letGo)
	all.Wait()
	if s.most["greedy"] != share || s.most["quiet"] != 1 || s.most["provider of greedy"] != 20 || busy.Load() != 0 {
		t.Errorf("at once: %v, %d turned away; want %d of the greedy token", s.most, busy.Load(), share)
	}
}
