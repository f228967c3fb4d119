package serve_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
)

// TestOneTokenKeepsNobodyOut opens 1,100 idle connections with one token. New connections with another token must all
// be served, and only those of the first token that have been idle longest may be closed (S16).
func TestOneTokenKeepsNobodyOut(t *testing.T) {
	shortrun.OneGoroutine(t)
	t.Parallel()
	p := open(t, tool("get_tides", hub(t), nil))
	s := p.serve("--http", "127.0.0.1:0")
	greedy, _ := p.token()
	var conns []*keptOpen
	for range 1100 {
		conns = append(conns, s.keepOpen(greedy))
	}
	var took []time.Duration
	for range 200 {
		began := time.Now()
		if status, doc := s.get(configPath); status != 200 {
			t.Fatalf("the other token: %d %v", status, doc)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("the other token: median %v, p99 %v", took[len(took)/2], took[len(took)*99/100])
	closed, newest := 0, 0
	for i, conn := range conns {
		if conn.ask() != 200 {
			closed, newest = closed+1, i
		}
	}
	// Connections that became idle at nearly the same time may be closed in any order.
	if newest >= closed+100 {
		t.Errorf("connection %d is closed, and %d are, so older ones are open", newest, closed)
	}
	if open := len(conns) - closed; open == 0 || open > 1024 {
		t.Errorf("the greedy token keeps %d connections", open)
	}
	s.stop()
}

// keptOpen is an open connection that uses a token.
type keptOpen struct {
	net.Conn
	from   *bufio.Reader
	secret string
}

// keepOpen connects and makes one request.
func (s *server) keepOpen(secret string) *keptOpen {
	s.Helper()
	conn, err := new(net.Dialer).DialContext(s.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = conn.Close() })
	k := &keptOpen{conn, bufio.NewReader(conn), secret}
	if status := k.ask(); status != 200 {
		s.Fatalf("a new connection: %d", status)
	}
	return k
}

// ask makes a request and returns the status, or 0 if the connection was closed.
func (k *keptOpen) ask() int {
	if _, err := io.WriteString(k, "GET "+configPath+" HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+k.secret+"\r\n\r\n"); err != nil {
		return 0
	}
	resp, err := http.ReadResponse(k.from, nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestOneTokenHasAShare sends as many slow requests as possible with one token. Another token must still be served.
func TestOneTokenHasAShare(t *testing.T) {
	shortrun.OneGoroutine(t)
	t.Parallel()
	p := open(t, tool("get_tides", hub(t), nil))
	p.configure("[gateway]\nrun_for = \"60s\"\nhub_timeout = \"60s\"\n")
	s := p.serve("--http", "127.0.0.1:0")
	greedy, _ := p.token("--user", "ada")
	head := "Host: localhost\r\nAuthorization: Bearer " + greedy + "\r\n"
	send := func(n int, text string) {
		for range n {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			if _, err := io.WriteString(conn, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	const call = `{"tool":"get_tides","args":{"fail":"HANG"}}`
	send(8, "POST /v1/agents/skipper/execute HTTP/1.1\r\n"+head+"Content-Length: 900000\r\n\r\n{") // the rest is never sent
	send(600, "POST /v1/agents/skipper/execute HTTP/1.1\r\n"+head+"Content-Length: 43\r\n\r\n"+call)
	send(600, "GET /mcp?user=ada HTTP/1.1\r\n"+head+"Accept: text/event-stream\r\nMcp-Protocol-Version: 2025-11-25\r\n\r\n")
	for range 20 {
		if status, doc := s.get(configPath); status != 200 {
			t.Fatalf("the other token: %d %v", status, doc)
		}
	}
	large := `{"tool":"get_tides","args":{"harbour":"` + strings.Repeat("x", 100_000) + `"}}`
	if resp, text := s.do(s.request("POST", "/v1/agents/skipper/execute", large)); resp.StatusCode != 200 {
		t.Errorf("a large request of the other token: %s %.200s", resp.Status, text)
	}
	s.stop()
}
