package serve_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
)

// TestServeStopsInTheMiddle interrupts the server while a call runs and a stream is open. Both must end properly.
func TestServeStopsInTheMiddle(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	t.Parallel()
	p := open(t, tool("get_tides", hub(t), nil))
	p.configure("[gateway]\nrun_for = \"1s\"\nhub_timeout = \"1s\"\n")
	s := p.serve("--http", "127.0.0.1:0")
	live := s.listen("/v1/events")
	answered := make(chan int, 1)
	go func() {
		resp, err := s.transport().RoundTrip(s.request("POST", "/v1/agents/skipper/execute", `{"tool":"get_tides","args":{"fail":"HANG"}}`))
		if err != nil {
			answered <- 0
			return
		}
		_ = resp.Body.Close()
		answered <- resp.StatusCode
	}()
	for !strings.Contains(s.run("calls", "log", "--json"), `"tool:user/get_tides"`) {
	}
	s.stop()
	if _, event, _ := live.next(); event != "" {
		t.Errorf("the stream goes on with %s", event)
	}
	if status := <-answered; status != http.StatusGatewayTimeout {
		t.Errorf("the call under way got %d", status)
	}
	if log := s.run("calls", "log", "--json"); !strings.Contains(log, `"provider_timeout"`) {
		t.Errorf("its end is not in the audit: %s", log)
	}
}

// TestServeEndsWithTheDatabase removes the database of one server and replaces that of another.
func TestServeEndsWithTheDatabase(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	t.Parallel()
	for name, change := range map[string]func(file string) error{
		"removed": os.Remove,
		"replaced": func(file string) error {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := os.WriteFile(file+".new", text, 0o600); err != nil {
				return err
			}
			return os.Rename(file+".new", file)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t)
			s := p.serve("--http", "127.0.0.1:0")
			if status, _ := s.get("/readyz"); status != 200 {
				t.Errorf("before: %d", status)
			}
			live := s.listen("/v1/events")
			if err := change(filepath.Join(p.dir, "test.db")); err != nil {
				t.Fatal(err)
			}
			if _, event, _ := live.next(); event != "" {
				t.Errorf("the stream goes on with %s", event)
			}
			if code := s.end(); code != 1 || !strings.Contains(strings.Join(s.log, "\n"), "removed or replaced") {
				t.Errorf("exit status %d: %s", code, strings.Join(s.log, "\n"))
			}
		})
	}
}

// TestServeTurnsAwayTheSlow sends requests that are too large or never end.
func TestServeTurnsAwayTheSlow(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	t.Parallel()
	p := open(t)
	s := p.serve("--http", "127.0.0.1:0")
	head := "POST /v1/agents/skipper/execute HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
	for text, want := range map[string]int{
		head + s.secret + "\r\nContent-Length: 1099511627776\r\n\r\n{":                                      413,
		head + "x\r\nContent-Length: 100\r\n\r\n{":                                                          401,
		"GET /v1/catalog HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 1<<20):                   431,
		"GET /v1/catalog HTTP/1.1\r\n\r\n":                                                                  400,
		"GET /v1/catalog HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \x00\r\n\r\n":                 400,
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03":                                                      400,
		"GET http://evil.example/v1/catalog HTTP/1.1\r\nHost: localhost\r\n\r\n":                            421,
		"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.secret[:20] + "\r\n\r\n": 401,
	} {
		if status, got := s.raw(text); status != want {
			t.Errorf("%.120q: %d %s, want %d", text, status, got, want)
		}
	}
	// Connections without a token do not block others (S5).
	for range 600 {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close() //nolint:errcheck // nothing is written
		if _, err := io.WriteString(conn, "GET /v1/catalog HT"); err != nil {
			t.Fatal(err)
		}
	}
	if status, _ := s.get(configPath); status != 409 {
		t.Errorf("among connections without a token: %d", status)
	}
	s.streamsAreLimited()
	s.stop()
}

// streamsAreLimited opens the maximum number of streams for one token, and checks that another one is refused.
func (s *server) streamsAreLimited() {
	const most = 512
	for range most {
		s.listen("/v1/events")
	}
	if status, doc := s.get("/v1/events"); status != 503 || code(doc) != "busy" {
		s.Errorf("one more stream: %d %v", status, doc)
	}
}

// TestServeOnASocket checks the default, a socket that only this account can access.
func TestServeOnASocket(t *testing.T) {
	shortrun.OneGoroutine(t)
	t.Parallel()
	p := open(t, tool("get_tides", hub(t), nil))
	s := p.serve()
	path := strings.TrimPrefix(s.url, "unix:")
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	s.url = "http://toolcrib"
	for want, change := range map[int]func(*http.Request){200: func(*http.Request) {}, 401: func(r *http.Request) { r.Header.Del("Authorization") }} {
		r := s.request("GET", configPath, "")
		change(r)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s, want %d", resp.Status, want)
		}
	}
	client.CloseIdleConnections()
	s.stop()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the socket stays: %v", err)
	}
}

// TestServeOverTLS checks that requests over TLS are accepted on all interfaces, for the names in the certificate.
func TestServeOverTLS(t *testing.T) {
	shortrun.OneGoroutine(t)
	t.Parallel()
	p := open(t, tool("get_tides", hub(t), nil))
	p.certificate("crib.example")
	s := p.serve("--http", "0.0.0.0:0", "--tls-cert", "cert.pem", "--tls-key", "key.pem")
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.url, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	s.url = "https://127.0.0.1:" + port
	for host, want := range map[string]int{"crib.example": 200, "crib.example:" + port: 200, "127.0.0.1": 200, "evil.example": 421, "x.crib.example": 421} {
		if status, _ := s.get(configPath, "Host", host); status != want {
			t.Errorf("%s: %d, want %d", host, status, want)
		}
	}
	live := s.listen("/v1/events")
	s.approve(tool("get_stars", "http://hub.invalid", nil))
	if _, event, _ := live.next(); event != "approval" {
		t.Errorf("over TLS comes %q", event)
	}
	s.stop()
}

// certificate writes a certificate for a name and its key.
func (p place) certificate(name string) {
	p.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		p.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		p.Fatal(err)
	}
	p.write("cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	p.write("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
}

// TestTokensForAnyUser uses tokens with which each request names the user.
func TestTokensForAnyUser(t *testing.T) {
	shortrun.OneGoroutine(t)
	t.Parallel()
	p := open(t, tool("get_tides", hub(t), nil))
	s := p.serve("--http", "127.0.0.1:0")
	s.secret, _ = p.token("--any-user")
	for path, want := range map[string]int{configPath: 400, configPath + "?user=eve": 200, configPath + "?user=%1b%5b31m": 400, configPath + "?user=%20x": 400} {
		if status, _ := s.get(path); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
	if status, doc := s.post(`{"tool":"get_tides","user":"eve"}`); status != 200 || fmt.Sprint(doc["output"]) != "map[user:eve]" {
		t.Errorf("%d %v", status, doc)
	}
	s.stop()
}
