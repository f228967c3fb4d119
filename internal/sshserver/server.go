// Package sshserver implements an SSH server. The server authenticates people only by
// their keys. Each session runs a program that the caller provides as a function. The
// server offers no system shell and no subsystems, and forwards only the SSH agent of the
// client.
package sshserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"toolcrib/internal/httpserver"
	"toolcrib/internal/semaphore"
)

// Config is the configuration of a server.
type Config struct {
	HostKey gossh.Signer
	// Identify returns the principal that owns key, such as "user:mara". The server sends
	// the text of the error to the client. login is the user name that the client sent.
	Identify func(login string, key gossh.PublicKey) (principal string, err error)
	// Run runs a session and returns its exit status. ctx is canceled when the client
	// disconnects.
	Run func(ctx context.Context, s *Session) int
	// Browses reports whether a command is interactive on a terminal, which means that it
	// runs until the user ends it. If Browses is nil, only sessions without a command are
	// interactive.
	Browses func(command string) bool
	Limits  Limits
	Logger  *slog.Logger
	Now     func() time.Time
}

// Limits contains the limits for clients. If Limits is zero, the server uses Defaults.
type Limits struct {
	Handshake       time.Duration // time limit for authentication
	Idle            time.Duration // maximum time of a connection without input in any session
	Write           time.Duration // time in which the client must read the data of a single write
	Closing         time.Duration // time that sessions have to end at shutdown
	Recheck         time.Duration // interval between checks of the keys
	Unauthenticated int           // maximum number of unauthenticated connections
	Connections     int           // maximum number of authenticated connections
	SessionsPerKey  int
	Commands        int           // maximum number of concurrent commands per principal, except commands that wait for the client; further commands wait
	Command         time.Duration // time limit for a command without a terminal
	Output          int64         // maximum output of a command without a terminal, in bytes
}

// Defaults returns the default limits.
func Defaults() Limits {
	return Limits{
		Handshake: time.Minute, // the user may have to touch a hardware key
		Idle:      time.Hour, Write: 30 * time.Second, Closing: 3 * time.Second, Recheck: 5 * time.Second,
		Unauthenticated: 256, Connections: 512, SessionsPerKey: 10, Commands: semaphore.Share(), Command: 2 * time.Minute, Output: 64 << 20,
	}
}

// Server is an SSH server. It is safe for concurrent use.
type Server struct {
	config  Config
	limits  Limits
	metrics metrics
	turns   *semaphore.Semaphore

	mu       sync.Mutex
	sessions map[string]int // number of open sessions, by fingerprint of the key
	members  map[*member]struct{}
	ending   bool           // the server is shutting down and starts no sessions
	running  sync.WaitGroup // counts running sessions
}

// New returns a server with the configuration c.
func New(c Config) *Server {
	s := &Server{config: c, limits: c.Limits, sessions: map[string]int{}, members: map[*member]struct{}{}}
	if s.limits == (Limits{}) {
		s.limits = Defaults()
	}
	s.turns = semaphore.New(semaphore.Unlimited, s.limits.Commands)
	s.metrics.outcomes = map[string]int64{}
	return s
}

