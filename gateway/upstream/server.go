// This file describes servers, and prepares connections to them.

package upstream

import (
	"cmp"
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
	Name    string        // name of the server in approved tools and in the configuration
	Command []string      // program and its arguments; not interpreted by a shell
	Dir     string        // working directory of the program; "" for the working directory of this process
	Env     []string      // complete environment of the program, "KEY=VALUE"
	URL     string        // streamable HTTP endpoint
	Token   string        // bearer token for URL; "" for none
	Headers http.Header   // headers of every request to URL; nil for none
	Timeout time.Duration // time limit of a request; 0 means DefaultTimeout
	// If LikeClient is set, toolcrib declares the capabilities of an interactive client to the server, because some
	// servers list other tools to interactive clients.
	LikeClient bool
	// If Texts is set, the server's document also contains the prompts and instructions.
	Texts bool
	// If Spare is set, a program that does not respond in time is not killed; only its input is closed. Killing a
	// package runner could leave a partially installed package, which would affect every client.
	Spare bool
}

// Limits of a server's time and output.
const (
	DefaultTimeout = 60 * time.Second
	MaxMessage     = 8 << 20 // maximum size of a message in bytes
	MaxTools       = 10_000  // maximum number of tools that a server lists
	maxStderr      = 4 << 10
)

// Errors of servers. All other errors are errors of the network or the operating system.
var (
	ErrTimeout = errors.New("the server did not answer in time")
	// ErrCredentials indicates that a server refused the token, or requires a token.
	ErrCredentials = errors.New("the server refused the credentials; check the token_env of this server in the configuration of toolcrib")
	ErrTooLarge    = errors.New("size limit exceeded")
	ErrProtocol    = guard.ErrProtocol
	ErrClosed      = guard.ErrEnded
)

// Noise describes lines other than messages that a server wrote to its standard output. The error of an unanswered
// request wraps Noise if there were such lines.
type Noise string

// Error implements error.
func (n Noise) Error() string { return string(n) }

func (s Server) timeout() time.Duration {
	return cmp.Or(max(s.Timeout, 0), DefaultTimeout)
}

// connection converts s to a server for guard.Dial. stderr returns the last part of the program's standard error.
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
	f, err := os.CreateTemp("", "toolcrib-*") // the program may outlive this process, which would break a pipe
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // fails on Windows, where an open file cannot be removed
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

// tail is an io.Writer that retains the last maxStderr bytes.
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

// failed is an error with the name of the server and the last part of the server's standard error.
type failed struct {
	server, stderr string
	err            error
}

func (f *failed) Error() string { return fmt.Sprintf("the MCP server %s: %v", f.server, f.err) }

func (f *failed) Unwrap() error { return f.err }

// Stderr returns the last part of the server's standard error before err occurred, or "" if err does not contain this
// output. The text is untrusted.
func Stderr(err error) string {
	if f, ok := errors.AsType[*failed](err); ok {
		return f.stderr
	}
	return ""
}
