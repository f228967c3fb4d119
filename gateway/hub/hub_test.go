package hub_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/hub"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// invocation returns a call of a tool that runs at address.
func invocation(address string) gateway.Invocation {
	return gateway.Invocation{
		Call: "0199", At: time.Date(2026, 11, 20, 22, 42, 0, 0, time.UTC), Args: json.RawMessage(`{"city":"Kiel"}`),
		Caller:   gateway.Caller{Actor: proposals.Actor{Kind: proposals.Agent, Name: "scout"}, Agent: "scout", Layer: registry.LayerUser, User: "ada", Customer: "acme"},
		Features: map[string]bool{"missions_enabled": true},
		Tool: registry.Live{
			Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "get_weather"}, Version: 3, ContentHash: "abc",
			Definition: registry.Definition{Tool: &registry.Tool{
				ID: "get_weather", Kind: registry.ActionTool, Provider: &registry.Provider{Type: registry.ProviderHTTP, Name: "weather.get", URL: address},
			}},
		},
	}
}

// serve starts a hub with a handler.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

func code(err error) gateway.Code {
	var e *gateway.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// TestRequest compares a complete request.
func TestRequest(t *testing.T) {
	var body, authorization, kind string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body, authorization, kind = string(b), r.Header.Get("Authorization"), r.Method+" "+r.Header.Get("Content-Type")
		_, _ = io.WriteString(w, `{"success":true,"tool":"weather.get","result":{"degrees":4}}`)
	})
	h := hub.New(hub.Config{Tokens: map[string]string{strings.TrimPrefix(s.URL, "http://"): "secret", "other.example": "another"}})
	defer h.Close()
	out, err := h.Run(t.Context(), invocation(s.URL))
	if err != nil || string(out.Object) != `{"degrees":4}` {
		t.Fatalf("got %s, %v", out.Object, err)
	}
	want := `{"tool":"weather.get","agent_id":"scout","customer_id":"acme","user_id":"ada","mission_id":"","conversation_id":"","inputs":{"city":"Kiel"},"context":` +
		`{"call_id":"0199","at":"2026-11-20T22:42:00Z","actor":"agent:scout","layer":"user","tool_version":3,"tool_hash":"abc","local":false,"features":{"missions_enabled":true}}}`
	if body != want || authorization != "Bearer secret" || kind != "POST application/json" {
		t.Errorf("the hub got %s, %q, %s; want %s", body, authorization, kind, want)
	}
}

// TestHeaders checks that configured headers are sent to their host only (C50).
func TestHeaders(t *testing.T) {
	var got http.Header
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		_, _ = io.WriteString(w, `{"success":true,"tool":"weather.get","result":{}}`)
	})
	headers := hub.Headers{"x-agent-instance-id": "$agent", "X-Who": "${user}@$customer/$tool", "X-Price": "5$$"}
	for host, want := range map[string][]string{strings.TrimPrefix(s.URL, "http://"): {"scout", "ad%C3%A4%0A@acme/weather.get", "5$"}, "other.example": {"", "", ""}} {
		h := hub.New(hub.Config{Headers: map[string]hub.Headers{host: headers}})
		in := invocation(s.URL)
		in.Caller.User = "adä\n"
		if _, err := h.Run(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		h.Close()
		for i, name := range []string{"X-Agent-Instance-ID", "X-Who", "X-Price"} {
			if got.Get(name) != want[i] {
				t.Errorf("%s: %s is %q; want %q", host, name, got.Get(name), want[i])
			}
		}
	}
	if err := headers.Check(); err != nil {
		t.Error(err)
	}
	for name, value := range map[string]string{"authorization": "x", "Host": "x", "X Y": "x", "X-A": "a\r\nB: c", "X-B": "$secret", "content-length": "1"} {
		if err := (hub.Headers{name: value}).Check(); err == nil {
			t.Errorf("%s: %q was accepted", name, value)
		}
	}
}

