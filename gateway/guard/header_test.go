package guard_test

import (
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"

	"toolcrib/gateway/guard"
)

func TestHeaderVariables(t *testing.T) {
	for name, want := range map[string]string{
		"Authorization":  "TOOLCRIB_HEADER_Authorization",
		"authorization":  "TOOLCRIB_HEADER_authorization",
		"X-API-Key":      "TOOLCRIB_HEADER_X_API_Key",
		"x_api_key":      "TOOLCRIB_HEADER_x__5fapi__5fkey",
		"a--b":           "TOOLCRIB_HEADER_a___2db",
		"a-_5f":          "TOOLCRIB_HEADER_a___5f5f",
		"trailing-":      "TOOLCRIB_HEADER_trailing_",
		"!#$%&'*+.^`|~9": "TOOLCRIB_HEADER___21__23__24__25__26__27__2a__2b__2e__5e__60__7c__7e9",
	} {
		got := guard.HeaderVariable(name)
		if got != want {
			t.Errorf("%s is carried by %s, want %s", name, got, want)
		}
		if back, ok := guard.HeaderName(got); !ok || back != name {
			t.Errorf("%s reads as %q, %v", got, back, ok)
		}
	}
	for _, variable := range []string{"TOOLCRIB_HEADER_", "TOOLCRIB_HEADERS_X", "toolcrib_header_X", "TOOLCRIB_HEADER_a__41b", "TOOLCRIB_HEADER_a__2Db", "PATH"} {
		if name, ok := guard.HeaderName(variable); ok {
			t.Errorf("%s carries the header %q", variable, name)
		}
	}
}

// TestHeaderValues checks the examples of the protocol.
func TestHeaderValues(t *testing.T) {
	r := &remote{}
	marked := `{"name":"emit","description":"It is emit.","inputSchema":{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"Count"},"b":{"type":"boolean","x-mcp-header":"Dry"},
		"in":{"type":"object","properties":{"text":{"type":"string","x-mcp-header":"Text"}}},"plain":{"type":"string"},"null":{"type":"string","x-mcp-header":"Null"}}}}`
	s := modernFar(t, r, marked)
	for i, c := range []struct{ region, want string }{
		{`us-west1`, "us-west1"},
		{`Hello, 世界`, "=?base64?SGVsbG8sIOS4lueVjA==?="},
		{` padded `, "=?base64?IHBhZGRlZCA=?="},
		{`line1\nline2`, "=?base64?bGluZTEKbGluZTI=?="},
		{`=?base64?literal?=`, "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
	} {
		s.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"emit","arguments":{"region":"%s","n":42.0,"b":false,"in":{"text":"deep"},"plain":"x","null":null},`+modernMeta+`}}`, i, c.region)
		for !strings.Contains(s.next(), "late") { // last line of its stream
		}
		r.mu.Lock()
		h := r.headers[len(r.headers)-1]
		r.mu.Unlock()
		if got := h.Get("Mcp-Param-Region"); got != c.want {
			t.Errorf("%q is sent as %q", c.region, got)
		}
		if h.Get("Mcp-Param-Count") != "42" || h.Get("Mcp-Param-Dry") != "false" || h.Get("Mcp-Param-Text") != "deep" || h.Get("Mcp-Name") != "emit" || h.Get("Mcp-Method") != "tools/call" {
			t.Errorf("the headers are %v", h)
		}
		if _, ok := h["Mcp-Param-Null"]; ok {
			t.Errorf("the headers are %v", h)
		}
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"modern"},"io.modelcontextprotocol/clientCapabilities":{}}`

// modernFar starts a guard for a server over HTTP with one approved tool, and a client that does not perform a
// handshake.
func modernFar(t *testing.T, r *remote, raw string) *session {
	t.Helper()
	raw = strings.NewReplacer("\n", "", "\t", "").Replace(raw)
	r.tools = "[" + raw + "]"
	web := httptest.NewServer(r)
	t.Cleanup(web.Close)
	s := &session{t: t, registry: newFakeRegistry(raw), lines: make(chan string, 1000), logs: make(chan string, 1000), status: make(chan int, 1), times: patient()}
	s.start(guard.NewEndpoint(web.URL+"/mcp", nil))
	return s
}

func TestEveryHeaderNameComesBack(t *testing.T) {
	const alphabet = "aB9-_!.~25fd"
	seen := map[string]string{}
	for range 100_000 {
		var b strings.Builder
		for range 1 + rand.IntN(8) {
			b.WriteByte(alphabet[rand.IntN(len(alphabet))])
		}
		name, variable := b.String(), guard.HeaderVariable(b.String())
		if back, ok := guard.HeaderName(variable); !ok || back != name {
			t.Fatalf("%q is carried by %s and reads as %q, %v", name, variable, back, ok)
		}
		if other, ok := seen[variable]; ok && other != name {
			t.Fatalf("%q and %q are both carried by %s", name, other, variable)
		}
		seen[variable] = name
	}
}

func TestHeadersOfAnEnvironment(t *testing.T) {
	h := guard.Headers([]string{"PATH=/bin", "TOOLCRIB_HEADER_Authorization=Bearer a=b", "TOOLCRIB_HEADER_X_Empty="})
	if len(h) != 2 || h.Get("Authorization") != "Bearer a=b" || h.Values("X-Empty")[0] != "" {
		t.Errorf("the headers are %v", h)
	}
}
