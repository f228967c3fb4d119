// This file runs sessions and connects them to the terminals of clients.

package sshserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"toolcrib/internal/semaphore"
)

// Session is a run of the program for a client.
type Session struct {
	Principal string // such as "user:mara"
	Key       string // fingerprint of the key that the client used to log in
	Remote    net.Addr
	Command   string // command that the client sent, or "" for a shell
	Shell     bool   // whether the client requested a shell instead of a command
	In        io.Reader
	Out, Err  io.Writer
	// Agent connects to the SSH agent of the client. It is nil if the client does not
	// forward an agent.
	Agent func(ctx context.Context) (io.ReadWriteCloser, error)
	// Ran is the name of the command for the log. The function Config.Run sets it.
	Ran string

	env    map[string]string
	window *window
}

// Getenv returns the value of an environment variable that the client set. Clients can
// set only TERM and variables that affect the format of output.
func (s *Session) Getenv(name string) string { return s.env[name] }

// Environ returns all variables that the client set, in the form NAME=value.
func (s *Session) Environ() []string {
	all := make([]string, 0, len(s.env))
	for name, value := range s.env {
		all = append(all, name+"="+value)
	}
	return all
}

// Terminal reports whether the client requested a terminal.
func (s *Session) Terminal() bool { return s.window.terminal() }

// Size returns the size of the terminal in cells, or zeros if the client has no terminal.
func (s *Session) Size() (width, height int) { return s.window.size() }

// Resized calls fn with each new size of the terminal until ctx is done. If the size
// changes several times in a short time, Resized may call fn only with the last size.
func (s *Session) Resized(ctx context.Context, fn func(width, height int)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.window.news():
			fn(s.window.size())
		}
	}
}

// run runs a session, logs its outcome, and returns its exit status. If the session
// panics, run recovers, and other sessions continue.
func (s *Server) run(ctx context.Context, session *Session) (status int) {
	began := s.config.Now()
	s.metrics.add(&s.metrics.sessions, 1)
	defer s.metrics.add(&s.metrics.sessions, -1)
	defer func() {
		outcome, level := "ok", slog.LevelInfo
		if fault := recover(); fault != nil {
			status, outcome, level = 1, "fault", slog.LevelError
			s.config.Logger.LogAttrs(ctx, level, "ssh session fault", slog.String("fault", fmt.Sprint(fault)), slog.String("stack", string(debug.Stack())))
		} else if ctx.Err() != nil {
			outcome = "cut"
		} else if status != 0 {
			outcome = fmt.Sprintf("exit_%d", status)
		}
		s.metrics.outcome(outcome)
		s.config.Logger.LogAttrs(ctx, level, "ssh session",
			slog.String("principal", session.Principal), slog.String("key", session.Key), slog.String("remote", session.Remote.String()),
			slog.String("command", session.Ran), slog.String("outcome", outcome), slog.Duration("took", s.config.Now().Sub(began).Round(time.Millisecond)))
	}()
	if session.Shell || session.Terminal() && s.config.Browses != nil && s.config.Browses(session.Command) {
		return s.config.Run(ctx, session)
	}
	held, done, ok := s.turns.Hold(ctx, session.Principal)
	if !ok {
		return 1
	}
	defer done()
	session.releaseTurnOutside(held)
	if session.Terminal() {
		return s.config.Run(held, session)
	}
	limited, stop := s.limitCommand(held, session)
	defer stop()
	return s.config.Run(limited, session)
}

// releaseTurnOutside wraps the streams and the agent of the session. While the session
// waits for the client, the turn that ctx carries is released.
func (s *Session) releaseTurnOutside(ctx context.Context) {
	s.In, s.Out, s.Err = semaphore.Reader(ctx, s.In), semaphore.Writer(ctx, s.Out), semaphore.Writer(ctx, s.Err)
	agent := s.Agent
	if agent == nil {
		return
	}
	s.Agent = func(dial context.Context) (io.ReadWriteCloser, error) {
		conn, err := agent(dial)
		return struct {
			io.Reader
			io.WriteCloser
		}{semaphore.Reader(ctx, conn), conn}, err
	}
}

// window is the size of a client's terminal.
type window struct {
	mu            sync.Mutex
	width, height int
	changed       chan struct{} // receives a value when the size changes; nil without a terminal
}

// set stores the size that the client sent, or 80 by 24 if the client sent no size. It
// reduces a size that exceeds the limits.
func (w *window) set(columns, rows uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed == nil {
		w.changed = make(chan struct{}, 1)
	}
	w.width, w.height = int(min(columns, maxSide)), int(min(rows, maxSide))
	if w.width == 0 || w.height == 0 {
		w.width, w.height = 80, 24
	}
	w.height = min(w.height, maxCells/w.width)
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

func (w *window) size() (width, height int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.width, w.height
}

func (w *window) terminal() bool { return w.news() != nil }

func (w *window) news() chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// writer writes output to a client. If a write does not finish within limit, writer calls
// stuck. For a terminal, it writes a carriage return before each line feed, because the
// terminal of the client is in raw mode.
type writer struct {
	mu       sync.Mutex
	to       io.Writer
	limit    time.Duration
	stuck    func()
	terminal bool
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := p
	if w.terminal {
		text = bytes.ReplaceAll(bytes.ReplaceAll(p, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	defer time.AfterFunc(w.limit, w.stuck).Stop()
	if _, err := w.to.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}