// Serve serves the connections that l accepts until ctx is done, and then returns the
// error of ctx. At shutdown, running sessions have the time Limits.Closing to end.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &ssh.Server{
		Version: "toolcrib", HostSigners: []ssh.Signer{s.config.HostKey},
		ConnCallback: func(ctx ssh.Context, conn net.Conn) net.Conn {
			ctx.SetValue(connKey, conn)
			_ = conn.SetDeadline(time.Time{}) // the listener of httpserver sets its own deadline
			s.metrics.add(&s.metrics.connections, 1)
			return conn
		},
		ServerConfigCallback: s.loginConfig,
		PublicKeyHandler:     s.offered,
		ConnectionFailedCallback: func(conn net.Conn, err error) { // anyone can cause failed logins, so they are logged only at the debug level
			s.config.Logger.LogAttrs(context.Background(), slog.LevelDebug, "ssh login failed", slog.String("remote", conn.RemoteAddr().String()), slog.String("why", err.Error()))
		},
		ChannelHandlers: map[string]ssh.ChannelHandler{"session": func(_ *ssh.Server, conn *gossh.ServerConn, c gossh.NewChannel, sc ssh.Context) {
			s.channel(ctx, conn, c, sc)
		}},
		RequestHandlers:   map[string]ssh.RequestHandler{"keepalive@openssh.com": func(ssh.Context, *ssh.Server, *gossh.Request) (bool, []byte) { return true, nil }},
		SubsystemHandlers: map[string]ssh.SubsystemHandler{},
	}
	stop := s.recheckAll(ctx)
	defer stop()
	served := make(chan error, 1)
	l = httpserver.New(l, httpserver.Limits{Unauthenticated: s.limits.Unauthenticated, Authenticated: s.limits.Connections, Time: s.limits.Handshake})
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	_ = l.Close() // accept no new connections; the sessions end because ctx is done
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(s.limits.Closing):
	}
	_ = server.Close()
	if err := <-served; err != nil && !errors.Is(err, ssh.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return ctx.Err()
}

// metrics contains the counters that WriteMetrics writes.
type metrics struct {
	mu                             sync.Mutex
	connections, refused, sessions int64
	outcomes                       map[string]int64
}

func (m *metrics) add(to *int64, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*to += n
}

func (m *metrics) outcome(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outcomes[name]++
}

// WriteMetrics writes the metrics in the Prometheus text format.
func (s *Server) WriteMetrics(w io.Writer) {
	m := &s.metrics
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range []struct {
		name, kind, help string
		value            int64
	}{
		{"toolcrib_ssh_connections_total", "counter", "SSH connections, including unauthenticated ones.", m.connections},
		{"toolcrib_ssh_keys_refused_total", "counter", "SSH keys that were refused.", m.refused},
		{"toolcrib_ssh_sessions", "gauge", "Open SSH sessions.", m.sessions},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %d\n", c.name, c.help, c.name, c.kind, c.name, c.value)
	}
	fmt.Fprintf(w, "# HELP toolcrib_ssh_sessions_total SSH sessions by outcome.\n# TYPE toolcrib_ssh_sessions_total counter\n")
	for _, name := range slices.Sorted(maps.Keys(m.outcomes)) {
		fmt.Fprintf(w, "toolcrib_ssh_sessions_total{outcome=%q} %d\n", name, m.outcomes[name])
	}
}

// Causes for canceling the context of a command before the client disconnects.
var (
	ErrTime   = errors.New("the command exceeded the time limit of this server")
	ErrOutput = errors.New("the command exceeded the output limit of this server")
)

// limitCommand returns a context for a command without a terminal. The context is
// canceled when the command exceeds its time limit or its output limit.
func (s *Server) limitCommand(ctx context.Context, session *Session) (context.Context, context.CancelFunc) {
	limited, stop := context.WithCancelCause(ctx)
	limited, cancel := context.WithTimeoutCause(limited, s.limits.Command, fmt.Errorf("%w; the limit is %s", ErrTime, s.limits.Command))
	left := new(atomic.Int64)
	left.Store(s.limits.Output)
	over := func() { stop(fmt.Errorf("%w; the limit is %d MiB", ErrOutput, s.limits.Output>>20)) }
	session.Out = &countedWriter{session.Out, left, over}
	return limited, func() {
		cancel()
		stop(nil)
	}
}

// countedWriter is a writer with a limit for the number of bytes. The field left is the
// number of bytes that can still be written. A longer write writes nothing, calls over,
// and returns ErrOutput.
type countedWriter struct {
	to   io.Writer
	left *atomic.Int64
	over func()
}

// Write implements io.Writer.
func (w *countedWriter) Write(p []byte) (int, error) {
	if w.left.Add(-int64(len(p))) < 0 {
		w.over()
		return 0, ErrOutput
	}
	return w.to.Write(p)
}
