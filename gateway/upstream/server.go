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

// Server describes how to reach an MCP server: Command or URL is set.
type Server struct {
	Name    string        // by which approved tools and the configuration call it
	Command []string      // a program and its arguments; no shell reads them
	Dir     string        // the program's working directory; "" for that of this process
	Env     []string      // the program's whole environment, "KEY=VALUE"
	URL     string        // of a streamable HTTP endpoint
	Token   string        // sent to URL as a bearer token; "" for none
	Headers http.Header   // sent to URL with every request; nil for none
	Timeout time.Duration // of one exchange; 0 means DefaultTimeout
	// LikeClient declares the capabilities that clients of people have. The list of tools may depend on them.
	LikeClient bool
	// Texts also reads the prompts and the instructions.
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
	maxStderr      = 4 << 10
)

// Errors of servers. An error wraps one of these, or the error of the network or of
// the operating system.
var (
	ErrTimeout = errors.New("did not answer in time")
	// ErrCredentials reports that a server refused the token, or that it needs one.
	ErrCredentials = errors.New("it refused the credentials; check its token_env")
	ErrTooLarge    = errors.New("sent more than the limit")
	ErrProtocol    = guard.ErrProtocol
	ErrClosed      = guard.ErrEnded
)

func (s Server) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return DefaultTimeout
}

// connection returns the connection to the server that guard.Dial opens, and a function that returns the end of the
// program's standard error.
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
	f, err := os.CreateTemp("", "toolcrib-*") // a pipe ends with this process, and the program may not
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

// tail keeps the last bytes that were written to it.
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
