package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Config has the parts of a guard.
type Config struct {
	Crib Crib
	Name string // of the server
	In   io.Reader
	Out  io.Writer
	Log  func(text string) // for the person who reads the client's log of the server
	// Gone reports whether nobody reads Out any more; nil for never.
	Gone  func() bool
	Times Times
}

// Server is a connection to a server: see Command and Endpoint.
type Server interface {
	// start connects.
	start(ctx context.Context, times Times, log func(string)) error
	// serve hands every message of the server to receive, one line each, until the
	// server ends, and returns its exit status. It ends the server when ctx does.
	serve(ctx context.Context, receive func(line []byte)) (status int, err error)
	// send sends a message of the client, whose line it is.
	send(ctx context.Context, m *message, line []byte) error
	// finish says that nothing more is sent.
	finish()
}

// Guard relays between one client and one server.
type Guard struct {
	config Config
	client *lineWriter
	server Server

	calls     queue
	refresher refresher
	observer  observer

	loaded       chan struct{} // closed when the approved tools were asked for once
	introducedBy chan struct{} // closed when the server told its capabilities
	introduction sync.Once

	mu       sync.Mutex
	asked    map[string]*asked     // by id: what the client asked and the server has not answered
	own      map[string]chan reply // by id: what the guard asked
	approved Approved
	closed   error         // why nothing is listed and called; nil when something is
	idle     chan struct{} // gets a signal when everything that the client asked is answered
	told     string        // names what the client was listed
	noticed  bool          // the server reported a change since the last comparison, which the client heard
	session  session

	modern atomic.Bool // the client speaks a revision without initialize
}

// asked is a request of the client that the server has not answered.
type asked struct {
	method string
	call   *call // nil for anything but a call
}

// session holds the facts that client and server gave of themselves.
type session struct {
	began         bool // messages other than the handshake may pass
	client        string
	capabilities  json.RawMessage // of the client
	server        json.RawMessage
	protocol      string
	shakes        bool // it begins with initialize
	toolless      bool // the server says that it has no tools
	logging       bool
	meta          json.RawMessage            // of the client's requests, where there is no handshake
	subscriptions map[string]json.RawMessage // by key: ids of requests that wait for list_changed
}

// New returns a guard.
func New(c Config, s Server) *Guard {
	c.Times = c.Times.orUsual()
	g := &Guard{
		config: c, client: &lineWriter{to: c.Out}, server: s, loaded: make(chan struct{}), introducedBy: make(chan struct{}),
		idle: make(chan struct{}, 1), asked: map[string]*asked{}, own: map[string]chan reply{},
	}
	g.calls.changed = sync.NewCond(&g.calls.mu)
	g.refresher.init()
	g.observer.news = make(chan struct{}, 1)
	g.session.subscriptions = map[string]json.RawMessage{}
	return g
}

// Serve relays until the server ends, and returns its exit status. It ends the server
// when the client goes away or ctx ends.
func (g *Guard) Serve(ctx context.Context) (status int, err error) {
	if err := g.server.start(ctx, g.config.Times, g.config.Log); err != nil {
		return 1, err
	}
	alive, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { g.follow(alive) })
	running.Go(func() { g.refreshes(alive) })
	running.Go(func() { g.observes(alive) })
	running.Go(func() { g.forwards(alive) })
	go g.receives(alive) // ends with the client's input, which nothing else ends
	status, err = g.server.serve(ctx, func(line []byte) { g.fromServer(alive, line) })
	stop()
	g.calls.close()
	running.Wait()
	g.lose()
	return status, err
}

// receives reads the client's messages until there are no more.
func (g *Guard) receives(ctx context.Context) {
	lines := newLineReader(g.config.In)
	for ctx.Err() == nil {
		line, err := lines.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				g.config.Log("the client's messages cannot be read: " + err.Error())
			}
			break
		}
		g.fromClient(ctx, line)
	}
	g.calls.close()
}

