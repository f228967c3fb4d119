package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Server is how an MCP server is reached: Command or URL is set.
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
	// Spare lets a program that does not answer in time run on, without input, until it
	// ends by itself: a package runner that is killed leaves its package half installed,
	// for every client.
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

// Stderr returns the end of the server's standard error before err, "" for
// nothing. It is untrusted text.
func Stderr(err error) string {
	var f *failed
	if errors.As(err, &f) {
		return f.stderr
	}
	return ""
}
