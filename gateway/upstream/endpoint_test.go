package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/gateway"
	"toolcrib/gateway/upstream"
	"toolcrib/internal/shortrun"
	"toolcrib/registry/wire"
)

func at(url string) upstream.Server {
	return upstream.Server{Name: "remote", URL: url, Token: "s3cret", Headers: http.Header{"X-Team": {"north"}}, Timeout: waitLimit}
}

// TestEndpoints lists and calls tools over HTTP, with and without sessions, with responses in JSON and as events.
func TestEndpoints(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		for _, asJSON := range []bool{false, true} {
			t.Run(fmt.Sprintf("stateless=%t,json=%t", stateless, asJSON), func(t *testing.T) {
				server := mcp.NewServer(&mcp.Implementation{Name: "remote", Version: "1"}, nil)
				mcp.AddTool(server, &mcp.Tool{Name: "double"}, func(_ context.Context, _ *mcp.CallToolRequest, in struct {
					N int `json:"n"`
				},
				) (*mcp.CallToolResult, struct{ Twice int }, error) {
					return nil, struct{ Twice int }{2 * in.N}, nil
				})
				handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless, JSONResponse: asJSON})
				web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") != "Bearer s3cret" || r.Header.Get("X-Team") != "north" {
						w.WriteHeader(http.StatusUnauthorized)
						return
					}
					handler.ServeHTTP(w, r)
				}))
				defer web.Close()
				s, err := upstream.Connect(t.Context(), at(web.URL), func() {})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				tools, _, err := s.Tools(t.Context())
				if err != nil || len(tools) != 1 || !strings.Contains(string(tools[0]), `"name":"double"`) {
					t.Fatalf("%s, %v", tools, err)
				}
				raw, _, err := s.Call(t.Context(), "double", nil, []byte(`{"n":21}`))
				if err != nil || !strings.Contains(string(raw), `"structuredContent":{"Twice":42}`) {
					t.Errorf("%s, %v", raw, err)
				}
			})
		}
	}
}

// remote starts a server that answers tools/list with hand-written text.
func remote(t *testing.T, list func(w http.ResponseWriter, id string)) *httptest.Server {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id := between(string(body), `"id":`, ",")
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodGet:
			<-r.Context().Done() // never send headers
		case strings.Contains(string(body), `"initialize"`):
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"remote","version":"1"}}}`, id)
		case strings.Contains(string(body), `"tools/list"`):
			list(w, id)
		case id == "":
			w.WriteHeader(http.StatusAccepted)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, id)
		}
	}))
	t.Cleanup(web.Close)
	return web
}

func between(s, after, before string) string {
	_, s, _ = strings.Cut(s, after)
	s, _, _ = strings.Cut(s, before)
	return strings.TrimRight(s, "}")
}

func TestRemoteListsKeepEveryByte(t *testing.T) {
	for name, list := range map[string]func(w http.ResponseWriter, id string){
		"json": func(w http.ResponseWriter, id string) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"ttlMs":600000,"tools":[%s, %s]}}`, id, echoTool, otherTool)
		},
		"events": func(w http.ResponseWriter, id string) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, ": hello\r\n\r\nevent: message\r\nid: 1\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\r\ndata: \"result\":{\"tools\":[%s,%s]}}\r\n\r\n", id, echoTool, otherTool)
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := upstream.List(t.Context(), at(remote(t, list).URL))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := wire.Decode(text)
			if err != nil || len(doc.Items) != 2 || string(doc.Items[0].Raw) != echoTool || string(doc.Items[1].Raw) != otherTool {
				t.Errorf("%s, %v", text, err)
			}
		})
	}
}