// TestAnswers covers the responses of hubs.
func TestAnswers(t *testing.T) {
	tests := []struct {
		name, body string
		status     int
		want       string       // expected result
		code       gateway.Code // or expected code
	}{
		{"object", `{"success":true,"tool":"weather.get","result":{"a":1}}`, 200, `{"a":1}`, ""},
		{"without the tool", `{"success":true,"result":{"a":1}}`, 201, `{"a":1}`, ""},
		{"list", `{"success":true,"tool":"weather.get","result":[1]}`, 200, `{"result":[1]}`, ""},
		{"nothing", `{"success":true,"tool":"weather.get"}`, 200, `{}`, ""},
		{"own code", `{"success":false,"tool":"weather.get","error":{"code":"CITY_UNKNOWN","message":"No such city","details":{"city":"x"}}}`, 404, "", "CITY_UNKNOWN"},
		{"not connected", `{"success":false,"tool":"weather.get","error":{"code":"INTEGRATION_NOT_CONNECTED","message":"x"}}`, 200, "", gateway.CodeNotConnected},
		{"a gate's code", `{"success":false,"tool":"weather.get","error":{"code":"approval_required","message":"x"}}`, 200, "", gateway.CodeProvider},
		{"the event's code", `{"success":false,"tool":"weather.get","error":{"code":"definition_changed","message":"x"}}`, 200, "", gateway.CodeProvider},
		{"only a sentence", `{"success":false,"error":"No such city"}`, 404, "", gateway.CodeProvider},
		{"odd code", `{"success":false,"tool":"weather.get","error":{"code":"a b","message":"x"}}`, 200, "", gateway.CodeProvider},
		{"no code", `{"success":false,"tool":"weather.get","error":{"message":"x"}}`, 200, "", gateway.CodeProvider},
		{"no error", `{"success":false,"tool":"weather.get"}`, 200, "", gateway.CodeProvider},
		{"success and error", `{"success":true,"tool":"weather.get","result":{},"error":{"code":"x"}}`, 200, "", gateway.CodeProvider},
		{"success with status 500", `{"success":true,"tool":"weather.get","result":{}}`, 500, "", gateway.CodeProvider},
		{"other tool", `{"success":true,"tool":"weather.set","result":{}}`, 200, "", gateway.CodeProvider},
		{"no success", `{"tool":"weather.get","result":{}}`, 200, "", gateway.CodeProvider},
		{"page", `<html>`, 500, "", gateway.CodeProvider},
		{"key twice", `{"success":false,"success":true,"result":{}}`, 200, "", gateway.CodeProvider},
		{"other letters", `{"Success":true,"result":{}}`, 200, "", gateway.CodeProvider},
		{"more behind it", `{"success":true,"result":{}} {}`, 200, "", gateway.CodeProvider},
		{"null error", `{"success":true,"result":{"a":1},"error":null}`, 200, `{"a":1}`, ""},
		// C14: errors that can be retried, and errors for the user
		{"bad gateway", `<html>`, 502, "", gateway.CodeUnavailable},
		{"too many", ``, 429, "", gateway.CodeUnavailable},
		{"down", `{}`, 503, "", gateway.CodeUnavailable},
		{"unauthorised", ``, 401, "", gateway.CodeCredentials},
		{"forbidden", `no`, 403, "", gateway.CodeCredentials},
		{"own code of a refusal", `{"success":false,"error":{"code":"TOKEN_EXPIRED","message":"x"}}`, 401, "", "TOKEN_EXPIRED"},
		// C2: the hub requires an approval of its own
		{"approval", `{"success":true,"tool":"weather.get","requires_approval":true,"approval_request_id":"ap1","result":{}}`, 200, "", gateway.CodeProviderApproval},
		{"approval with a failure", `{"success":false,"requires_approval":true,"error":{"code":"x","message":"y"}}`, 202, "", gateway.CodeProviderApproval},
		{"no approval", `{"success":true,"requires_approval":false,"result":{"a":1}}`, 200, `{"a":1}`, ""},
		{"odd approval", `{"success":true,"requires_approval":"yes","result":{}}`, 200, "", gateway.CodeProvider},
		{"faked approval", `{"success":false,"error":{"code":"provider_approval_required","message":"x"}}`, 200, "", gateway.CodeProvider},
		{"empty", ``, 204, "", gateway.CodeProvider},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			h := hub.New(hub.Config{})
			defer h.Close()
			out, err := h.Run(t.Context(), invocation(s.URL))
			if string(out.Object) != tt.want || code(err) != tt.code || (err == nil) != (tt.code == "") {
				t.Errorf("got %s, %v; want %s, %s", out.Object, err, tt.want, tt.code)
			}
			if tt.name == "only a sentence" && !strings.HasSuffix(err.Error(), ": No such city") {
				t.Errorf("got %v", err) // C62
			}
		})
	}
}

