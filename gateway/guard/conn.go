// This file implements Conn, a connection through which toolcrib sends requests to a server.

package guard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"toolcrib/internal/plaintext"
	"toolcrib/registry/jsondoc"
)

// Errors of a connection.
var (
	ErrTooLarge = errors.New("a message exceeds 64 MB") // the limit is Times.MaxMessage; its default is 64 MB
	ErrProtocol = errors.New("protocol violation")
	ErrEnded    = errors.New("the connection ended")
	ErrRedirect = errors.New("the server redirects to another address")
)

// Unreachable is the error of an HTTP request without a complete response. The text of the error omits the URL, which
// may contain a secret.
type Unreachable struct{ Err error }

// Error implements error.
func (u Unreachable) Error() string { return u.Err.Error() }

// Unwrap returns the cause of the error.
func (u Unreachable) Unwrap() error { return u.Err }

// Credentials is the error of a request that the server at a URL refused because of missing or wrong credentials.
type Credentials string

// Error implements error.
func (c Credentials) Error() string { return string(c) }

// Conn is a connection through which toolcrib itself sends requests to a server. (A Guard, in contrast, relays the
// requests of a client.) Conn does not validate results. It skips up to maxSkipped bytes of output other than messages,
// such as a greeting.
type Conn struct {
	server  Server
	notify  func(method string)
	ctx     context.Context //nolint:containedctx // context of the connection
	stop    context.CancelFunc
	ended   chan struct{}
	closing time.Duration // maximum time that Close waits for the server to end

	newID func() string // returns the encoded id of the next request

	mu      sync.Mutex
	sent    chan struct{}          // closed when the most recent message has been sent
	waiting map[string]chan answer // keyed by the key of the request's id
	broken  error
	skipped int    // number of bytes of output other than messages
	shown   string // last line of output that was not a message
}

type answer struct {
	result json.RawMessage
	err    error
}

// maxSkipped is the maximum size of a server's output other than messages, in bytes. If the output is larger, the
// connection fails.
const maxSkipped = 64 << 10

// newConn returns a connection to s. The caller must pass the server's responses to deliver.
func newConn(ctx context.Context, s Server) *Conn {
	c := &Conn{server: s, ended: make(chan struct{}), sent: make(chan struct{}), waiting: map[string]chan answer{}}
	close(c.sent)
	c.ctx, c.stop = context.WithCancel(ctx)
	last := atomic.Int64{}
	c.newID = func() string { return strconv.FormatInt(last.Add(1), 10) }
	return c
}

// Dial connects to s. The connection lasts until Close is called or the server ends. If notify is not nil, it is called
// with the method of every notification from the server. notify must not block.
func Dial(s Server, t Times, notify func(method string)) (*Conn, error) {
	t = t.withDefaults()
	c := newConn(context.Background(), s)
	c.closing, c.notify = t.End+2*t.Stop, notify
	if e, ok := s.(*Endpoint); ok {
		e.listens = notify == nil // if notify is nil, mark the stream of notifications as open, which prevents send from opening it
		e.failed = func(id []byte, err error) { c.deliver(idKey(id), answer{err: err}) }
	}
	if err := s.start(c.ctx, t, func(string) {}); err != nil {
		c.stop()
		return nil, err
	}
	go func() {
		_, err := s.serve(c.ctx, c.receive)
		c.fail(cmp.Or(err, ErrEnded))
		close(c.ended)
	}()
	return c, nil
}

// Ended returns a channel that is closed when the connection has ended.
func (c *Conn) Ended() <-chan struct{} { return c.ended }

// Close closes the connection. If the server is a Command, Close also ends the process.
func (c *Conn) Close() {
	c.server.finish()
	select {
	case <-c.ended:
	case <-time.After(c.closing):
	}
	c.fail(ErrEnded)
	<-c.ended
}

// CloseInput closes the input of a Command without ending the process. For other servers, it does nothing.
func (c *Conn) CloseInput() {
	if program, ok := c.server.(*Command); ok {
		_ = program.in.Close() // fails if the process has already exited
	}
}

// fail closes the connection. All waiting and later requests return err, or the error of an earlier call of fail.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	c.broken = cmp.Or(c.broken, err)
	for key, waits := range c.waiting {
		waits <- answer{err: c.broken}
		delete(c.waiting, key)
	}
	c.mu.Unlock()
	c.stop()
}

// Skipped returns the last line of output that was not a message, or "" if there was no such line.
func (c *Conn) Skipped() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown
}

