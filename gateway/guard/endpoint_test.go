package guard_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"toolcrib/gateway/guard"
)

// remote is an MCP server over HTTP that is implemented without the SDK.
type remote struct {
	mu       sync.Mutex
	sessions int
	posts    []string // bodies, in order of arrival
	headers  []http.Header
	forget   int // status with which the next post loses its session; 0 for none
	deleted  chan string
	tools    string      // its list; "" for the default
	raw      string      // its whole response to list requests with id 1; "" for the default
	stream   chan string // events of the server's stream; nil for no stream
}

func (r *remote) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	switch req.Method {
	case http.MethodDelete:
		r.deleted <- req.Header.Get("Mcp-Session-Id")
		return
	case http.MethodGet:
		r.get(w, req)
		return
	}
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	r.posts, r.headers = append(r.posts, string(body)), append(r.headers, req.Header.Clone())
	forgets := r.forget
	r.forget = 0
	r.mu.Unlock()
	if forgets != 0 {
		http.Error(w, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`, forgets)
		return
	}
	var m fakeMessage
	_ = json.Unmarshal(body, &m)
	r.post(w, m)
}

func (r *remote) post(w http.ResponseWriter, m fakeMessage) {
	answer := func(result string) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{\"jsonrpc\": \"2.0\",\n \"id\": %s, \"result\": %s}\n", m.ID, result)
	}
	switch {
	case len(m.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "initialize":
		r.mu.Lock()
		r.sessions++
		w.Header().Set("Mcp-Session-Id", fmt.Sprintf("session-%d", r.sessions))
		r.mu.Unlock()
		answer(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"far","version":"1"}}`)
	case r.raw != "" && m.Method == "tools/list" && string(m.ID) == "1":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, strings.ReplaceAll(r.raw, "$ID", "1"))
	case m.Method == "tools/list":
		answer(`{"tools":` + cmp.Or(r.tools, catalogOf("emit", "big", "fail", "silent")) + `}`)
	case m.Params.Name == "emit": // an event stream with a notification and a request before the response
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, ": hello\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\ndata: \"params\":{}}\n\nid: 5\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"sampling/createMessage\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/late\"}\n\n", m.ID)
	case m.Params.Name == "big": // a stream that is interrupted and resumed
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "id: broken-%s\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/first\"}\n\n", m.ID)
	case m.Params.Name == "fail":
		http.Error(w, "no", http.StatusUnauthorized)
	case m.Params.Name == "silent": // a stream without a response
		w.Header().Set("Content-Type", "text/event-stream")
	default:
		answer(`{}`)
	}
}

func (r *remote) get(w http.ResponseWriter, req *http.Request) {
	if id, ok := strings.CutPrefix(req.Header.Get("Last-Event-ID"), "broken-"); ok {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[],\"resumed\":true}}\n\n", id)
		return
	}
	if r.stream == nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush() //nolint:forcetypeassert // of net/http
	for {
		select {
		case data := <-r.stream:
			fmt.Fprintf(w, "data: %s\n\n", data)
			w.(http.Flusher).Flush() //nolint:forcetypeassert // of net/http
		case <-req.Context().Done():
			return
		}
	}
}

