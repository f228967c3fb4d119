package sshserver_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"toolcrib/internal/sshserver"
)

// testDoor is a server that accepts one key.
type testDoor struct {
	testing.TB
	addr   string
	key    ssh.Signer
	other  ssh.Signer // key of ada; may be nil
	server *sshserver.Server
	stop   func() error

	mu     sync.Mutex
	counts bool // the key is still valid
}

func newKey(t testing.TB) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// open starts a server that runs fn for each session, with limits adjusted by
// change.
func open(t testing.TB, fn func(context.Context, *sshserver.Session) int, change func(*sshserver.Limits)) *testDoor {
	t.Helper()
	d := &testDoor{TB: t, key: newKey(t), counts: true}
	limits := sshserver.Defaults()
	change(&limits)
	d.server = sshserver.New(sshserver.Config{
		HostKey: newKey(t), Run: fn, Browses: func(command string) bool { return command == "browse" }, Limits: limits, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		Identify: func(_ string, key ssh.PublicKey) (string, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.other != nil && bytes.Equal(key.Marshal(), d.other.PublicKey().Marshal()) {
				return "user:ada", nil
			}
			if !d.counts || !bytes.Equal(key.Marshal(), d.key.PublicKey().Marshal()) {
				return "", errors.New("nobody has this key")
			}
			return "user:mara", nil
		},
	})
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.addr = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- d.server.Serve(ctx, l) }()
	d.stop = sync.OnceValue(func() error {
		cancel()
		return <-served
	})
	t.Cleanup(func() { _ = d.stop() })
	return d
}

func (d *testDoor) login() (*ssh.Client, error) {
	return ssh.Dial("tcp", d.addr, &ssh.ClientConfig{User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(d.key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey()}) //nolint:gosec // of a test
}

func (d *testDoor) dial() *ssh.Client {
	d.Helper()
	client, err := d.login()
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { _ = client.Close() })
	return client
}

func (d *testDoor) session(client *ssh.Client) *ssh.Session {
	d.Helper()
	s, err := client.NewSession()
	if err != nil {
		d.Fatal(err)
	}
	return s
}

func same(*sshserver.Limits) {}

// untilCut runs until the client is disconnected.
func untilCut(ctx context.Context, _ *sshserver.Session) int {
	<-ctx.Done()
	return 7
}

func TestSilentClientIsCut(t *testing.T) {
	d := open(t, untilCut, func(l *sshserver.Limits) { l.Idle = 50 * time.Millisecond })
	client := d.dial()
	if s, err := client.NewSession(); err == nil { // fails if a busy machine has closed the connection already
		err = s.Run("x")
		if err == nil {
			t.Error("the command ended without an error")
		}
	}
	_ = client.Wait() // returns once the connection is closed
}

