// This file defines the routes of the server, and implements the handlers that are not in separate files.

package serve

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/gateway"
	"toolcrib/gateway/mcp"
	"toolcrib/gateway/tokens"
	"toolcrib/internal/visible"
	"toolcrib/registry/jsondoc"
)

// route is a method and a path of the server. The file openapi.json describes the routes.
type route struct {
	method  string // "" for every method
	pattern string
	query   []string // permitted query parameters
	open    bool     // requires no token
	stream  bool     // does not count against budgets.requests, because it remains open for a long time or is cheap
	handle  func(*request) error
}

// request contains the state of a request that the server is processing.
type request struct {
	w      http.ResponseWriter
	r      *http.Request
	token  tokens.Token
	caller gateway.Caller // caller of the token
	// event is the number of the newest event when the request was authenticated, and state is the state of the
	// registry at that time.
	event, state int64
}

// table returns the routes of the server.
func (s *Server) table() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{method: get, pattern: "/v1/agents/{id}/config", query: []string{"channel", "format", "user"}, handle: s.agentConfig},
		{method: post, pattern: "/v1/agents/{id}/execute", handle: s.execute},
		{method: get, pattern: "/v1/catalog", query: []string{"as_of"}, handle: s.catalog},
		{method: get, pattern: "/v1/tools/{id}", handle: s.tool},
		{method: get, pattern: "/v1/events", query: []string{"after"}, stream: true, handle: s.events},
		{method: get, pattern: bundlePath, stream: true, handle: s.bundle},
		{method: get, pattern: bundlePath + "/{file...}", stream: true, handle: s.bundle},
		{method: post, pattern: "/v1/reports", handle: s.reports},
		{method: post, pattern: "/v1/calls", handle: s.receiveCalls},
		{pattern: mcpPath, query: []string{"user"}, stream: true, handle: s.mcp},
		{method: get, pattern: "/openapi.json", open: true, handle: s.openapi},
		{method: get, pattern: "/healthz", open: true, handle: s.healthy},
		{method: get, pattern: "/readyz", open: true, handle: s.ready},
		{method: get, pattern: "/metrics", handle: s.writeMetrics},
	}
}

// checkQuery returns an error if the request has an unknown or repeated query parameter.
func (r route) checkQuery(q *request) error {
	for key, values := range q.r.URL.Query() {
		if !slices.Contains(r.query, key) {
			known := "none"
			if len(r.query) > 0 {
				known = strings.Join(r.query, ", ")
			}
			return problem(http.StatusBadRequest, "usage", "unknown parameter "+jsondoc.Quote(key)+"; known parameters: "+known)
		}
		if len(values) > 1 {
			return problem(http.StatusBadRequest, "usage", "duplicate parameter "+key)
		}
	}
	return nil
}

// text returns the value of a query parameter, or fallback if the value is empty.
func (q *request) text(key, fallback string) string {
	return cmp.Or(q.r.URL.Query().Get(key), fallback)
}

// forUser returns the caller of a request. named is the user in the request, or "". If the token is valid only for a
// certain user, named must be "" or this user. If the token is valid for any user, named must not be "".
func (q *request) forUser(named string) (gateway.Caller, error) {
	c := q.caller
	switch {
	case named == "" && c.User == "":
		return c, problem(http.StatusBadRequest, "usage", "the token is valid for any user, so the request must specify a user")
	case named == "" || named == c.User:
		return c, nil
	case c.User != "":
		return c, problem(http.StatusForbidden, "not_allowed", "the token is valid for another user only")
	case utf8.RuneCountInString(named) > gateway.MaxCallerText || strings.TrimSpace(named) != named || !visible.Clean(named) || visible.Line(named) != named:
		return c, problem(http.StatusBadRequest, "usage", "the name of a user must have 1 to 200 visible characters")
	}
	c.User = named
	return c, nil
}

// bind parses the JSON body of a request into dst, and returns the problems of the body, such as unknown fields. The
// body may have more nesting levels than a single document; around is the number of additional levels.
func (q *request) bind(dst any, around int) (jsondoc.Problems, error) {
	text, err := io.ReadAll(q.r.Body)
	if err != nil {
		return nil, err
	}
	n, err := jsondoc.Parse(text, jsondoc.Limits{Bytes: maxBody, Depth: jsondoc.DefaultLimits.Depth + around})
	if err != nil {
		return nil, err
	}
	return jsondoc.Bind(n, jsondoc.Root, dst), nil
}

//go:embed openapi.json
var openapiJSON []byte

// openapi handles GET /openapi.json.
func (s *Server) openapi(q *request) error {
	write(q.w, 200, openapiJSON)
	return nil
}

// healthy handles GET /healthz. Any response shows that the process is running.
func (s *Server) healthy(q *request) error { return answer(q.w, map[string]string{"status": "ok"}) }

// ready handles GET /readyz. It responds with an error if the database cannot be read.
func (s *Server) ready(q *request) error {
	if err := s.head(q); err != nil {
		return err
	}
	return answer(q.w, map[string]string{"status": "ok"})
}

// docCall is the body of a call: a tool with its arguments, or the id of a call
// that waited for the user.
type docCall struct {
	Tool string          `json:"tool"` // An id, alias or wire name
	Args json.RawMessage `json:"args"`
	User string          `json:"user"` // Only with a token for any user
	// The reason for the call, for the eval gate and the hub: user_message, chat_id, conversation_id, mission_id,
	// confidence, context.
	CallContext json.RawMessage `json:"call_context"`
	// The id of a pending call, to get its outcome. No other key except user is allowed with
	// pending.
	Pending string `json:"pending"`
}

// execute handles POST /v1/agents/{id}/execute. It runs a call of a tool, or responds with the outcome of a pending
// call.
func (s *Server) execute(q *request) error {
	if err := q.checkAgent(); err != nil {
		return err
	}
	var in docCall
	ps, err := q.bind(&in, 0)
	switch {
	case err != nil:
		return err
	case len(ps) > 0:
	case in.Pending != "" && (in.Tool != "" || in.Args != nil || in.CallContext != nil):
		ps.Append(jsondoc.Problem{Path: "pending", Message: "cannot be combined with tool, args or call_context, because pending polls the outcome of an earlier call"})
	case in.Pending == "" && in.Tool == "":
		ps.Append(jsondoc.Problem{Path: "tool", Message: "missing"})
	}
	if err := ps.Err(); err != nil {
		return err
	}
	caller, err := q.forUser(in.User)
	if err != nil {
		return err
	}
	var r gateway.Result
	if in.Pending != "" {
		r, err = s.config.Gateway.Outcome(q.r.Context(), caller, in.Pending)
	} else {
		call := gateway.Request{Tool: in.Tool, Args: in.Args}
		if call.CallContext, err = gateway.ParseCallContext(in.CallContext); err != nil {
			return err
		}
		r, err = s.config.Gateway.Execute(q.r.Context(), caller, call)
	}
	s.metrics.called(err)
	if err != nil {
		return err
	}
	return answer(q.w, mcp.NewRun(r))
}
