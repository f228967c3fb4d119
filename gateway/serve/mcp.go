// This file manages the MCP endpoints of the server. Each combination of a token and a user has a separate endpoint.

package serve

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"toolcrib/gateway/mcp"
	"toolcrib/gateway/tokens"
)

const mcpPath = mcp.Path

// client is the MCP endpoint for a token and a user. Clients with other tokens cannot use the sessions of this
// endpoint.
type client struct {
	token tokens.Token
	serve http.Handler
	stop  context.CancelFunc
	uses  int   // number of current requests
	used  int64 // sequence number of the latest request
}

// clientKey identifies an MCP endpoint by the id of the token and the user of the calls.
type clientKey struct{ token, user string }

// clients contains the open MCP endpoints.
type clients struct {
	ctx context.Context // context of the server; the endpoints end when it is done

	mu   sync.Mutex
	all  map[clientKey]*client
	used int64 // sequence number of the latest request
}

// Maximum number of open endpoints, in total and for a token. If either limit is reached, the server closes an endpoint
// before it opens another endpoint. If the token of the request has maxClientsOfOne endpoints, the server closes the
// least recently used endpoint of this token. Otherwise, it closes the least recently used endpoint of the token with
// the most endpoints.
const (
	maxClients      = 256
	maxClientsOfOne = 64
)

// mcp handles requests to the MCP endpoint, which behaves like the HTTP endpoint of the toolcrib mcp command.
func (s *Server) mcp(q *request) error {
	caller, err := q.forUser(q.text("user", ""))
	if err != nil {
		return err
	}
	c, err := s.clients.acquire(clientKey{q.token.ID, caller.User}, func() (*client, error) {
		server, err := s.config.MCP(caller, s.turnOf(q.token.ID))
		if err != nil {
			return nil, err
		}
		ctx, stop := context.WithCancel(s.clients.ctx)
		return &client{token: q.token, serve: server.Endpoint(ctx), stop: stop}, nil
	})
	if err != nil {
		return err
	}
	defer s.clients.release(c)
	c.serve.ServeHTTP(q.w, q.r)
	return nil
}

// acquire returns the endpoint with the given key for a request. If the endpoint does not exist, acquire creates it
// with create. The caller must call release at the end of the request.
func (c *clients) acquire(key clientKey, create func() (*client, error)) (*client, error) {
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
		c.all[key] = one
	}
	c.used++
	one.uses, one.used = one.uses+1, c.used
	return one, nil
}

// release must be called at the end of a request to an acquired endpoint.
func (c *clients) release(one *client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.uses--
}

// makeRoom closes an endpoint if maxClients or maxClientsOfOne is reached. It returns false if it cannot close an
// endpoint, because all candidates are in use.
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

// turnOf returns the mcp.Turn for the endpoints of a token. Calls over MCP share the turns of the token with its other
// requests. The number of waiting calls is limited, because calls continue to wait even if their client has
// disconnected.
func (s *Server) turnOf(token string) mcp.Turn {
	return func(ctx context.Context) (context.Context, func(), error) {
		if !s.budgets.calls.TryAcquire(token) {
			return nil, nil, errors.New("too many calls at once; try again later")
		}
		held, done, ok := s.work.Hold(ctx, token)
		if !ok {
			s.budgets.calls.Release(token)
			return nil, nil, ctx.Err()
		}
		return held, func() {
			done()
			s.budgets.calls.Release(token)
		}, nil
	}
}

// closeWhere closes the endpoints of all tokens for which drop returns true.
func (c *clients) closeWhere(drop func(tokens.Token) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, one := range c.all {
		if drop(one.token) {
			one.stop()
			delete(c.all, key)
		}
	}
}

func (c *clients) open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}
