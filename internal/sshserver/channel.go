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

// Limits for the command, environment, and terminal of a client.
const (
	maxCommand = 64 << 10 // bytes
	maxValue   = 64       // bytes of a variable's value
	maxSide    = 1000     // columns or rows
	maxCells   = 150_000  // of a screen; each needs some 170 bytes of memory
)

// channel serves one channel. It replaces the handler of the ssh library, which
// panics if a length in a pty-req overflows, blocks on window changes without a
// reader, stores unlimited environment variables, and does not report that the
// client has closed only the channel.
func (s *Server) channel(serving context.Context, conn *gossh.ServerConn, requested gossh.NewChannel, sc ssh.Context) {
	m, ok := s.admit(conn, sc)
	if !ok {
		_ = requested.Reject(gossh.ResourceShortage, "too many connections; try again later")
		_ = conn.Close()
		return
	}
	if !s.addSession(m) {
		s.metrics.outcome("too_many_sessions")
		_ = requested.Reject(gossh.ResourceShortage, "too many sessions of this key; close one first")
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
			r.begin(ctx) // after the reply: the client does not read before it
		}
	}
	cancel() // the client closed the channel
	r.done.Wait()
}

// running is the state of a channel before and during its session.
type running struct {
	server  *Server
	member  *member
	channel gossh.Channel
	cancel  context.CancelFunc
	done    sync.WaitGroup

	env     map[string]string
	agent   bool
	session *Session // nil until the client requests a shell or a command
	begun   bool
	window  window
}

// request handles a channel request of the client, and reports whether it
// succeeded.
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
	return false // subsystem, x11-req, signal, break
}

// allowedEnv are the environment variables that clients may set. All of these only
// affect the format of output.
var allowedEnv = []string{"LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "NO_COLOR", "COLORTERM"}

// prepare creates the session for a shell or exec request, and reports whether the
// request was valid.
func (r *running) prepare(req *gossh.Request) bool {
	var p struct{ Command string }
	if r.session != nil || req.Type == "exec" && gossh.Unmarshal(req.Payload, &p) != nil || len(p.Command) > maxCommand {
		return false
	}
	s := r.server
	out := &writer{to: r.channel, limit: s.limits.Write, stuck: r.end, terminal: r.window.terminal()}
	errs := &writer{to: r.channel.Stderr(), limit: s.limits.Write, stuck: r.end, terminal: r.window.terminal()}
	if out.terminal {
		errs.to = r.channel // a terminal shows both in one stream
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

// begin starts the session in its own goroutine.
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

// end cancels the session and closes the connection of a client that does not read.
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
	go func() { // ends with the connection
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

// addSession counts a session of a key, and reports whether it is within the limit.
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

// idleReader restarts the idle timer of a connection on every byte of a session's
// input.
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
