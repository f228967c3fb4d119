package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestCheckMessage refuses what the SDK would round, half read, or answer with names
// of its own types (C52).
func TestCheckMessage(t *testing.T) {
	for text, want := range map[string]int64{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`: 0, `{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`: 0, `{"jsonrpc":"2.0","method":"notifications/initialized"}`: 0,
		`{"jsonrpc":"2.0","id":"9007199254740993","method":"ping","params":{}}`: 0, `{"jsonrpc":"2.0","id":1,"method":"odd","params":7}`: 0,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":7}}`: 0, // the tool tells
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`:                            -32600, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`: -32600,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`: -32700, `{`: -32700, `7`: -32700,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}`: -32602, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`: -32602,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`: -32602,
	} {
		refused, _ := checkMessage([]byte(text))
		switch {
		case refused == nil && want != 0, refused != nil && refused.Code != want:
			t.Errorf("%s: %v, want %d", text, refused, want)
		case refused != nil && (strings.Contains(refused.Message, "mcp.") || strings.Contains(refused.Message, "Go ")):
			t.Errorf("%s: %s", text, refused.Message)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(text))
		w := httptest.NewRecorder()
		if passes := passable(w, r); passes != (want == 0) || !passes && (w.Code != 400 || !strings.Contains(w.Body.String(), `"error":{"code":-32`)) {
			t.Errorf("over HTTP, %s: %v, %d %s", text, passes, w.Code, w.Body)
		}
	}
}
