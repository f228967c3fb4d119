// This file relays messages between the client and the server, and reads and writes messages as lines.

package guard

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"toolcrib/gateway/texts"
	"toolcrib/internal/plaintext"
)

// Config configures a guard.
type Config struct {
	Backend Backend
	Name    string // name of the server
	// If Texts is true, the server's prompts and instructions require approval, too. Otherwise, they pass unchanged.
	Texts bool
	// If Notice is true, the guard adds a sentence with the number of withheld tools to the server's instructions.
	Notice bool
	In     io.Reader
	Out    io.Writer
	Log    func(text string) // writes text to the client's log of the server
	// Gone waits until the reader of Out has closed the connection, or until the duration wait has elapsed. It reports
	// whether the reader has closed the connection. If Gone is nil, the guard assumes that the reader never closes the
	// connection.
	Gone  func(wait time.Duration) bool
	Times Times
}

// Server is a connection to a server: a Command or an Endpoint.
type Server interface {
	// start starts the program of a Command, or prepares the HTTP client of an Endpoint.
	start(ctx context.Context, times Times, log func(string)) error
	// serve calls receive with every line from the server until the server ends, and returns the server's exit status.
	// When ctx is done, serve ends the server.
	serve(ctx context.Context, receive func(line []byte)) (status int, err error)
	// send sends the message m to the server. line is the text of m, including the line break.
	send(ctx context.Context, m *message, line []byte) error
	// finish closes the input of a Command, or stops an Endpoint.
	finish()
}

// Guard relays messages between a client and a server.
type Guard struct {
	config Config
	client *lineWriter
	server Server

	requests  requests // unanswered requests of the client
	calls     queue
	session   session
	approvals approvals
	requester requester
	refresher refresher
	observer  observer

	texts texts.Reader
	noise atomic.Pointer[string] // last line of the server's output that was not a message

	explained atomic.Bool // the observer has already received the reason why no list is available

	notifying sync.Mutex // held by notifyChanges; prevents an older comparison of the client's lists from replacing a newer comparison

	mu        sync.Mutex
	listed    map[listKind]string // identifies the list that the client would receive; "" before the first comparison
	shown     map[listKind]string // version of the approvals that filtered the client's most recent list
	closedFor string              // error that reportError last sent to the client; "" after a successful read of the approvals
	noticed   map[listKind]bool   // lists for which the server has sent a list_changed notification to the client since the last comparison
	again     bool                // the next comparison must read the texts of all prompts again
	vetted    map[string]vetted   // keyed by the name of the tool
}

// New returns a guard for the server s.
func New(c Config, s Server) *Guard {
	c.Times = c.Times.withDefaults()
	g := &Guard{
		config: c, client: &lineWriter{to: c.Out}, server: s, listed: map[listKind]string{}, shown: map[listKind]string{}, noticed: map[listKind]bool{}, vetted: map[string]vetted{},
		requests:  requests{idle: make(chan struct{}, 1), byID: map[string]*openRequest{}},
		session:   session{introduced: make(chan struct{}), subscriptions: map[string]subscription{}},
		approvals: approvals{loaded: make(chan struct{})},
		refresher: refresher{compared: make(chan struct{}), wakeUp: make(chan struct{}, 1), requested: 1}, // requested is 1, because calls must wait for the first comparison
		observer:  observer{config: c, news: make(chan struct{}, 1)},
	}
	g.calls.changed = sync.NewCond(&g.calls.mu)
	g.requester = requester{conn: newConn(context.Background(), s), session: &g.session, limit: c.Times.List}
	g.requester.conn.newID = func() string { return ownID + rand.Text() + `"` } // random, because a server must not be able to predict the id
	g.texts.Ask = g.requester.request
	return g
}

// ownID is the prefix of the ids in requests that the guard itself creates, in JSON encoding.
const ownID = `"toolcrib-guard-`