func TestClientThatDoesNotReadIsCut(t *testing.T) {
	ended := make(chan error, 1)
	d := open(t, func(_ context.Context, s *sshserver.Session) int {
		var err error
		for err == nil {
			_, err = s.Out.Write(make([]byte, 1<<20))
		}
		ended <- err
		return 0
	}, func(l *sshserver.Limits) { l.Write = 50 * time.Millisecond })
	s := d.session(d.dial())
	if _, err := s.StdoutPipe(); err != nil { // never read
		t.Fatal(err)
	}
	if err := s.Start("x"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil { // returns only after the server closed the connection
		t.Error("a write to a client that does not read succeeded")
	}
}

// TestWorkEndsWithItsClient checks that the context of a command ends when its
// client closes the connection or only the session, with and without a terminal
// (S17).
func TestWorkEndsWithItsClient(t *testing.T) {
	began, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	d := open(t, func(ctx context.Context, _ *sshserver.Session) int {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return 1
	}, same)
	for _, terminal := range []bool{false, true} {
		for _, leave := range []func(*ssh.Client, *ssh.Session) error{
			func(c *ssh.Client, _ *ssh.Session) error { return c.Close() },
			func(_ *ssh.Client, s *ssh.Session) error { return s.Close() },
		} {
			client := d.dial()
			s := d.session(client)
			if terminal {
				if err := s.RequestPty("xterm", 24, 80, nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Start("x"); err != nil {
				t.Fatal(err)
			}
			<-began
			if err := leave(client, s); err != nil {
				t.Fatal(err)
			}
			<-ended // hangs if the context does not end
		}
	}
}

// TestConnectionWithoutSessionIsCut opens a connection that does not log in, and
// one that requests no session.
func TestConnectionWithoutSessionIsCut(t *testing.T) {
	d := open(t, untilCut, func(l *sshserver.Limits) { l.Handshake = 100 * time.Millisecond })
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", d.addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	if client, err := d.login(); err == nil { // may fail on a busy machine
		_ = client.Wait()
	}
}

func TestSessionsPerKey(t *testing.T) {
	d := open(t, untilCut, func(l *sshserver.Limits) { l.SessionsPerKey = 2 })
	first, second := d.dial(), d.dial()
	a, b := d.session(first), d.session(second)
	if _, err := second.NewSession(); err == nil || !strings.Contains(err.Error(), "too many sessions with this key") {
		t.Errorf("a third session: %v", err)
	}
	_ = a.Start("x")
	_ = first.Close()
	for { // until the server has noticed
		if c, err := second.NewSession(); err == nil {
			_ = c.Close()
			break
		}
	}
	_ = b.Close()
}

// TestOneKeyCannotExhaustConnections checks that when one key opens many connections without
// a session, the longest idle ones are closed, and another key can connect.
func TestOneKeyCannotExhaustConnections(t *testing.T) {
	const most = 16
	d := open(t, func(context.Context, *sshserver.Session) int { return 0 }, func(l *sshserver.Limits) { l.Connections = most })
	d.other = newKey(t)
	var first *ssh.Client
	for range 3 * most {
		client := d.dial()
		if err := d.session(client).Run("x"); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = client
		}
	}
	_ = first.Wait() // returns once the connection is closed
	d.key = d.other
	if err := d.session(d.dial()).Run("x"); err != nil {
		t.Errorf("the other key: %v", err)
	}
}

func TestRevokedKeyIsCut(t *testing.T) {
	d := open(t, untilCut, func(l *sshserver.Limits) { l.Recheck = 10 * time.Millisecond })
	client := d.dial()
	if err := d.session(client).Start("x"); err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	d.counts = false
	d.mu.Unlock()
	_ = client.Wait()
}

// TestFaultEndsOneSession checks that a panic in one session does not affect
// others.
func TestFaultEndsOneSession(t *testing.T) {
	d := open(t, func(_ context.Context, s *sshserver.Session) int {
		if s.Command == "fault" {
			panic("a mistake")
		}
		_, _ = io.WriteString(s.Out, s.Principal)
		return 3
	}, same)
	client := d.dial()
	for _, tt := range []struct {
		command string
		code    int
	}{{"fault", 1}, {"x", 3}} {
		var status *ssh.ExitError
		if err := d.session(client).Run(tt.command); !errors.As(err, &status) || status.ExitStatus() != tt.code {
			t.Errorf("%s: %v", tt.command, err)
		}
	}
	var metrics bytes.Buffer
	d.server.WriteMetrics(&metrics)
	for _, line := range []string{`toolcrib_ssh_sessions_total{outcome="fault"} 1`, `toolcrib_ssh_sessions_total{outcome="exit_3"} 1`, "toolcrib_ssh_sessions 0"} {
		if !strings.Contains(metrics.String(), line) {
			t.Errorf("no %s in %s", line, metrics.String())
		}
	}
}

// TestWindow checks that sizes are limited and reported, except those that change
// again at once, and that an unread size blocks nothing.
func TestWindow(t *testing.T) {
	sizes := make(chan [2]int)
	d := open(t, func(ctx context.Context, s *sshserver.Session) int {
		if s.Command == "deaf" {
			<-ctx.Done()
			return 0
		}
		s.Resized(ctx, func(w, h int) { sizes <- [2]int{w, h} })
		return 0
	}, same)
	client := d.dial()
	s := d.session(client)
	if err := s.RequestPty("xterm", 40, 100, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Start("x"); err != nil {
		t.Fatal(err)
	}
	if got := <-sizes; got != [2]int{100, 40} {
		t.Errorf("%v", got)
	}
	_ = s.WindowChange(1<<31, 1<<31)
	if got := <-sizes; got != [2]int{1000, 150} {
		t.Errorf("%v", got)
	}
	_ = s.WindowChange(0, 0)
	if got := <-sizes; got != [2]int{80, 24} {
		t.Errorf("%v", got)
	}
	_ = s.Close()
	deaf := d.session(client)
	_ = deaf.RequestPty("xterm", 40, 100, nil)
	if err := deaf.Start("deaf"); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		_ = deaf.WindowChange(20+i%10, 80)
	}
	_ = deaf.Close()
	if err := d.stop(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestHostKeyFile checks that concurrent servers create one key, and that a file
// without a key is rejected.
func TestHostKeyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "key")
	var all sync.WaitGroup
	prints := make([]string, 8)
	for i := range prints {
		all.Go(func() {
			key, err := sshserver.HostKey(file)
			if err != nil {
				t.Error(err)
				return
			}
			prints[i] = ssh.FingerprintSHA256(key.PublicKey())
		})
	}
	all.Wait()
	for _, p := range prints {
		if p != prints[0] {
			t.Errorf("several keys: %v", prints)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if err := os.WriteFile(file, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sshserver.HostKey(file); err == nil {
		t.Error("a file without a key was accepted")
	}
}
