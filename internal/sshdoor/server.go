// Package sshdoor lets people in over SSH by their keys, and runs a session of the
// program for each. It knows nothing of the program. There is no shell, no subsystem,
// no forwarding but that of the client's agent, and no other login than by a key.
package sshdoor

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

	"toolcrib/internal/door"
	"toolcrib/internal/turns"
)

// Config has the parts of a server.
type Config struct {
	HostKey gossh.Signer
	// Identify returns the principal of a key, such as "user:mara". login is the name
	// that the client gave. The client gets its error as a sentence.
	Identify func(login string, key gossh.PublicKey) (principal string, err error)
	// Run runs a session and returns its exit status. When ctx ends, the client is gone.
	Run func(ctx context.Context, s *Session) int
	// Browses reports whether a command is one that stays until its user ends it, on a
	// terminal; nil where only a session without a command does.
	Browses func(command string) bool
	Limits  Limits
	Logger  *slog.Logger
	Now     func() time.Time
}

// Limits are those of clients. The zero value means Defaults.
type Limits struct {
	Handshake       time.Duration // until a connection is authenticated
	Idle            time.Duration // without a byte from the client in any session
	Write           time.Duration // for the client to read the output
	Closing         time.Duration // for sessions to end when the server does
	Recheck         time.Duration // between two looks at whether the keys still count
	Unauthenticated int           // connections that are not authenticated
	Connections     int           // that are
	SessionsPerKey  int
	Commands        int           // of a principal that work at once, and do not wait for the client; more wait
	Command         time.Duration // for one without a terminal
	Output          int64         // bytes that it may print
}

// Defaults returns the limits of a server that sets none.
func Defaults() Limits {
	return Limits{
		Handshake: time.Minute, // a key in hardware waits for a touch
		Idle:      time.Hour, Write: 30 * time.Second, Closing: 3 * time.Second, Recheck: 5 * time.Second,
		Unauthenticated: 256, Connections: 512, SessionsPerKey: 10, Commands: turns.Share(), Command: 2 * time.Minute, Output: 64 << 20,
	}
}

// Server lets clients in. It is safe for concurrent use.
type Server struct {
	config  Config
	limits  Limits
	metrics metrics
	turns   *turns.Turns

	mu       sync.Mutex
	sessions map[string]int // open ones by the fingerprint of the key
	members  map[*member]struct{}
	ending   bool           // no session starts any more
	running  sync.WaitGroup // sessions
}

// New returns a server.
func New(c Config) *Server {
	s := &Server{config: c, limits: c.Limits, sessions: map[string]int{}, members: map[*member]struct{}{}}
	if s.limits == (Limits{}) {
		s.limits = Defaults()
	}
	s.turns = turns.New(turns.Unlimited, s.limits.Commands)
	s.metrics.outcomes = map[string]int64{}
	return s
}

// Serve lets clients in until ctx ends, and returns how ctx ended. Sessions then have
// a moment to come to their end.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &ssh.Server{
		Version: "toolcrib", HostSigners: []ssh.Signer{s.config.HostKey},
		ConnCallback:             s.connected,
		ServerConfigCallback:     s.loginConfig,
		PublicKeyHandler:         s.offered,
		ConnectionFailedCallback: s.notAuthenticated,
		ChannelHandlers: map[string]ssh.ChannelHandler{"session": func(_ *ssh.Server, conn *gossh.ServerConn, c gossh.NewChannel, sc ssh.Context) {
			s.channel(ctx, conn, c, sc)
		}},
		RequestHandlers:   map[string]ssh.RequestHandler{"keepalive@openssh.com": func(ssh.Context, *ssh.Server, *gossh.Request) (bool, []byte) { return true, nil }},
		SubsystemHandlers: map[string]ssh.SubsystemHandler{},
	}
	stop := s.recheckAll(ctx)
	defer stop()
	served := make(chan error, 1)
	l = door.NewWith(l, door.Limits{Unauthenticated: s.limits.Unauthenticated, Authenticated: s.limits.Connections, Time: s.limits.Handshake})
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	_ = l.Close() // nobody comes in any more; sessions hear of it by ctx
	s.wait()
	_ = server.Close()
	if err := <-served; err != nil && !errors.Is(err, ssh.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return ctx.Err()
}

// wait returns when no session runs any more, or after the time for that.
func (s *Server) wait() {
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
}

// metrics are counts for Prometheus.
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

// WriteMetrics writes the counts in the text format of Prometheus.
func (s *Server) WriteMetrics(w io.Writer) {
	m := &s.metrics
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range []struct {
		name, kind, help string
		value            int64
	}{
		{"toolcrib_ssh_connections_total", "counter", "Connections over SSH, authenticated or not.", m.connections},
		{"toolcrib_ssh_keys_refused_total", "counter", "Keys that nobody may log in with.", m.refused},
		{"toolcrib_ssh_sessions", "gauge", "Open sessions over SSH.", m.sessions},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %d\n", c.name, c.help, c.name, c.kind, c.name, c.value)
	}
	fmt.Fprintf(w, "# HELP toolcrib_ssh_sessions_total Sessions over SSH by how they ended.\n# TYPE toolcrib_ssh_sessions_total counter\n")
	for _, name := range slices.Sorted(maps.Keys(m.outcomes)) {
		fmt.Fprintf(w, "toolcrib_ssh_sessions_total{outcome=%q} %d\n", name, m.outcomes[name])
	}
}

// Reasons why the context of a command ended before its client went away.
var (
	ErrTime   = errors.New("the command takes too long for this server")
	ErrOutput = errors.New("the command prints too much for this server")
)

// limitCommand returns the context of a command, which ends when its time is over or
// its output too long.
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

// countedWriter writes until what is left is used up.
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