// Serve relays messages until the server exits, and returns its exit status. It stops the server when the client
// disconnects or ctx is done.
func (g *Guard) Serve(ctx context.Context) (status int, err error) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	if err := g.server.start(ctx, g.config.Times, g.config.Log); err != nil {
		return 1, err
	}
	alive, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { g.followApprovals(alive) })
	running.Go(func() { g.refreshLists(alive) })
	running.Go(func() { g.observer.run(alive, &g.approvals) })
	running.Go(func() { g.forwardQueued(alive) })
	go func() { // detects a disconnected client even while readClient is blocked because the server does not accept messages
		for g.config.Gone != nil && alive.Err() == nil {
			if g.config.Gone(30 * time.Second) {
				leave()
				return
			}
		}
	}()
	go g.readClient(alive) // returns when the client's input ends
	status, err = g.server.serve(ctx, func(line []byte) { g.handleServer(alive, line) })
	stop()
	g.calls.close()
	running.Wait()
	if !g.explained.Load() && g.refresher.list(toolsList) == nil && g.session.facts().introduced && !g.session.facts().toolless && ctx.Err() == nil {
		g.observer.put(Listing{Problem: "the server exited before it listed its tools"})
	}
	g.observer.proposeLast(ctx, &g.approvals)
	g.requests.mu.Lock()
	unanswered := slices.Collect(maps.Values(g.requests.byID))
	clear(g.requests.byID)
	g.requests.mu.Unlock()
	for _, a := range unanswered {
		g.conclude(a.call, failed("the server exited before it answered"))
	}
	return status, err
}

// readClient reads the client's messages until the end of the input.
func (g *Guard) readClient(ctx context.Context) {
	lines := newLineReader(g.config.In, MaxLine)
	for ctx.Err() == nil {
		line, err := lines.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				g.config.Log("the client's messages cannot be read: " + err.Error())
			}
			break
		}
		g.handleClient(ctx, line)
	}
	g.calls.close()
}

// handleClient refuses, queues, or forwards the messages in a line from the client.
func (g *Guard) handleClient(ctx context.Context, line []byte) {
	text := bytes.TrimRight(line, "\r\n")
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if messages, ok := batch(text); ok {
		if len(messages) == 0 {
			g.writeClient(refused(nil, codeInvalidRequest, "the batch is empty"))
		}
		for _, m := range messages {
			g.handleClient(ctx, m)
		}
		return
	}
	m, err := read(text)
	switch {
	case errors.As(err, new(ambiguous)):
		g.writeClient(refused(m.id.of(text), codeInvalidRequest, "toolcrib does not forward this message: "+err.Error()))
		return
	case err != nil:
		g.writeClient(refused(nil, codeParse, "toolcrib does not forward this message: "+err.Error()))
		return
	}
	g.session.hear(&m)
	switch {
	case m.method == "tools/call" && m.kind == request:
		g.enqueueCall(ctx, &m, line)
	case m.method == "tools/call": // a notification, which some servers may run as a call
		g.config.Log("withheld a tools/call without an id, because toolcrib can neither refuse nor answer a notification")
	case m.method == "notifications/cancelled" && g.cancelQueued(&m):
	case g.calls.busy():
		g.calls.put(queued{line: bytes.Clone(line)})
	default:
		g.pass(ctx, &m, line)
	}
}

// pass sends a message other than a call to the server. If the message is a request, pass first records it, because
// relay requires the record to handle the response.
func (g *Guard) pass(ctx context.Context, m *message, line []byte) {
	if m.kind == request {
		a := &openRequest{method: m.method}
		if m.method == "prompts/get" && g.config.Texts {
			name, args, err := m.called()
			if a.prompt = name; err != nil || name == "" || len(args) > 0 && json.Unmarshal(args, &a.arguments) != nil {
				g.writeClient(refused(m.id.of(m.text), codeInvalidParams, "toolcrib does not forward this request: the name of the prompt is missing, or an argument is not a string"))
				return
			}
		}
		if !g.addRequest(m, a) {
			return
		}
	}
	if err := g.server.send(ctx, m, line); err != nil {
		g.refuseUnsent(m, err)
		return
	}
	if m.method == "notifications/initialized" {
		g.startComparing()
	}
}