// fromClient relays one line of the client.
func (g *Guard) fromClient(ctx context.Context, line []byte) {
	text := bytes.TrimRight(line, "\r\n")
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if messages, ok := batch(text); ok {
		if len(messages) == 0 {
			g.answer(refused(nil, codeInvalidRequest, "the batch is empty"))
		}
		for _, m := range messages {
			g.fromClient(ctx, ended(m))
		}
		return
	}
	m, err := read(text)
	var unclear ambiguous
	switch {
	case errors.As(err, &unclear):
		g.answer(refused(m.id.of(text), codeInvalidRequest, "toolcrib does not pass this message on: "+err.Error()))
		return
	case err != nil:
		g.answer(refused(nil, codeParse, "toolcrib does not pass this message on: "+err.Error()))
		return
	}
	g.note(&m)
	switch {
	case m.method == "tools/call" && m.kind == request:
		g.take(ctx, &m, line)
	case m.method == "notifications/cancelled" && g.cancels(&m):
	case g.calls.waits():
		g.calls.put(queued{line: bytes.Clone(line)})
	default:
		g.pass(ctx, &m, line)
	}
}

// pass sends a message that is no call to the server.
func (g *Guard) pass(ctx context.Context, m *message, line []byte) {
	if m.kind == request && !g.ask(m, &asked{method: m.method}) {
		return
	}
	if err := g.server.send(ctx, m, line); err != nil {
		g.unsent(m, err)
		return
	}
	if m.method == "notifications/initialized" {
		g.begin()
	}
}

// ask remembers a request, and refuses one with an id that another one has: their
// answers could be taken for each other.
func (g *Guard) ask(m *message, a *asked) bool {
	key := m.key()
	g.mu.Lock()
	_, twice := g.asked[key]
	if !twice {
		g.asked[key] = a
	}
	g.mu.Unlock()
	if twice {
		g.answer(refused(m.id.of(m.text), codeInvalidRequest, "a request with this id waits for its answer"))
	}
	return !twice
}

// unsent answers a request that could not be sent.
func (g *Guard) unsent(m *message, err error) {
	g.config.Log(fmt.Sprintf("%s cannot be sent to the server: %v", m.method, err))
	if m.kind != request {
		return
	}
	if a := g.answered(m.key()); a != nil {
		g.concludes(a.call, Outcome{End: Lost, Message: err.Error()})
		g.answer(refused(m.id.of(m.text), codeInternal, "the server cannot be reached: "+err.Error()))
	}
}

// answered forgets what was asked under an id, and returns it; nil for nothing.
func (g *Guard) answered(key string) *asked {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.asked[key]
	delete(g.asked, key)
	if a != nil && !g.busy() {
		select {
		case g.idle <- struct{}{}:
		default:
		}
	}
	return a
}

// answer writes a line of the guard's own to the client.
func (g *Guard) answer(text []byte) {
	_ = g.client.write(ended(text)) // a client that went away is noticed at its input
}

// busy reports whether the client waits for an answer. A subscription has none until
// the server ends it.
func (g *Guard) busy() bool {
	for _, a := range g.asked {
		if a.method != "subscriptions/listen" {
			return true
		}
	}
	return false
}

// goneLooks is the time between looks at whether somebody reads the last answers.
const goneLooks = 100 * time.Millisecond

// finish ends the server's input after the client's: when everything that the client
// asked is answered, since many servers end with their input, or when nobody reads the
// answers, or when they are late.
func (g *Guard) finish(ctx context.Context) {
	defer g.server.finish()
	late, looks := time.NewTimer(g.config.Times.Answer), time.NewTicker(goneLooks)
	defer late.Stop()
	defer looks.Stop()
	for {
		g.mu.Lock()
		busy := g.busy()
		g.mu.Unlock()
		if !busy || g.client.gone() || g.config.Gone != nil && g.config.Gone() {
			return
		}
		select {
		case <-g.idle:
		case <-looks.C:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// lose concludes the calls that the server can answer no more.
func (g *Guard) lose() {
	g.mu.Lock()
	lost := g.asked
	g.asked = map[string]*asked{}
	g.mu.Unlock()
	for _, a := range lost {
		g.concludes(a.call, Outcome{End: Lost, Message: "the server ended before it answered"})
	}
}

// Codes of JSON-RPC 2.0 errors.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// refused is an error that answers the request with an id; nil for one that could not
// be read.
func refused(id []byte, code int, message string) []byte {
	if len(id) == 0 {
		id = []byte("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(message))
}

// quote writes a text as JSON.
func quote(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil {
		return []byte(`""`) // no text fails
	}
	return b
}
