// This file serves the channels of a connection.

package sshserver

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"toolcrib/internal/httpserver"
)

// Limits for the command, environment variables, and terminal of a client.
const (
	maxCommand = 64 << 10 // maximum length of a command, in bytes
	maxValue   = 64       // maximum length of a variable's value, in bytes
	maxSide    = 1000     // maximum number of columns or rows
	maxCells   = 150_000  // maximum number of cells of a screen; each cell needs about 170 bytes of memory
)

// channel serves a channel of a connection. It replaces the handler of the ssh library,
// which has several defects: it panics if a length in a pty-req overflows, blocks on
// window changes that are not read, and stores an unlimited number of environment
// variables. It also does not notice that the client closes only the channel.
func (s *Server) channel(serving context.Context, conn *gossh.ServerConn, requested gossh.NewChannel, sc ssh.Context) {
	m, ok := s.admit(conn, sc)
	if !ok {
		_ = requested.Reject(gossh.ResourceShortage, "too many connections; try again later")
		_ = conn.Close()
		return
	}
	if !s.addSession(m) {
		s.metrics.outcome("too_many_sessions")
		_ = requested.Reject(gossh.ResourceShortage, "too many sessions with this key; close one first")
		return
	}
	defer s.endSession(m)
	ch, requests, err := requested.Accept()
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(sc)
	defer cancel()
	defer context.AfterFunc(serving, cancel)()
	r := &running{server: s, member: m, channel: ch, cancel: cancel, env: map[string]string{}}
	for req := range requests {
		ok := r.request(req)
		_ = req.Reply(ok, nil)
		if r.session != nil && !r.begun {
			r.begin(ctx) // the client reads output only after the reply
		}
	}
	cancel() // the client closed the channel
	r.done.Wait()
}

// running is the state of a channel, before and during its session.
type running struct {
	server  *Server
	member  *member
	channel gossh.Channel
	cancel  context.CancelFunc
	done    sync.WaitGroup

	env     map[string]string
	agent   bool
	session *Session // nil before the client requests a shell or a command
	begun   bool
	window  window
}

// request handles a channel request from the client and reports whether it succeeded.
func (r *running) request(req *gossh.Request) bool {
	switch req.Type {
	case "pty-req":
		var p struct {
			Term                         string
			Columns, Rows, Width, Height uint32
			Modes                        string
		}
		if r.session != nil || gossh.Unmarshal(req.Payload, &p) != nil || len(p.Term) > maxValue {
			return false
		}
		r.env["TERM"] = p.Term
		r.window.set(p.Columns, p.Rows)
		return true
	case "window-change":
		var p struct{ Columns, Rows, Width, Height uint32 }
		if gossh.Unmarshal(req.Payload, &p) != nil || !r.window.terminal() {
			return false
		}
		r.window.set(p.Columns, p.Rows)
		return true
	case "env":
		var p struct{ Name, Value string }
		if r.session != nil || gossh.Unmarshal(req.Payload, &p) != nil || !slices.Contains(allowedEnv, p.Name) || len(p.Value) > maxValue {
			return false
		}
		r.env[p.Name] = p.Value
		return true
	case "auth-agent-req@openssh.com":
		r.agent = r.agent || r.session == nil
		return r.session == nil
	case "shell", "exec":
		return r.prepare(req)
	}
	return false // other requests are not supported, such as subsystem, x11-req, signal, and break
}

// allowedEnv lists the environment variables that clients can set. They affect only the
// format of output.
var allowedEnv = []string{"LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "NO_COLOR", "COLORTERM"}

// prepare creates the session for a shell or exec request. It reports whether the request
// is valid.
func (r *running) prepare(req *gossh.Request) bool {
	var p struct{ Command string }
	if r.session != nil || req.Type == "exec" && gossh.Unmarshal(req.Payload, &p) != nil || len(p.Command) > maxCommand {
		return false
	}
	s := r.server
	out := &writer{to: r.channel, limit: s.limits.Write, stuck: r.end, terminal: r.window.terminal()}
	errs := &writer{to: r.channel.Stderr(), limit: s.limits.Write, stuck: r.end, terminal: r.window.terminal()}
	if out.terminal {
		errs.to = r.channel // a terminal has one stream for output and errors
	}
	r.session = &Session{
		Principal: r.member.principal, Key: r.member.name, Remote: r.member.conn.RemoteAddr(), Command: p.Command, Shell: req.Type == "shell",
		In: idleReader{r.channel, r.member.idle, s.limits.Idle}, Out: out, Err: errs, env: r.env, window: &r.window,
	}
	if r.agent {
		r.session.Agent = r.dialAgent
	}
	return true
}

// begin starts the session in a new goroutine. If the server is shutting down, begin
// closes the channel instead.
func (r *running) begin(ctx context.Context) {
	s := r.server
	r.begun = true
	s.mu.Lock()
	ending := s.ending
	if !ending {
		s.running.Add(1)
	}
	s.mu.Unlock()
	if ending {
		_ = r.channel.Close()
		return
	}
	r.done.Add(1)
	go func() {
		defer s.running.Done()
		defer r.done.Done()
		status := s.run(ctx, r.session)
		_, _ = r.channel.SendRequest("exit-status", false, gossh.Marshal(struct{ Status uint32 }{uint32(status)})) //nolint:gosec // 0 to 255
		_ = r.channel.Close()
	}()
}

// end cancels the session and closes the connection. It is called if the client does not
// read the output.
func (r *running) end() {
	r.cancel()
	_ = r.member.conn.Close()
}

// dialAgent opens a channel to the SSH agent of the client.
func (r *running) dialAgent(ctx context.Context) (io.ReadWriteCloser, error) {
	type answer struct {
		channel gossh.Channel
		err     error
	}
	opened := make(chan answer, 1)
	go func() { // the goroutine ends when the connection is closed, at the latest
		ch, requests, err := r.member.conn.OpenChannel("auth-agent@openssh.com", nil)
		if err == nil {
			go gossh.DiscardRequests(requests)
		}
		opened <- answer{ch, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-opened:
		return a.channel, a.err
	}
}

// addSession records a new session of the member m. It returns false if the key of m has
// reached its limit of sessions.
func (s *Server) addSession(m *member) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[m.name] >= s.limits.SessionsPerKey {
		return false
	}
	s.sessions[m.name]++
	m.sessions++
	httpserver.SetIdle(m.raw, false)
	s.members[m] = struct{}{}
	return true
}

func (s *Server) endSession(m *member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.sessions--; m.sessions == 0 {
		delete(s.members, m)
		httpserver.SetIdle(m.raw, true)
	}
	if s.sessions[m.name]--; s.sessions[m.name] <= 0 {
		delete(s.sessions, m.name)
	}
}

// idleReader is a reader for the input of a session. When it reads data, it restarts the
// idle timer of the connection.
type idleReader struct {
	io.Reader
	timer *time.Timer
	limit time.Duration
}

// Read implements io.Reader.
func (r idleReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.timer.Reset(r.limit)
	}
	return n, err
}
