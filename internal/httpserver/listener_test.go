package httpserver

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

const token = "Bearer 0123456789abcdef"

// openListener starts a server for clients with the token, behind a listener with the given
// number of places.
func openListener(t *testing.T, places int, wait time.Duration) (d *listener, addr string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d = &listener{Listener: l, places: places, authTime: wait, members: members{seats: places}}
	web := Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != token || !Admit(r, r.Header.Get("Who")) {
			Reject(w)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, "served")
	}))
	web.ReadHeaderTimeout, web.IdleTimeout = time.Hour, time.Hour // only the listener ends anything
	go func() { _ = web.Serve(d) }()
	t.Cleanup(func() { _ = web.Close() })
	return d, l.Addr().String()
}

func knock(t *testing.T, addr, text string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// ask sends a request with the token and returns the status of the response.
func ask(t *testing.T, conn net.Conn) int {
	t.Helper()
	const hanging = 3 * time.Minute // ends a failing test
	_ = conn.SetDeadline(time.Now().Add(hanging))
	if _, err := io.WriteString(conn, "GET /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: "+token+"\r\n\r\n"); err != nil {
		return 0
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestUnauthenticatedConnectionsDoNotBlockMembers fills all places with unauthenticated
// connections while more arrive (S5). A client with the token must be served and
// keep its connection. No connection reaches its time limit during the test, so
// only the limit of places can close one.
func TestUnauthenticatedConnectionsDoNotBlockMembers(t *testing.T) {
	const places = 64
	d, addr := openListener(t, places, time.Hour)
	member := knock(t, addr, "")
	if got := ask(t, member); got != http.StatusOK {
		t.Fatalf("the first one: %d", got)
	}
	for i := range 5 * places {
		knock(t, addr, strings.Repeat("GET /mcp HT", i%2))
	}
	late := knock(t, addr, "")
	if got := ask(t, late); got != http.StatusOK {
		t.Errorf("status among unauthenticated connections: %d", got)
	}
	d.mu.Lock()
	if got := d.unauthenticated.Len(); got < places-1 || d.members.count != 2 {
		t.Errorf("%d unauthenticated connections and %d members; want all places in use", got, d.members.count)
	}
	d.mu.Unlock()
	for i := range 5 * places {
		knock(t, addr, strings.Repeat("GET /mcp HT", i%2))
	}
	for who, conn := range map[string]net.Conn{"the first one": member, "the late one": late} {
		if got := ask(t, conn); got != http.StatusOK {
			t.Errorf("%s was displaced: status %d", who, got)
		}
	}
}

// TestUnauthenticatedConnectionsTimeOut checks that the time limit closes
// unauthenticated connections only.
func TestUnauthenticatedConnectionsTimeOut(t *testing.T) {
	_, addr := openListener(t, 8, 0)
	conn := knock(t, addr, "GET /mcp HTTP/1.1\r\nHost")
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
	v := &clientConn{Conn: closeOnlyConn{}, listener: &listener{members: members{seats: 1}}, until: time.Now()}
	v.place = v.listener.unauthenticated.PushBack(v)
	first, again := AdmitConn(v, ""), AdmitConn(v, "")
	if !first || !again || v.listener.members.count != 1 || v.listener.unauthenticated.Len() != 0 {
		t.Errorf("%+v", v.listener)
	}
	other := &clientConn{Conn: closeOnlyConn{}, listener: v.listener}
	other.place = v.listener.unauthenticated.PushBack(other)
	if AdmitConn(other, "") {
		t.Error("two connections share one place")
	}
	_ = v.Close()
	_ = v.Close()
	if !AdmitConn(other, "") || v.listener.members.count != 1 {
		t.Errorf("a free place was refused: %+v", v.listener)
	}
}

// closeOnlyConn is a connection that can only be closed.
type closeOnlyConn struct{ net.Conn }

func (closeOnlyConn) Close() error                    { return nil }
func (closeOnlyConn) SetReadDeadline(time.Time) error { return nil }

func TestPlacesFitTheFiles(t *testing.T) {
	for files, want := range map[uint64][2]int{0: {4096, 4096}, 1 << 20: {4096, 4096}, 4096: {1952, 1952}, 1024: {416, 416}, 256: {32, 32}, 20: {16, 16}} {
		if places, seats := connectionLimits(files); places != want[0] || seats != want[1] {
			t.Errorf("%d files: %d and %d, want %d", files, places, seats, want)
		}
	}
	if places, seats := connectionLimits(OpenFiles()); places < 16 || seats < 16 {
		t.Errorf("%d and %d", places, seats)
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "localhost": true, "LOCALHOST": true, "::1": true, "127.8.8.8": true,
		"": false, "0.0.0.0": false, "::": false, "localhost.example.com": false, "192.168.0.1": false,
	} {
		if Loopback(host) != want {
			t.Errorf("%q", host)
		}
	}
}