// addRequest records a request of the client and returns true. If another unanswered request has the same id, the
// responses could be confused; addRequest then responds with an error and returns false.
func (g *Guard) addRequest(m *message, a *openRequest) bool {
	if g.requests.add(m.key(), a) {
		return true
	}
	g.writeClient(refused(m.id.of(m.text), codeInvalidRequest, "another request with this id has not been answered yet"))
	return false
}

// refuseUnsent logs that m could not be sent because of err. If m is a request, refuseUnsent also responds to it with
// an error.
func (g *Guard) refuseUnsent(m *message, err error) {
	g.config.Log(fmt.Sprintf("%s cannot be sent to the server: %v", m.method, err))
	if m.kind != request {
		return
	}
	if a := g.requests.remove(m.key()); a != nil {
		g.conclude(a.call, failed(err.Error()))
		g.writeClient(refused(m.id.of(m.text), codeInternal, "the server cannot be reached: "+err.Error()))
	}
}

// writeClient writes text to the client as one line.
func (g *Guard) writeClient(text []byte) {
	_ = g.client.write(text) // readClient detects a disconnected client
}

// closeServer closes the server's input after the client's input has ended. It first waits until the server has
// responded to all requests, because many servers exit at the end of their input. It stops waiting if the client no
// longer reads the output, or if a timeout expires.
func (g *Guard) closeServer(ctx context.Context) {
	defer g.server.finish()
	late, looks := time.NewTimer(g.config.Times.Answer), time.NewTicker(100*time.Millisecond)
	defer late.Stop()
	defer looks.Stop()
	for {
		if !g.requests.busy() || g.client.gone() || g.config.Gone != nil && g.config.Gone(0) {
			return
		}
		select {
		case <-g.requests.idle:
		case <-looks.C:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// handleServer relays or withholds the messages in a line from the server.
func (g *Guard) handleServer(ctx context.Context, line []byte) {
	line = bytes.TrimPrefix(line, byteOrderMark)
	text := bytes.TrimRight(line, "\r\n")
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if messages, ok := batch(text); ok {
		for _, m := range messages {
			g.handleServer(ctx, m)
		}
		return
	}
	m, err := read(text)
	if err != nil && m.result.present() {
		rest, whole := g.readable(&m), m.result.of(text)
		unread := rest != nil
		if !unread && !m.named.present() && string(m.failure.of(text)) == "null" { // some servers send "error":null with a result, which some clients reject
			if out, err := without(&m, span{0, len(text)}, "error"); err == nil {
				rest = out
			}
		}
		if rest != nil {
			line, text = rest, rest
			m, err = read(text)
			if unread {
				m.unread = bytes.Clone(whole)
			}
		}
	}
	if err == nil && bytes.IndexByte(text, '\r') >= 0 {
		err = ambiguous("the message contains a line break, which some clients treat as the end of a message")
	}
	switch {
	case m.kind == 0 && !m.id.present() && err != nil:
		g.noise.Store(new(clip(string(text))))
		g.config.Log(fmt.Sprintf("the standard output of the server contains a line that is not a message: %s (%v)", clip(string(text)), err))
	case err != nil: // withhold the message; if it is a response, send the client an error instead
		g.config.Log("withheld a message of the server: " + err.Error())
		if !m.isResponse() || g.requester.conn.deliver(m.key(), answer{err: err}) {
			return
		}
		if a := g.requests.remove(m.key()); a != nil {
			g.conclude(a.call, failed("withheld: "+err.Error()))
			g.writeClient(refused(m.id.of(m.text), codeInternal, "toolcrib withheld the response of the server: "+err.Error()))
		}
	case m.kind == response:
		g.relay(ctx, &m, line)
	default:
		for _, kind := range g.kinds() {
			if m.method == kind.changed() { // compare the server's list again, before the client can call a changed tool
				g.mu.Lock()
				g.noticed[kind] = true
				g.again = g.again || kind == promptsList
				g.mu.Unlock()
				g.refresher.request()
			}
		}
		_ = g.client.write(line)
	}
}

// byteOrderMark is removed from the start of each line of a server, because some programs write it before every line.
var byteOrderMark = []byte("\uFEFF")

// relay handles a response of the server. It passes the response to g.requester if the guard itself has sent the
// request, and to the client, possibly filtered, if the client has sent the request. If the request is unknown, relay
// withholds the response.
func (g *Guard) relay(ctx context.Context, m *message, line []byte) {
	key := m.key()
	if strings.HasPrefix(key, ownID) && g.requester.conn.deliver(key, m.answer()) {
		return
	}
	a := g.requests.remove(key)
	if a == nil && strings.HasPrefix(key, `"`) { // some servers respond to 1 with "1", and clients accept that
		key = key[1:]
		a = g.requests.remove(key)
	}
	switch {
	case a == nil && string(m.id.of(m.text)) == "null":
		_ = g.client.write(line) // response to a request that the server could not parse
	case a == nil:
		g.config.Log("withheld a response of the server to an unknown request")
	case a.call != nil:
		_ = g.client.write(line)
		g.conclude(a.call, outcomeOf(m))
	case m.failure.present():
		if a.method == "initialize" {
			g.observer.put(Listing{Problem: "the server refused initialize: " + clip(m.str(m.member(m.failure, "message")))})
		}
		_ = g.client.write(line)
	case a.method == toolsList.method():
		g.list(ctx, m, line, toolsList)
	case a.method == promptsList.method() && g.config.Texts:
		g.list(ctx, m, line, promptsList)
	case a.method == "prompts/get" && g.config.Texts:
		g.prompt(ctx, a, m, line)
	case a.method == "initialize", a.method == "server/discover":
		g.session.introduce(m)
		note := g.relayInitialize(ctx, m, line)
		g.session.setReady()
		if note != "" {
			g.sendLog("warning", note)
		}
		g.reportClosed() // for a client that sent initialized before it received the response
	default:
		if a.method == "subscriptions/listen" {
			g.session.mu.Lock()
			delete(g.session.subscriptions, key)
			g.session.mu.Unlock()
		}
		_ = g.client.write(line)
	}
	if a != nil && g.session.modern.Load() && !m.failure.present() {
		g.startComparing() // a response without an error shows that the server supports the revision without a handshake
	}
}

// clip truncates a text of the server to 500 bytes for the log.
func clip(text string) string { return plaintext.ClipBytes(text, 500) }

// openRequest is an unanswered request of the client.
type openRequest struct {
	method string
	call   *call // nil for other requests
	// prompt and arguments are the parameters of a prompts/get request. They are set only if Config.Texts is true.
	prompt    string
	arguments map[string]string
}

// requests stores the client's unanswered requests.
type requests struct {
	idle chan struct{} // receives a value when the last unanswered request has been removed

	mu   sync.Mutex
	byID map[string]*openRequest
}

// add stores a under key. It returns false if another unanswered request has the same key.
func (r *requests) add(key string, a *openRequest) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID[key] != nil {
		return false
	}
	r.byID[key] = a
	return true
}

// find returns the request with the given key, or nil if the key is unknown.
func (r *requests) find(key string) *openRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[key]
}

// remove removes and returns the request with the given key. It returns nil if the key is unknown.
func (r *requests) remove(key string) *openRequest {
	r.mu.Lock()
	a := r.byID[key]
	delete(r.byID, key)
	r.mu.Unlock()
	if a != nil && !r.busy() {
		select {
		case r.idle <- struct{}{}:
		default:
		}
	}
	return a
}

// busy reports whether the client is waiting for a response. It ignores subscriptions/listen requests, because the
// server does not respond to them until the subscription ends.
func (r *requests) busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.byID {
		if a.method != "subscriptions/listen" {
			return true
		}
	}
	return false
}

