// This file describes a server, and starts its program or prepares requests to its URL.

package upstream

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"sync"
	"time"

	"toolcrib/gateway/guard"
)

// Server describes an MCP server. Either Command or URL is set.
type Server struct {
	Name    string        // name in approved tools and in the configuration
	Command []string      // program and arguments; not interpreted by a shell
	Dir     string        // working directory of the program; "" for that of this process
	Env     []string      // complete environment of the program, "KEY=VALUE"
	URL     string        // streamable HTTP endpoint
	Token   string        // bearer token for URL; "" for none
	Headers http.Header   // headers of every request to URL; nil for none
	Timeout time.Duration // time limit of an exchange; 0 means DefaultTimeout
	// LikeClient declares the capabilities of interactive clients, on which the list of tools may depend.
	LikeClient bool
	// Texts also reads the prompts and the instructions.
	Texts bool
	// Spare lets a program that does not respond in time run without input until it exits. Killing a package runner
	// would leave its package half installed for every client.
	Spare bool
}

// Limits of a server's time and output.
const (
	DefaultTimeout = 60 * time.Second
	MaxMessage     = 8 << 20 // bytes of one message
	MaxTools       = 10_000  // tools that a server lists
	maxStderr      = 4 << 10
)

// Errors of servers. An error wraps one of these, or an error of the network or the operating system.
var (
	ErrTimeout = errors.New("did not answer in time")
	// ErrCredentials is returned if a server refused the token or requires one.
	ErrCredentials = errors.New("it refused the credentials; check its token_env")
	ErrTooLarge    = errors.New("exceeded the size limit")
	ErrProtocol    = guard.ErrProtocol
	ErrClosed      = guard.ErrEnded
)

func (s Server) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return DefaultTimeout
}

// connection returns the server for guard.Dial, and a function that returns the last part of the program's standard
// error.
func (s Server) connection() (to guard.Server, stderr func() string, err error) {
	if s.URL != "" {
		headers := http.Header{}
		if s.Token != "" {
			headers.Set("Authorization", "Bearer "+s.Token)
		}
		maps.Copy(headers, s.Headers)
		return guard.NewEndpoint(s.URL, headers), func() string { return "" }, nil
	}
	command := &guard.Command{Args: s.Command, Env: s.Env, Dir: s.Dir, Outlives: s.Spare}
	if !s.Spare {
		end := &tail{}
		command.Stderr = end
		return command, end.String, nil
	}
	f, err := os.CreateTemp("", "toolcrib-*") // a pipe would end with this process, but the program may continue
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // a temporary file; Windows keeps it until it is closed
	command.Stderr = f
	return command, func() string {
		info, err := f.Stat()
		if err != nil {
			return ""
		}
		end, _ := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-maxStderr), maxStderr))
		return string(end)
	}, nil
}

// tail is a writer that keeps the last maxStderr bytes.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-maxStderr):]...)
	t.kept = t.kept[max(0, len(t.kept)-maxStderr):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// failed wraps an error with the name of the server and the last part of its standard error.
type failed struct {
	server, stderr string
	err            error
}

func (f *failed) Error() string { return fmt.Sprintf("the MCP server %s: %v", f.server, f.err) }

func (f *failed) Unwrap() error { return f.err }

// Stderr returns the last part of the server's standard error before err, or "". It is untrusted.
func Stderr(err error) string {
	if f, ok := errors.AsType[*failed](err); ok {
		return f.stderr
	}
	return ""
}
