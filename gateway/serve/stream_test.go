package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// stream is an open event stream.
type stream struct {
	*server
	resp *http.Response
	from *bufio.Scanner
}

// listen opens an event stream.
func (s *server) listen(path string, header ...string) *stream {
	s.Helper()
	resp, err := (documented{s}).RoundTrip(s.request(http.MethodGet, path, "", header...))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		s.Fatal(resp.Status)
	}
	return &stream{s, resp, bufio.NewScanner(resp.Body)}
}

// next returns the id, the name and the data of the next event, empty at the end of the stream.
func (e *stream) next() (id, event string, data map[string]any) {
	for e.from.Scan() {
		key, value, _ := strings.Cut(e.from.Text(), ": ")
		switch key {
		case "id":
			id = value
		case "event":
			event = value
		case "data":
			if err := json.Unmarshal([]byte(value), &data); err != nil {
				e.Error(err)
			}
			return id, event, data
		}
	}
	return "", "", nil
}

// news checks that events from other processes are received.
func (s *server) news() {
	live := s.listen("/v1/events")
	s.approve(tool("get_stars", "http://hub.invalid", nil))
	id, event, data := live.next()
	if event != "approval" || data["subject"] != "tool:user/get_stars" || data["version"] != 1.0 || len(fmt.Sprint(data["content_hash"])) != 64 {
		s.Errorf("%s %s %v", id, event, data)
	}
	gone := tool("get_stars", "http://hub.invalid", map[string]any{"status": "deactivated"})
	gone["type"], gone["baseVersion"] = "deactivate", 1
	s.approve(gone)
	if _, event, data := live.next(); event != "deactivation" || data["version"] != 2.0 {
		s.Errorf("%s %v", event, data)
	}
	// Pending calls of other agents are not sent.
	other := *s
	other.secret, _ = s.token("--name", "mate", "--user", "ada")
	other.post(`{"tool":"get_winds","args":{"harbour":"Emden"}}`)
	_, doc := s.post(`{"tool":"get_winds","args":{"harbour":"Kiel"}}`)
	pending := doc["error"].(map[string]any)["pending"]
	if _, event, data := live.next(); event != "pending_call" || data["pending"] != pending || data["user"] != "ada" {
		s.Errorf("%s %v", event, data)
	}
	s.run("calls", "refuse", fmt.Sprint(pending), "--note", "No.")
	if _, event, data := live.next(); event != "call_answer" || data["pending"] != pending || data["approved"] != false {
		s.Errorf("%s %v", event, data)
	}
	// Clients that reconnect receive all later events again.
	for _, again := range []*stream{s.listen("/v1/events?after=" + id), s.listen("/v1/events?after=0", "Last-Event-ID", id)} {
		if _, event, _ := again.next(); event != "deactivation" {
			s.Errorf("after %s comes %s", id, event)
		}
	}
	for _, path := range []string{"/v1/events?after=x", "/v1/events?after=-1"} {
		if status, _ := s.get(path); status != 400 {
			s.Errorf("%s: %d", path, status)
		}
	}
	s.revocation()
}

// revocation revokes a token with an open stream.
func (s *server) revocation() {
	other := *s
	var id string
	other.secret, id = s.token("--name", "mate")
	live := other.listen("/v1/events")
	session, err := other.connect()
	if err != nil {
		s.Fatal(err)
	}
	s.run("tokens", "revoke", id)
	for _, event, _ := live.next(); event != ""; _, event, _ = live.next() {
		s.Logf("before the end comes %s", event)
	}
	if status, doc := other.get(configPath); status != 401 || !strings.Contains(fmt.Sprint(doc), "revoked") {
		s.Errorf("a revoked token: %d %v", status, doc)
	}
	if _, err := session.ListTools(s.Context(), nil); err == nil {
		s.Error("a session of a revoked token goes on")
	}
	if status, _ := s.get(configPath); status != 200 {
		s.Errorf("the other token: %d", status)
	}
}

// connect opens an MCP session with the token.
func (s *server) connect() (*sdk.ClientSession, error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	return client.Connect(s.Context(), &sdk.StreamableClientTransport{
		Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: withToken{documented{s}}}, MaxRetries: -1,
	}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
}

// withToken adds the token to the SDK's requests.
type withToken struct{ documented }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.secret)
	return w.documented.RoundTrip(r)
}

// mcp calls a tool at the MCP endpoint as the token's agent.
func (s *server) mcp() {
	session, err := s.connect()
	if err != nil {
		s.Fatal(err)
	}
	r, err := session.CallTool(s.Context(), &sdk.CallToolParams{Name: "execute_tool", Arguments: map[string]any{"name": "get_tides"}})
	if err != nil || r.IsError {
		s.Errorf("%+v, %v", r, err)
	}
	var log struct {
		Calls []struct{ Actor, Agent, User string }
	}
	if err := json.Unmarshal([]byte(s.run("calls", "log", "--limit", "1", "--json")), &log); err != nil {
		s.Fatal(err)
	}
	if len(log.Calls) != 1 || log.Calls[0].Actor != "agent:skipper" || log.Calls[0].Agent != "skipper" || log.Calls[0].User != "ada" {
		s.Errorf("the audit has %+v", log.Calls)
	}
	ctx, stop := context.WithCancel(s.Context())
	defer stop()
	if _, err := session.ListTools(ctx, nil); err != nil {
		s.Error(err)
	}
	if err := session.Close(); err != nil {
		s.Error(err)
	}
}
