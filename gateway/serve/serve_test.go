package serve_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
)

// transport returns a transport that connects to the server and does not verify its certificate.
func (s *server) transport() http.RoundTripper {
	if strings.HasPrefix(s.url, "unix:") {
		return nil
	}
	return &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // it is the test's own
}

// TestServe makes every kind of request and receives every response in openapi.json.
func TestServe(t *testing.T) {
	shortrun.OneGoroutine(t)
	t.Parallel()
	h := hub(t)
	p := open(t, tool("get_tides", h, nil), tool("get_winds", h, map[string]any{"approval": map[string]any{"tier": "requires_approval"}}),
		tool("get_waves", h, map[string]any{"limits": map[string]any{"cooldownSeconds": 86400}}), tool("get_moons", h, nil))
	p.configure("[gateway]\nrun_for = \"300ms\"\nhub_timeout = \"200ms\"\n")
	s := p.serve("--http", "127.0.0.1:0", "--bundle")
	t.Run("reports", func(t *testing.T) { s.with(t).reports() })
	t.Run("calls", func(t *testing.T) { s.with(t).callLines() })
	t.Run("bundle", func(t *testing.T) { s.with(t).bundle() })
	t.Run("config", func(t *testing.T) { s.with(t).config() })
	t.Run("catalog", func(t *testing.T) { s.with(t).catalog() })
	t.Run("execute", func(t *testing.T) { s.with(t).calls() })
	t.Run("health", func(t *testing.T) { s.with(t).health() })
	t.Run("doors", func(t *testing.T) { s.with(t).doors() })
	t.Run("events", func(t *testing.T) { s.with(t).news() })
	t.Run("mcp", func(t *testing.T) { s.with(t).mcp() })
	t.Run("no tools", func(t *testing.T) { s.with(t).withoutTools() })
	metAll(t)
	s.stop()
}

// with returns s for a subtest.
func (s *server) with(t *testing.T) *server {
	t.Helper()
	other := *s
	other.TB = t
	return &other
}

const configPath = "/v1/agents/skipper/config"

func (s *server) config() {
	for _, format := range []string{"openai", "anthropic", "mcp", "toolcrib"} {
		status, doc := s.get(configPath + "?channel=telegram&format=" + format)
		names := fmt.Sprint(doc["enabled_actions"])
		tools, _ := doc["tools"].([]any)
		if status != 200 || len(tools) != 4 || names != "[get_moons get_tides get_waves get_winds]" || !strings.Contains(fmt.Sprint(doc["prompt"]), "get_tides") || fmt.Sprint(doc["features"]) != "map[missions_enabled:true]" {
			s.Errorf("%s: %d %v %s", format, status, len(tools), names)
		}
	}
	resp, _ := s.do(s.request("GET", configPath, ""))
	tag := resp.Header.Get("ETag")
	for _, given := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
		if resp, text := s.do(s.request("GET", configPath, "", "If-None-Match", given)); resp.StatusCode != 304 || text != "" || resp.Header.Get("ETag") != tag {
			s.Errorf("%s: %s %q", given, resp.Status, text)
		}
	}
	if status, _ := s.get(configPath, "If-None-Match", `W/"x"`); status != 200 {
		s.Errorf("another tag: %d", status)
	}
	for path, want := range map[string]int{
		configPath + "?format=v0": 400, configPath + "?channel=a%2Fb": 400, configPath + "?db=/etc/passwd": 400, configPath + "?as=user:ada": 400,
		configPath + "?user=eve": 403, configPath + "?user=ada": 200, configPath + "?channel=web&channel=web": 400,
		"/v1/agents/assistant/config": 403, "/v1/agents/agent:user%2Fskipper/config": 403, "/v1/agents/..%2Fskipper/config": 404,
	} {
		if status, doc := s.get(path); status != want {
			s.Errorf("%s: %d %v, want %d", path, status, doc["error"], want)
		}
	}
}

