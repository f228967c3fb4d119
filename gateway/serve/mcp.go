package serve

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"toolcrib/gateway/mcp"
	"toolcrib/gateway/tokens"
)

const mcpPath = mcp.Path

// client is a token's own MCP endpoint: its sessions are out of reach of every
// other token.
type client struct {
	token tokens.Token
	serve http.Handler
	stop  context.CancelFunc
	uses  int   // requests under way
	used  int64 // sequence number of the last use
}

// clientKey identifies the token and user for which an endpoint calls tools.
type clientKey struct{ token, user string }

// clients caches the MCP endpoints that were requested.
type clients struct {
	ctx context.Context // of the server: its end is theirs

	mu   sync.Mutex
	all  map[clientKey]*client
	used int64 // of the last request
}

// Limits of endpoints, together and of one token. One more ends the one
// that was not used for longest: of the token, or of who has the most.
const (
	maxClients      = 256
	maxClientsOfOne = 64
)

// mcp is the MCP endpoint. The revision of the protocol and everything else are
// those of toolcrib mcp.
func (s *Server) mcp(q *request) error {
	caller, err := q.forUser(q.text("user", ""))
	if err != nil {
		return err
	}
	c, err := s.clients.begin(clientKey{q.token.ID, caller.User}, func() (*client, error) { return s.newClient(q, caller.User) })
	if err != nil {
		return err
	}
	defer s.clients.done(c)
	c.serve.ServeHTTP(q.w, q.r)
	return nil
}

// begin returns the endpoint for a request, a new one if there is none.
func (c *clients) begin(key clientKey, create func() (*client, error)) (*client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one, ok := c.all[key]
	if !ok {
		if !c.makeRoom(key.token) {
			return nil, problem(http.StatusServiceUnavailable, "busy", "too many MCP clients; try again later")
		}
		var err error
		if one, err = create(); err != nil {
			return nil, err
		}
		if c.all == nil {
			c.all = map[clientKey]*client{}
		}
		c.all[key] = one
	}
	c.used++
	one.uses, one.used = one.uses+1, c.used
	return one, nil
}

// done ends a request.
func (c *clients) done(one *client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.uses--
}

// makeRoom ends an endpoint where there may be no more; false when all are in use.
func (c *clients) makeRoom(token string) bool {
	of := map[string]int{}
	for key := range c.all {
		of[key.token]++
	}
	from := token
	switch {
	case of[token] >= maxClientsOfOne:
	case len(c.all) < maxClients:
		return true
	default:
		for other, n := range of {
			if n > of[from] {
				from = other
			}
		}
	}
	var oldest clientKey
	found := false
	for key, one := range c.all {
		if key.token == from && one.uses == 0 && (!found || one.used < c.all[oldest].used) {
			oldest, found = key, true
		}
	}
	if found {
		c.all[oldest].stop()
		delete(c.all, oldest)
	}
	return found
}

func (s *Server) newClient(q *request, user string) (*client, error) {
	caller := q.caller
	caller.User = user
	server, err := s.config.MCP(caller, s.turnOf(q.token.ID))
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(s.clients.ctx)
	return &client{token: q.token, serve: server.Endpoint(ctx), stop: stop}, nil
}

// turnOf returns how the calls of a token's sessions take turns with its other requests.
// A client can go away and leave its calls behind, so those that wait are counted.
func (s *Server) turnOf(token string) mcp.Turn {
	return func(ctx context.Context) (context.Context, func(), error) {
		if !s.budgets.calls.Enter(token) {
			return nil, nil, errors.New("too many calls at once; try again later")
		}
		held, done, ok := s.work.Hold(ctx, token)
		if !ok {
			s.budgets.calls.Leave(token)
			return nil, nil, ctx.Err()
		}
		return held, func() {
			done()
			s.budgets.calls.Leave(token)
		}, nil
	}
}

// end closes the endpoints of tokens for which drop returns true.
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