// queued is an element of a queue: a call, or another message of the client that was received after a call.
type queued struct {
	line []byte
	call *call // nil for other messages
}

// queue preserves the order of the client's messages while a call passes through the gates. If a message would make the
// queue larger than MaxLine bytes, put blocks, and the guard stops reading messages from the client.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []queued
	size    int
	working bool // the item that next returned has not been sent yet
	closed  bool
}

// busy reports whether a message is queued or being sent. In that case, a new message must be queued, too.
func (q *queue) busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.working || len(q.items) > 0
}

func (q *queue) put(item queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.size > 0 && q.size+len(item.line) > MaxLine && !q.closed {
		q.changed.Wait()
	}
	q.items, q.size = append(q.items, item), q.size+len(item.line)
	q.changed.Broadcast()
}

// next marks the previous item as sent, waits for another item, and returns it. It returns false if the queue is closed
// and empty.
func (q *queue) next() (queued, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working = false
	for len(q.items) == 0 && !q.closed {
		q.changed.Wait()
	}
	if len(q.items) == 0 {
		return queued{}, false
	}
	item := q.items[0]
	q.items, q.size, q.working = q.items[1:], q.size-len(item.line), true
	q.changed.Broadcast()
	return item, true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// MaxLine is the maximum size of a message, in bytes.
const MaxLine = 64 << 20

// firstBuffer is the initial size of a lineReader's buffer. After a large message, a buffer of more than keptBuffer
// bytes is replaced by a smaller buffer.
const (
	firstBuffer = 64 << 10
	keptBuffer  = 4 << 20
)

// lineReader reads lines into a reused buffer.
type lineReader struct {
	from       io.Reader
	limit      int // maximum length of a line, in bytes
	buf        []byte
	start, end int // bounds of the unread data
}

func newLineReader(from io.Reader, limit int) *lineReader {
	return &lineReader{from: from, limit: limit, buf: make([]byte, firstBuffer)}
}

// next returns the next line, including the line break, which may be missing in the last line of the input. The result
// is valid until the next call of next.
func (r *lineReader) next() ([]byte, error) {
	looked := r.start
	for {
		if i := bytes.IndexByte(r.buf[looked:r.end], '\n'); i >= 0 {
			line := r.buf[r.start : looked+i+1]
			r.start = looked + i + 1
			return line, nil
		}
		looked = r.end
		if looked == len(r.buf) { // move unread data to the start of the buffer, and enlarge a full buffer
			used, to := r.end-r.start, r.buf
			switch {
			case r.start == 0:
				to = make([]byte, 2*len(r.buf))
			case len(r.buf) > keptBuffer && used < firstBuffer:
				to = make([]byte, firstBuffer)
			}
			copy(to, r.buf[r.start:r.end])
			r.buf, r.start, r.end, looked = to, 0, used, used
			if len(r.buf) > r.limit+firstBuffer {
				return nil, ErrTooLarge
			}
		}
		n, err := r.from.Read(r.buf[r.end:])
		r.end += n
		if n == 0 && err != nil {
			rest := r.buf[r.start:r.end]
			r.start = r.end
			if len(rest) > 0 {
				return rest, nil
			}
			return nil, err
		}
	}
}

// lineWriter writes complete lines. It is safe for concurrent use.
type lineWriter struct {
	mu     sync.Mutex
	to     io.Writer
	failed error
}

// write writes text as a single line. After a failed write, all further calls return the error of this write.
func (w *lineWriter) write(text []byte) error {
	line := oneLine(text)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		_, w.failed = w.to.Write(line)
	}
	return w.failed
}

// gone reports whether a write has failed, which indicates that the reader has closed the pipe.
func (w *lineWriter) gone() bool {
	if !w.mu.TryLock() {
		return false // another goroutine is writing, or waits for the client to read
	}
	defer w.mu.Unlock()
	return w.failed != nil
}