func (s *server) catalog() {
	resp, text := s.do(s.request("GET", "/v1/catalog", ""))
	doc := document(text)
	if tools, _ := doc["tools"].([]any); len(tools) != 4 || resp.Header.Get("ETag") != `W/"`+fmt.Sprint(doc["catalog_hash"])+`"` {
		s.Errorf("%s %v", resp.Status, doc)
	}
	if status, _ := s.get("/v1/catalog", "If-None-Match", resp.Header.Get("ETag")); status != 304 {
		s.Errorf("the same catalog: %d", status)
	}
	now := url.QueryEscape(time.Now().Format(time.RFC3339Nano))
	if status, then := s.get("/v1/catalog?as_of=" + now); status != 200 || then["catalog_hash"] != doc["catalog_hash"] {
		s.Errorf("as of now: %d %v", status, then["catalog_hash"])
	}
	var tag string
	for _, name := range []string{"get_tides", "tides.get_tides"} {
		resp, text := s.do(s.request("GET", "/v1/tools/"+name, ""))
		one, _ := document(text)["tool"].(map[string]any)
		if tag = resp.Header.Get("ETag"); one["subject"] != "tool:user/get_tides" || one["version"] != 1.0 || tag != fmt.Sprintf(`W/"%s"`, one["hash"]) {
			s.Errorf("%s: %s %s", name, resp.Status, text)
		}
	}
	for path, want := range map[string]int{
		"/v1/catalog?as_of=yesterday": 400, "/v1/catalog?as_of=2020-01-01T00:00:00Z": 404, "/v1/tools/nothing": 404, "/v1/tools/delete_tasks": 403, "/v1/tools/get_tides?x=1": 400,
	} {
		if status, doc := s.get(path); status != want {
			s.Errorf("%s: %d %v, want %d", path, status, doc["error"], want)
		}
	}
	if status, _ := s.get("/v1/tools/get_tides", "If-None-Match", tag); status != 304 {
		s.Errorf("the same tool: %d", status)
	}
}

func (s *server) calls() {
	if status, doc := s.post(`{"tool":"tides.get_tides","args":{"harbour":"Husum"},"call_context":{"chat_id":"c"}}`); status != 200 || fmt.Sprint(doc["output"]) != "map[user:ada]" {
		s.Errorf("%d %v", status, doc)
	}
	_, doc := s.post(`{"tool":"get_winds"}`)
	pending, _ := doc["error"].(map[string]any)["pending"].(string)
	s.post(`{"tool":"get_waves"}`)
	for body, want := range map[string]string{
		`{"tool":"get_winds"}`: "202 approval_required", `{"pending":"` + pending + `"}`: "202 approval_required",
		`{"tool":"get_tides","args":{"harbour":7}}`: "400 tool_call_invalid_args", `{"tool":"nothing"}`: "404 tool_call_unknown_tool", `{"tool":"delete_tasks"}`: "403 tool_not_allowed",
		`{"tool":"get_waves"}`: "429 cooldown_active", `{"tool":"get_tides","args":{"fail":"ASK"}}`: "409 provider_approval_required",
		`{"tool":"get_tides","args":{"fail":"NO_TIDES"}}`: "502 NO_TIDES", `{"tool":"get_tides","args":{"fail":"503"}}`: "503 provider_unavailable",
		`{"tool":"get_tides","args":{"fail":"HANG"}}`: "504 provider_timeout", `{"tool":"get_tides","user":"eve"}`: "403 not_allowed", `{"pending":"x"}`: "404 not_found",
		`{`: "400 malformed", ``: "400 malformed", `[]`: "400 malformed", `{"tool":"get_tides","tool":"get_winds"}`: "400 malformed", `{"tool":"get_tides","db":"/etc/passwd"}`: "400 malformed",
		`{"tool":"get_tides","pending":"x"}`: "400 malformed", `{"args":{}}`: "400 malformed", `{"tool":"get_tides","as":"user:ada"}`: "400 malformed", `{"tool":"get_tides"} {}`: "400 malformed",
		strings.Repeat(`[`, 1000): "400 malformed", `{"tool":"get_tides","args":"` + "\xff" + `"}`: "400 malformed",
	} {
		if status, doc := s.post(body); fmt.Sprint(status, " ", code(doc)) != want {
			s.Errorf("%.80q: %d %v, want %s", body, status, doc["error"], want)
		}
	}
	// The server responds before it has read the request, so that clients may not be able to read the reason.
	if status, _ := s.raw(fmt.Sprintf("POST /v1/agents/skipper/execute HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n{", s.secret, 1<<20+1)); status != 413 {
		s.Errorf("a body of a byte more than 1 MiB: %d", status)
	}
	meet("POST", "/v1/agents/{id}/execute", "413")
	s.run("calls", "approve", pending)
	if status, doc := s.post(`{"pending":"` + pending + `"}`); status != 200 || fmt.Sprint(doc["output"]) != "map[user:ada]" {
		s.Errorf("after the approval: %d %v", status, doc)
	}
}