// far starts a guard for a server over HTTP.
func far(t *testing.T, r *remote, change ...func(*session)) *session {
	t.Helper()
	r.deleted = make(chan string, 10)
	web := httptest.NewServer(r)
	t.Cleanup(web.Close)
	s := &session{t: t, registry: newFakeRegistry("emit", "big", "fail", "silent"), lines: make(chan string, 1000), logs: make(chan string, 1000), status: make(chan int, 1), times: patient()}
	for _, do := range change {
		do(s)
	}
	s.start(guard.NewEndpoint(web.URL+"/mcp", guard.Headers([]string{"TOOLCRIB_HEADER_Authorization=Bearer secret"})))
	s.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"tester"}}}`)
	s.expectPart(s.next(), `"capabilities":{"tools":{"listChanged":true}}`)
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func TestEndpoint(t *testing.T) {
	r := &remote{stream: make(chan string)}
	s := far(t, r)
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"emit"}}`)
	s.expectLine(`{"jsonrpc":"2.0","method":"notifications/progress", "params":{}}`)
	s.expectLine(`{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage"}`)
	s.expectLine(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	s.expectLine(`{"jsonrpc":"2.0","method":"notifications/late"}`) // streams are read to the end
	s.send(`{"jsonrpc":"2.0","id":"s1","result":{"role":"assistant"}}`)
	s.expectPart(s.call(2, "big", "{}"), "notifications/first")
	s.expectPart(s.next(), `"resumed":true`)
	s.expectPart(s.call(3, "fail", "{}"), "refuses the credentials")
	s.expectPart(s.call(4, "silent", "{}"), "the event stream ended without a response")
	s.expectPart(s.call(5, "nothing", "{}"), "not approved")
	r.stream <- `{"jsonrpc":"2.0","id":9,"method":"roots/list"}`
	s.expectLine(`{"jsonrpc":"2.0","id":9,"method":"roots/list"}`)

	r.mu.Lock()
	for i, h := range r.headers {
		if h.Get("Authorization") != "Bearer secret" || h.Get("Content-Type") != "application/json" {
			t.Errorf("post %d has the headers %v", i, h)
		}
		if i > 0 && (h.Get("Mcp-Session-Id") != "session-1" || h.Get("Mcp-Protocol-Version") != "2025-06-18") {
			t.Errorf("post %d has the headers %v", i, h)
		}
	}
	if strings.Contains(strings.Join(r.posts, ""), "nothing") {
		t.Error("the refused call was sent")
	}
	r.mu.Unlock()
	_ = s.in.Close()
	if got := <-r.deleted; got != "session-1" {
		t.Errorf("the session %s is ended", got)
	}
}

func TestAForgottenSessionBeginsAgain(t *testing.T) {
	r := &remote{}
	s := far(t, r)
	s.expectPart(s.call(1, "emit", "{}"), "progress")
	for range 3 {
		s.next()
	}
	for i, status := range []int{http.StatusNotFound, http.StatusBadRequest} {
		r.mu.Lock()
		r.forget = status
		r.mu.Unlock()
		s.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		s.expectLine(`{"jsonrpc": "2.0",  "id": 2, "result": {}}`)
		r.mu.Lock()
		if r.sessions != i+2 {
			t.Errorf("after status %d there were %d sessions", status, r.sessions)
		}
		if got, want := r.headers[len(r.headers)-1].Get("Mcp-Session-Id"), fmt.Sprintf("session-%d", i+2); got != want {
			t.Errorf("the ping is of %s, want %s", got, want)
		}
		r.mu.Unlock()
	}
}

// TestTheOrderOfPosts checks that messages sent in quick succession arrive in order.
func TestTheOrderOfPosts(t *testing.T) {
	r := &remote{}
	s := far(t, r)
	for i := range 50 {
		s.send(`{"jsonrpc":"2.0","method":"notifications/n%d"}`, i)
	}
	s.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	s.expectLine(`{"jsonrpc": "2.0",  "id": 2, "result": {}}`)
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, body := range r.posts {
		if strings.Contains(body, "notifications/n") {
			if !strings.Contains(body, fmt.Sprintf(`notifications/n%d"`, n)) {
				t.Errorf("post %d is %s", n, body)
			}
			n++
		}
	}
	if n != 50 {
		t.Errorf("%d posts arrived", n)
	}
}

func TestAnEndpointThatIsAway(t *testing.T) {
	web := httptest.NewServer(nil)
	url := web.URL
	web.Close()
	s := &session{t: t, registry: newFakeRegistry(), lines: make(chan string, 10), logs: make(chan string, 10), status: make(chan int, 1), times: patient()}
	s.start(guard.NewEndpoint(url+"/secret-path", nil))
	s.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	if line := s.next(); !strings.Contains(line, `"id":1,"error":`) || strings.Contains(line, "secret-path") {
		t.Errorf("the client gets %s", line)
	}
}

// TestSignInIsRecorded checks that the reason is recorded if a server has no list because it requires signing in, so
// that status shows it (G27).
func TestSignInIsRecorded(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(web.Close)
	s := &session{t: t, registry: newFakeRegistry(), lines: make(chan string, 1000), logs: make(chan string, 1000), status: make(chan int, 1), times: patient()}
	s.start(guard.NewEndpoint(web.URL, http.Header{}))
	s.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`)
	s.expectPart(s.next(), "sign-in (OAuth)")
	if l := <-s.registry.observed; !strings.Contains(l.Problem, "sign-in (OAuth)") {
		t.Errorf("the reason is %q", l.Problem)
	}
}
