package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// dial connects to an endpoint, sends a text, and returns the connection.
func (e *endpoint) dial(text string) net.Conn {
	e.t.Helper()
	conn, err := new(net.Dialer).DialContext(e.t.Context(), "tcp", strings.TrimSuffix(strings.TrimPrefix(e.url, "http://"), "/mcp"))
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		e.t.Fatal(err)
	}
	return conn
}

// status reads a response from a connection and returns its status and body.
func status(t *testing.T, conn net.Conn) (int, string) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is written
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
	return resp.StatusCode, string(text)
}

// request returns the head of a request to an endpoint that announces a body of the given length.
func (e *endpoint) request(length int, header string) string {
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n",
		e.token, header, length)
}

const helloHTTP = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// TestMCPRefusesWithoutWaitingForTheBody sends half a request. If the client is not authorized or announces too much
// data, the server must respond without waiting.
func TestMCPRefusesWithoutWaitingForTheBody(t *testing.T) {
	shortrun.NeedsLong(t)
	c := newTestDB(t)
	e := c.endpoint(t)
	if got, _ := status(t, e.dial("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")); got != 401 {
		t.Errorf("without a token: %d", got)
	}
	if got, _ := status(t, e.dial(e.request(100, "Origin: https://evil.example\r\n")+"{")); got != 403 {
		t.Errorf("a stranger's page: %d", got)
	}
	if got, _ := status(t, e.dial(e.request(1<<40, "")+"{")); got != 413 {
		t.Errorf("a terabyte: %d", got)
	}
	e.stop()
}

// TestMCPSessionsAreLimited opens sessions up to the limit, and checks that the existing sessions continue.
func TestMCPSessionsAreLimited(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	e := c.endpoint(t)
	first := e.connect("2025-11-25", "first")
	refused := ""
	for range 1001 {
		if got, text := status(t, e.dial(e.request(len(helloHTTP), "Connection: close\r\n")+helloHTTP)); got != 200 {
			refused = fmt.Sprintf("%d %s", got, text)
			break
		}
	}
	if !strings.Contains(refused, "503 too many sessions") {
		t.Errorf("refused with %q", refused)
	}
	first.done("list_proposals", nil)
	e.connect("2026-07-28", "young").done("list_proposals", nil) // this revision has no sessions
}

// TestMCPLargeBodiesAreLimited leaves large requests unfinished. Small ones must be served in the meantime.
func TestMCPLargeBodiesAreLimited(t *testing.T) {
	c := newTestDB(t)
	e := c.endpoint(t)
	for range 40 {
		e.dial(e.request(11<<20, "") + `{"a":"` + strings.Repeat("x", 1000))
	}
	cl := e.connect("2025-11-25", "x")
	cl.done("list_proposals", nil)
}