func (s *server) health() {
	for _, path := range []string{"/healthz", "/readyz", "/openapi.json"} {
		r := s.request("GET", path, "")
		r.Header.Del("Authorization")
		if resp, _ := s.do(r); resp.StatusCode != 200 {
			s.Errorf("%s: %s", path, resp.Status)
		}
	}
	resp, text := s.do(s.request("GET", "/metrics", ""))
	for _, want := range []string{
		`toolcrib_requests_total{route="/v1/agents/{id}/config",method="GET",status="304"} 4`, `toolcrib_calls_total{code="ok"} `, `toolcrib_calls_total{code="provider"} 1`, `toolcrib_calls_total{code="provider_timeout"} 1`,
		`toolcrib_request_duration_seconds_bucket{route="/v1/catalog",le="+Inf"} `,
	} {
		if resp.StatusCode != 200 || !strings.Contains(text, want) {
			s.Errorf("no %s in %.3000s", want, text)
		}
	}
}

// doors checks that every path refuses foreign hosts and origins, missing or invalid tokens, and unknown parameters.
func (s *server) doors() {
	for path, methods := range readOpenAPI(s).Paths {
		path = strings.ReplaceAll(path, "{id}", "skipper")
		for method, op := range methods {
			method = strings.ToUpper(method)
			knock := func(want int, change func(*http.Request)) {
				s.Helper()
				r := s.request(method, path, "")
				change(r)
				if resp, text := s.do(r); resp.StatusCode != want || code(document(text)) == "" {
					s.Errorf("%s %s: %s %.200s, want %d", method, path, resp.Status, text, want)
				}
			}
			knock(421, func(r *http.Request) { r.Host = "evil.example" })
			knock(421, func(r *http.Request) { r.Host = "127.0.0.1.evil.example:80" })
			knock(403, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") })
			knock(403, func(r *http.Request) { r.Header.Set("Origin", "null") })
			if op.Security == nil {
				knock(401, func(r *http.Request) { r.Header.Del("Authorization") })
				knock(401, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.secret[:len(s.secret)-1]) })
				knock(401, func(r *http.Request) { r.Header.Set("Authorization", "Basic "+s.secret) })
			}
			if path != "/mcp" && method == "GET" {
				knock(400, func(r *http.Request) { r.URL.RawQuery = "path=/etc/passwd" })
			}
		}
	}
	for _, r := range []*http.Request{
		s.request("DELETE", "/v1/catalog", ""), s.request("POST", configPath, ""), s.request("GET", "/v1/agents/skipper/execute", ""), s.request("TRACE", "/healthz", ""),
	} {
		if resp, text := s.do(r); resp.StatusCode != 405 || resp.Header.Get("Allow") == "" || code(document(text)) == "" {
			s.Errorf("%s %s: %s %s", r.Method, r.URL, resp.Status, text)
		}
	}
	for _, path := range []string{"/", "/v1", "/v1/../v1/catalog", "//v1/catalog", "/v1/catalog/", "/v1/agents/skipper", "/v1/agents//config", "/.git/config", "/%2e%2e/etc/passwd"} {
		if status, text := s.raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.secret + "\r\n\r\n"); status != 404 {
			s.Errorf("%s: %d %s", path, status, text)
		}
	}
}

// raw sends bytes and returns the status and text of the response; the status is 0 if there is none.
func (s *server) raw(text string) (int, string) {
	s.Helper()
	conn, err := new(net.Dialer).DialContext(s.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // nothing is written
	_ = conn.SetDeadline(time.Now().Add(hanging))
	if _, err := conn.Write([]byte(text)); err != nil {
		return 0, err.Error()
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, err.Error()
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Status
}

// withoutTools removes all tools from the agent, and then the agent itself.
func (s *server) withoutTools() {
	agent := func(status string, base int) map[string]any {
		p := proposal("agent:user/skipper", map[string]any{"id": "skipper", "name": "Skipper", "description": "Plans trips at sea.", "allowList": []string{"nothing_there"}})
		p["type"], p["baseVersion"] = "modify", base
		if status != "" {
			p["type"], p["definition"].(map[string]any)["status"] = "deactivate", status
		}
		return p
	}
	s.approve(agent("", 1))
	for _, path := range []string{configPath, "/v1/catalog"} {
		if status, doc := s.get(path); status != 409 || code(doc) != "no_tools" {
			s.Errorf("%s without tools: %d %v", path, status, doc)
		}
	}
	s.approve(agent("deactivated", 2))
	if status, doc := s.get(configPath); status != 404 {
		s.Errorf("without the agent: %d %v", status, doc)
	}
}
