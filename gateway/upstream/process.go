package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/internal/proc"
)

// Times that a server has to end after its input has ended, and after it was terminated;
// then its process group is killed.
const (
	endsByItself = time.Second
	endsWhenTold = time.Second
)

// process is an mcp.Transport: a program that speaks over its standard input
// and output.
type process struct {
	server Server
	tap    *tap
	stderr *tail

	cmd    *exec.Cmd
	in     io.Closer
	exited chan struct{} // closed when it has
	stop   sync.Once

	mu      sync.Mutex
	started bool
	given   bool // up, before it was started
	spared  bool // not killed, but left to exit on its own
}

// giveUp ends a program without a session, or prevents its start. A program that was only
// late may be spared.
func (p *process) giveUp(late bool) {
	p.mu.Lock()
	p.given = true
	started := p.started
	p.spared = late && p.server.Spare
	p.mu.Unlock()
	switch {
	case started && p.spared:
		_ = p.in.Close() // it continues, or it has exited
	case started:
		p.kill()
	}
}

// start starts the program, unless giveUp was called.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.given {
		return context.Canceled
	}
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("cannot be started: %w", err)
	}
	p.started, p.exited = true, make(chan struct{})
	go func() {
		_ = p.cmd.Wait() // the connection reports the end
		close(p.exited)
	}()
	return nil
}

// Connect starts the program.
func (p *process) Connect(ctx context.Context) (mcp.Connection, error) {
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	p.cmd = exec.Command(p.server.Command[0], p.server.Command[1:]...) //nolint:noctx // it outlives the call that starts it
	p.cmd.Dir, p.cmd.Env = p.server.Dir, p.server.Env
	p.cmd.Stdout, p.cmd.Stderr = theirs, p.stderr
	if p.server.Spare { // it may outlive this process and its pipes
		f, err := os.CreateTemp("", "toolcrib-*")
		if err != nil {
			return nil, err
		}
		p.cmd.Stderr = f
		p.stderr.reads(f)
		defer os.Remove(f.Name()) //nolint:errcheck // a temporary file; Windows keeps it until it is closed
	}
	p.cmd.WaitDelay = endsWhenTold // a child process may keep its standard error open
	proc.OwnGroup(p.cmd)
	in, err := p.cmd.StdinPipe()
	p.in = in
	if err == nil {
		err = p.start()
	}
	if err != nil {
		out.Close()
		return nil, err
	}
	inner, err := (&mcp.IOTransport{Reader: newFrames(out, p.tap), Writer: in, MaxLineLength: 2 * MaxMessage}).Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tapped{Connection: inner, tap: p.tap, end: p.end}, nil
}

// end waits for the program to end and kills it if it does not.
func (p *process) end() {
	p.stop.Do(func() {
		waits := p.waits(endsByItself)
		p.mu.Lock()
		spared := p.spared
		p.mu.Unlock()
		if spared {
			return
		}
		if waits {
			_ = proc.Terminate(p.cmd) // it is killed if this fails
			p.waits(endsWhenTold)
		}
		p.kill()
	})
}

// kill kills the program and the processes that it started.
func (p *process) kill() {
	_ = proc.Kill(p.cmd) // an error means that no process is left
	<-p.exited
}

// waits reports whether the program still runs after d.
func (p *process) waits(d time.Duration) bool {
	select {
	case <-p.exited:
		return false
	case <-time.After(d):
		return true
	}
}

// tapped is a connection that passes through a tap.
type tapped struct {
	mcp.Connection
	tap *tap
	end func()
}

// Write implements mcp.Connection.
func (c *tapped) Write(ctx context.Context, msg jsonrpc.Message) error {
	c.tap.sent(ctx, msg)
	return c.Connection.Write(ctx, msg)
}

// Read implements mcp.Connection.
func (c *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if err != nil {
		c.tap.fail(err)
		return nil, err
	}
	return c.tap.received(msg), nil
}

// Close implements mcp.Connection.
func (c *tapped) Close() error {
	err := c.Connection.Close()
	c.end()
	return err
}

// tail keeps the last bytes that were written to it or to its file.
type tail struct {
	mu   sync.Mutex
	kept []byte
	file *os.File
}

var _ io.Writer = (*tail)(nil)

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-maxStderr):]...)
	t.kept = t.kept[max(0, len(t.kept)-maxStderr):]
	return len(p), nil
}

// reads makes the tail read from a file.
func (t *tail) reads(f *os.File) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.file = f
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return string(t.kept)
	}
	info, err := t.file.Stat()
	if err != nil {
		return ""
	}
	kept := make([]byte, min(info.Size(), maxStderr))
	n, _ := t.file.ReadAt(kept, info.Size()-int64(len(kept))) // as much as is available
	return string(kept[:n])
}

// Server describes how to reach an MCP server: Command or URL is set.
type Server struct {
	Name    string        // by which approved tools and the configuration call it
	Command []string      // a program and its arguments; no shell reads them
	Dir     string        // the program's working directory, "" for our own
	Env     []string      // the program's whole environment, "KEY=VALUE"
	URL     string        // of a streamable HTTP endpoint
	Token   string        // sent to URL as a bearer token, "" for none
	Headers http.Header   // sent to URL with every request, nil for none
	Timeout time.Duration // of one exchange; 0 means DefaultTimeout
	// Newest is how long an answer in the newest revision is waited for before an older
	// one is tried; 0 for half of Timeout.
	Newest time.Duration
	// LikeClient asks as the clients of people do: with initialize first, and with
	// their capabilities, on which the list of tools may depend.
	LikeClient bool
	// Texts reads the prompts and the instructions, too.
	Texts bool
	// Spare leaves a program that does not answer in time running, without input, until it exits: killing a package
	// runner leaves its package half installed, for every client.
	Spare bool
}

// Limits of a server's time and output.
const (
	DefaultTimeout = 60 * time.Second
	MaxMessage     = 8 << 20 // bytes of one message
	MaxTools       = 10_000  // that one server lists
	MaxPages       = 1_000   // of one list
	maxNoise       = 64 << 10
	maxStderr      = 4 << 10
)

// Errors of servers. An error wraps one of these, or the error of the network or of
// the operating system.
var (
	ErrTimeout = errors.New("did not answer in time")
	// ErrCredentials reports that a server refused the token, or that it needs one.
	ErrCredentials = errors.New("it refused the credentials; check its token_env")
	ErrTooLarge    = errors.New("sent more than the limit")
	ErrProtocol    = errors.New("violates the protocol")
	ErrClosed      = errors.New("the connection ended")
)

func (s Server) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return DefaultTimeout
}

// failed wraps an error with its server, and with the last lines of its
// standard error.
type failed struct {
	server, stderr string
	err            error
}

func (f *failed) Error() string { return fmt.Sprintf("the MCP server %s: %v", f.server, f.err) }

func (f *failed) Unwrap() error { return f.err }

// Stderr returns the end of the server's standard error before err, or "". It is untrusted text.
func Stderr(err error) string {
	var f *failed
	if errors.As(err, &f) {
		return f.stderr
	}
	return ""
}