// Call sends a request and returns the unchanged result in the response. If the server is an Endpoint, Call sends
// headers as additional HTTP headers. If the server responds with an error, Call returns a *jsonrpc.Error.
func (c *Conn) Call(ctx context.Context, method string, params []byte, headers map[string]string) (json.RawMessage, error) {
	id, waits := c.newID(), make(chan answer, 1)
	key := idKey([]byte(id))
	c.mu.Lock()
	if c.broken != nil {
		waits <- answer{err: c.broken}
	} else {
		c.waiting[key] = waits
	}
	c.mu.Unlock()
	c.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`, id, method, params), headers, func(err error) {
		c.deliver(key, answer{err: err})
	})
	select {
	case a := <-waits:
		return a.result, a.err
	case <-ctx.Done():
		c.deliver(key, answer{})
		c.Notify("notifications/cancelled", fmt.Appendf(nil, `{"requestId":%s}`, id))
		return nil, ctx.Err()
	}
}

// Notify sends a notification. It ignores errors, because the next request reports them.
func (c *Conn) Notify(method string, params []byte) {
	c.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"%s","params":%s}`, method, params), nil, func(error) {}) // ignore the error; the next request reports it
}

// send sends text after all earlier messages. The order is important, because a server may refuse requests that arrive
// before notifications/initialized. send does not block, even if the server does not read. If text cannot be sent, send
// calls failed with the error.
func (c *Conn) send(text []byte, headers map[string]string, failed func(error)) {
	m, err := read(text)
	if err != nil {
		failed(err)
		return
	}
	m.mirrored = headers
	c.mu.Lock()
	before, sent := c.sent, make(chan struct{})
	c.sent = sent
	c.mu.Unlock()
	go func() {
		defer close(sent)
		<-before
		if err := c.server.send(c.ctx, &m, append(text, '\n')); err != nil {
			failed(fmt.Errorf("%w: %w", ErrEnded, err))
		}
	}()
}

// deliver passes a to the waiting request with the given key. It returns false if there is no such request.
func (c *Conn) deliver(key string, a answer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[key] == nil && strings.HasPrefix(key, `"`) { // some servers respond to 1 with "1"
		key = key[1:]
	}
	waits := c.waiting[key]
	if waits != nil {
		waits <- a
		delete(c.waiting, key)
	}
	return waits != nil
}

// answer returns the result or the error in the response m.
func (m *message) answer() answer {
	if failure := m.failure.of(m.text); len(failure) > 0 && string(failure) != "null" {
		refused := &jsonrpc.Error{}
		if json.Unmarshal(failure, refused) != nil {
			refused.Message = "unreadable error message"
		}
		return answer{err: refused}
	}
	if m.unread != nil {
		return answer{result: m.unread}
	}
	return answer{result: bytes.Clone(m.result.of(m.text))}
}

// receive delivers the responses in a line from the server, responds to the server's requests, and reports
// notifications.
func (c *Conn) receive(line []byte) {
	text := bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark))
	if messages, ok := batch(text); ok {
		for _, m := range messages {
			c.receive(m)
		}
		return
	}
	m := message{text: text}
	err := m.parse(lenient)
	switch {
	case err != nil && bytes.HasPrefix(text, []byte("{")) && bytes.Contains(text, []byte(`"jsonrpc"`)):
		c.fail(fmt.Errorf("%w: a message cannot be read: %w", ErrProtocol, err))
	case err == nil && m.named.present() && m.id.present(): // a request from the server
		id, method := m.id.of(m.text), m.str(m.named)
		response := refused(id, jsonrpc.CodeMethodNotFound, "toolcrib does not support the method "+jsondoc.Printable(method))
		if result, known := map[string]string{"ping": `{}`, "roots/list": `{"roots":[]}`}[method]; known {
			response = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
		}
		c.send(response, nil, func(error) {})
	case err == nil && m.named.present():
		if c.notify != nil {
			c.notify(m.str(m.named))
		}
	case err == nil && m.id.present() && (m.result.present() || m.failure.present()):
		c.deliver(m.key(), m.answer())
	default:
		c.mu.Lock()
		c.skipped += len(line)
		if len(text) > 0 {
			c.shown = plaintext.Clip(string(text), 200)
		}
		full := c.skipped > maxSkipped
		c.mu.Unlock()
		if full {
			c.fail(fmt.Errorf("%w: the standard output contains lines that are not messages", ErrProtocol))
		}
	}
}