func TestHostileEndpoints(t *testing.T) {
	flood := func(w io.Writer) {
		chunk := strings.Repeat("a", 1<<20)
		for range 1024 {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		list func(w http.ResponseWriter, id string)
		want error
	}{
		"flood": {func(w http.ResponseWriter, _ string) { flood(w) }, upstream.ErrTooLarge},
		"flood of an event": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "%s", "data: ")
			flood(w)
		}, upstream.ErrTooLarge},
		"elsewhere": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Location", "http://192.0.2.1/")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, upstream.ErrProtocol},
		"no JSON": {func(w http.ResponseWriter, _ string) { fmt.Fprintf(w, "%s", "<html>") }, upstream.ErrProtocol},
		"no event": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "%s", "data: x\n\n")
		}, upstream.ErrProtocol},
		"cut off": {func(w http.ResponseWriter, _ string) { w.Header().Set("Content-Type", "text/event-stream") }, nil},
		"error": {func(w http.ResponseWriter, _ string) {
			w.WriteHeader(http.StatusBadRequest)
			flood(w)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := upstream.List(t.Context(), at(remote(t, c.list).URL))
			if err == nil || c.want != nil && !errors.Is(err, c.want) || errors.Is(err, upstream.ErrTimeout) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

func TestSilentEndpoints(t *testing.T) {
	for name, list := range map[string]func(http.ResponseWriter, *http.Request){
		"no header": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"no body": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				list(w, r)
			}))
			defer web.Close()
			s := at(web.URL)
			s.Timeout = 200 * time.Millisecond
			if _, err := upstream.List(t.Context(), s); !errors.Is(err, upstream.ErrTimeout) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestToolsAreListedWithoutAStream checks that the list of a server that never answers the request for a notification
// stream is received, unchanged (H9).
func TestToolsAreListedWithoutAStream(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	web := remote(t, func(w http.ResponseWriter, id string) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, id, echoTool)
	})
	s, err := upstream.Connect(t.Context(), at(web.URL), func() { t.Error("it was told of a change") })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tools, _, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(tools) != 1 || string(tools[0]) != echoTool {
		t.Errorf("got %s; want %s", tools, echoTool)
	}
}

// TestUnreachedEndpoints checks that a server that rejects the credentials is distinguished from one that is
// unreachable, and that neither error contains the address (C14).
func TestUnreachedEndpoints(t *testing.T) {
	shut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer shut.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for url, want := range map[string]gateway.Code{
		shut.URL: gateway.CodeCredentials, gone.URL: gateway.CodeUnavailable, "http://no.such.host.invalid/mcp": gateway.CodeUnavailable,
	} {
		p := upstream.NewProvider(func(string) (upstream.Server, bool) { return at(url), true })
		_, err := p.Run(t.Context(), approved(t, "echo", echoTool))
		p.Close()
		var refused *gateway.Error
		if !errors.As(err, &refused) || refused.Code != want || !refused.NotRun {
			t.Errorf("%s: %+v; want %s", url, refused, want)
			continue
		}
		if strings.Contains(refused.Message, "127.0.0.1") || strings.Contains(refused.Message, ".invalid") || strings.Contains(refused.Message, "http") {
			t.Errorf("the agent is told where the server is: %s", refused.Message)
		}
	}
}

// TestServersWithoutAHandshake lists and calls the tools of a server that supports only the revision without
// initialize, and receives notifications of changes.
func TestServersWithoutAHandshake(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "remote", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{"2026-07-28"}})
	run := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	}
	server.AddTool(&mcp.Tool{Name: "first", InputSchema: map[string]any{"type": "object"}}, run)
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
	changed := make(chan struct{}, 1)
	s, err := upstream.Connect(t.Context(), at(web.URL), func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	defer s.Close()
	text, err := s.Document(t.Context())
	if err != nil || !strings.Contains(string(text), `"protocolVersion":"2026-07-28"`) || !strings.Contains(string(text), `"name":"remote"`) {
		t.Fatalf("%s, %v", text, err)
	}
	if _, _, err := s.Call(t.Context(), "first", nil, []byte("{}")); err != nil {
		t.Error(err)
	}
	for i := 0; ; i++ { // the subscription takes a moment
		server.AddTool(&mcp.Tool{Name: fmt.Sprint("more", i), InputSchema: map[string]any{"type": "object"}}, run)
		select {
		case <-changed:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}