// TestStructured checks the part of a response that an output schema describes: the
// unchanged result, or nothing.
func TestStructured(t *testing.T) {
	for body, want := range map[string]string{
		`{"success":true,"result":{"a":1}}`: `{"a":1}`, `{"success":true,"result":[1]}`: `[1]`, `{"success":true}`: "",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		h := hub.New(hub.Config{})
		defer h.Close()
		if out, err := h.Run(t.Context(), invocation(s.URL)); err != nil || string(out.Structured) != want {
			t.Errorf("%s: %s, %v; want %s", body, out.Structured, err, want)
		}
	}
}

// TestDetails checks that error details of a hub are passed on.
func TestDetails(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"success":false,"error":{"code":"CITY_UNKNOWN","message":"No such\u001b[2J city","details":{"city":"x"}}}`)
	})
	h := hub.New(hub.Config{})
	defer h.Close()
	_, err := h.Run(t.Context(), invocation(s.URL))
	var e *gateway.Error
	if !errors.As(err, &e) || string(e.Details) != `{"city":"x"}` || strings.Contains(e.Message, "\x1b") || !strings.Contains(e.Message, "city") {
		t.Errorf("got %+v", err)
	}
}

// TestApproval checks that everything about an approval in the hub is passed on
// (C2).
func TestApproval(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"success":true,"tool":"weather.get","requires_approval":true,"approval_request_id":"ap1","message":"Ask\u001b[2J Bob.","result":{"draft":1},"eta":"10 min"}`)
	})
	h := hub.New(hub.Config{})
	defer h.Close()
	_, err := h.Run(t.Context(), invocation(s.URL))
	var e *gateway.Error
	if !errors.As(err, &e) || e.Code != gateway.CodeProviderApproval || e.ApprovalRequest != "ap1" || !strings.Contains(e.Message, "Bob.") || strings.Contains(e.Message, "\x1b") {
		t.Fatalf("got %+v", err)
	}
	var said map[string]any
	if err := json.Unmarshal(e.Answer, &said); err != nil || said["eta"] != "10 min" || said["approval_request_id"] != "ap1" || said["requires_approval"] != true || said["result"] == nil {
		t.Errorf("a part of the response is missing: %s", e.Answer)
	}
}

// TestOtherFields checks that other fields of a response are passed on (C2).
func TestOtherFields(t *testing.T) {
	answer := `{"success":true,"tool":"weather.get","result":{"a":1},"message":"From the cache.","usage":{"tokens":7}}`
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
	h := hub.New(hub.Config{})
	defer h.Close()
	out, err := h.Run(t.Context(), invocation(s.URL))
	if err != nil || string(out.Object) != `{"a":1}` || string(out.Answer) != `{"message":"From the cache.","usage":{"tokens":7}}` {
		t.Errorf("got %s, %s, %v", out.Object, out.Answer, err)
	}
	answer = `{"success":false,"error":{"code":"CITY_UNKNOWN","message":"No.","hint":"Kiel?"},"trace":"t1"}`
	_, err = h.Run(t.Context(), invocation(s.URL))
	var e *gateway.Error
	if !errors.As(err, &e) || string(e.Answer) != `{"error":{"code":"CITY_UNKNOWN","message":"No.","hint":"Kiel?"},"trace":"t1"}` {
		t.Errorf("got %+v", err)
	}
}

// TestCallContextIsPosted checks that the caller's description is posted separately
// from verified values (C9).
func TestCallContextIsPosted(t *testing.T) {
	var posted struct {
		Mission      string `json:"mission_id"`
		Conversation string `json:"conversation_id"`
		Context      struct {
			Actor string          `json:"actor"`
			Said  json.RawMessage `json:"said"`
		} `json:"context"`
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&posted); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, `{"success":true,"result":{}}`)
	})
	h := hub.New(hub.Config{})
	defer h.Close()
	in := invocation(s.URL)
	in.CallContext = gateway.CallContext{
		UserMessage: "Rain?", ChatID: "c1", MissionID: "m1", ConversationID: "v1", Confidence: json.RawMessage("0.5"), Context: json.RawMessage(`{"actor":"user:root"}`),
	}
	if _, err := h.Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if posted.Mission != "m1" || posted.Conversation != "v1" || posted.Context.Actor != "agent:scout" ||
		string(posted.Context.Said) != `{"chat_id":"c1","confidence":0.5,"context":{"actor":"user:root"},"user_message":"Rain?"}` {
		t.Errorf("the hub got %+v", posted)
	}
}
