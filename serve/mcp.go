package serve

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"toolcrib/gateway/tokens"
	"toolcrib/mcp"
)

const mcpPath = mcp.Path

// client is a token's own MCP endpoint: its sessions are out of reach of every
// other token.
type client struct {
	token tokens.Token
	serve http.Handler
	stop  context.CancelFunc
}

// clientKey is on whose behalf an endpoint calls tools.
type clientKey struct{ token, user string }

// clients are the MCP endpoints that were asked for.
type clients struct {
	ctx context.Context // of the server: its end is theirs

	mu  sync.Mutex
	all map[clientKey]*client
}

// maxClients bounds how many endpoints there may be.
const maxClients = 256

// mcp is the MCP endpoint. The revision of the protocol and everything else are
// those of toolcrib mcp.
func (s *Server) mcp(q *request) error {
	caller, err := q.forUser(q.text("user", ""))
	if err != nil {
		return err
	}
	key := clientKey{q.token.ID, caller.User}
	s.clients.mu.Lock()
	c, ok := s.clients.all[key]
	if !ok {
		if len(s.clients.all) >= maxClients {
			s.clients.mu.Unlock()
			return problem(http.StatusServiceUnavailable, "busy", "too many MCP clients; try again later")
		}
		if c, err = s.newClient(q, caller.User); err != nil {
			s.clients.mu.Unlock()
			return err
		}
		if s.clients.all == nil {
			s.clients.all = map[clientKey]*client{}
		}
		s.clients.all[key] = c
	}
	s.clients.mu.Unlock()
	c.serve.ServeHTTP(q.w, q.r)
	return nil
}

func (s *Server) newClient(q *request, user string) (*client, error) {
	caller := q.caller
	caller.User = user
	server, err := s.config.MCP(caller)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(s.clients.ctx)
	return &client{token: q.token, serve: server.Endpoint(ctx), stop: stop}, nil
}

// end closes the endpoints of which drop says so.
func (c *clients) end(drop func(tokens.Token) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, one := range c.all {
		if drop(one.token) {
			one.stop()
			delete(c.all, key)
		}
	}
}

// expire closes the endpoints of tokens that have expired.
func (c *clients) expire(now time.Time) {
	c.end(func(t tokens.Token) bool { return t.InForce(now) != nil })
}

// check closes the endpoints of tokens that were revoked.
func (c *clients) check(ctx context.Context, all Tokens) {
	c.end(func(t tokens.Token) bool {
		_, err := all.ByID(ctx, t.ID)
		return errors.Is(err, tokens.ErrToken)
	})
}

func (c *clients) open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}
