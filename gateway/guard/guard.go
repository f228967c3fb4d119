// This file relays the messages between the client and the server, and reads and writes them as lines.

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
	// Texts extends the gates to the server's prompts and instructions.
	Texts bool
	// Notice adds the number of withheld tools to the server's instructions.
	Notice bool
	In     io.Reader
	Out    io.Writer
	Log    func(text string) // writes to the client's log of the server
	// Gone waits at most wait for the reader of Out to close it, and reports whether that happened. If Gone is nil,
	// the reader is assumed to stay.
	Gone  func(wait time.Duration) bool
	Times Times
}

// Server is a connection to a server: a Command or an Endpoint.
type Server interface {
	// start connects.
	start(ctx context.Context, times Times, log func(string)) error
	// serve passes every message from the server to receive until the server ends, and returns its exit status. It
	// ends the server when ctx is done.
	serve(ctx context.Context, receive func(line []byte)) (status int, err error)
	// send sends a message of the client as one line.
	send(ctx context.Context, m *message, line []byte) error
	// finish tells the server that no more messages follow.
	finish()
}

// Guard relays between one client and one server.
type Guard struct {
	config Config
	client *lineWriter
	server Server

	requests  requests // of the client
	calls     queue
	session   session
	approvals approvals
	requester requester
	refresher refresher
	observer  observer

	texts texts.Reader
	noise atomic.Pointer[string] // last output of the server that was not a message

	explained atomic.Bool // the observer knows why no list is available

	notifying sync.Mutex // held while the client's lists are compared, so that an older comparison cannot replace a newer one

	mu        sync.Mutex
	listed    map[listKind]string // identifies the list that the client would get; "" before the first comparison
	shown     map[listKind]string // version of the approvals that filtered the client's last list
	closedFor string              // reason for the empty list, as last reported to the client
	noticed   map[listKind]bool   // lists about whose changes the client was notified since the last comparison
	again     bool                // read the texts of prompts again
	vetted    map[string]vetted   // by name of the tool
}

// New returns a guard.
func New(c Config, s Server) *Guard {
	c.Times = c.Times.withDefaults()
	g := &Guard{
		config: c, client: &lineWriter{to: c.Out}, server: s, listed: map[listKind]string{}, shown: map[listKind]string{}, noticed: map[listKind]bool{}, vetted: map[string]vetted{},
		requests:  requests{idle: make(chan struct{}, 1), byID: map[string]*openRequest{}},
		session:   session{introduced: make(chan struct{}), subscriptions: map[string]subscription{}},
		approvals: approvals{loaded: make(chan struct{})},
		refresher: refresher{compared: make(chan struct{}), wakeUp: make(chan struct{}, 1), requested: 1}, // calls are refused until the first comparison is done
		observer:  observer{config: c, news: make(chan struct{}, 1)},
	}
	g.calls.changed = sync.NewCond(&g.calls.mu)
	g.requester = requester{conn: newConn(context.Background(), s), session: &g.session, limit: c.Times.List}
	g.requester.conn.newID = func() string { return ownID + rand.Text() + `"` } // random, so that a server cannot predict it
	g.texts.Ask = g.requester.request
	return g
}

// ownID is the prefix of the encoded ids of the guard's own requests.
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
	go func() { // while the server accepts no message, the end of the client's input is not noticed
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

// handleClient handles a line from the client.
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
		g.writeClient(refused(m.id.of(text), codeInvalidRequest, "toolcrib does not pass this message on: "+err.Error()))
		return
	case err != nil:
		g.writeClient(refused(nil, codeParse, "toolcrib does not pass this message on: "+err.Error()))
		return
	}
	g.session.hear(&m)
	switch {
	case m.method == "tools/call" && m.kind == request:
		g.enqueueCall(ctx, &m, line)
	case m.method == "tools/call": // some servers may run it in spite of the missing id
		g.config.Log("a tools/call without an id is not passed on: it could be neither refused nor answered")
	case m.method == "notifications/cancelled" && g.cancelQueued(&m):
	case g.calls.busy():
		g.calls.put(queued{line: bytes.Clone(line)})
	default:
		g.pass(ctx, &m, line)
	}
}

// pass sends a message other than a call to the server.
func (g *Guard) pass(ctx context.Context, m *message, line []byte) {
	if m.kind == request {
		a := &openRequest{method: m.method}
		if m.method == "prompts/get" && g.config.Texts {
			name, args, err := m.called()
			if a.prompt = name; err != nil || name == "" || len(args) > 0 && json.Unmarshal(args, &a.arguments) != nil {
				g.writeClient(refused(m.id.of(m.text), codeInvalidParams, "toolcrib does not pass this request on: it names no prompt, or has an argument that is not a string"))
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

// addRequest records a request. It refuses a request with an id that is in use, because the responses could be
// confused.
func (g *Guard) addRequest(m *message, a *openRequest) bool {
	if g.requests.add(m.key(), a) {
		return true
	}
	g.writeClient(refused(m.id.of(m.text), codeInvalidRequest, "another request with this id is unanswered"))
	return false
}

// refuseUnsent responds to a request that could not be sent.
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

// writeClient writes a line to the client.
func (g *Guard) writeClient(text []byte) {
	_ = g.client.write(text) // a disconnected client is noticed at its input
}

// closeServer closes the server's input after the client's input has ended. Because many servers exit at the end of
// their input, it first waits until all requests have been answered, the output has no reader, or a timeout expires.
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

// handleServer handles a line from the server.
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
		if !unread && !m.named.present() && string(m.failure.of(text)) == "null" { // some servers include it beside a result, which some clients reject
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
		err = ambiguous("it contains a line break, at which some clients start a new message")
	}
	switch {
	case m.kind == 0 && !m.id.present() && err != nil:
		g.noise.Store(new(clip(string(text))))
		g.config.Log(fmt.Sprintf("the server writes to standard output: %s (not a message: %v)", clip(string(text)), err))
	case err != nil: // withhold it, and respond with an error to its request
		g.config.Log("a message of the server is withheld: " + err.Error())
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
			if m.method == kind.changed() { // compare again, before the client can call a changed tool
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

// byteOrderMark precedes every line of some programs.
var byteOrderMark = []byte("\uFEFF")

// relay passes a response to the client.
func (g *Guard) relay(ctx context.Context, m *message, line []byte) {
	key := m.key()
	if strings.HasPrefix(key, ownID) && g.requester.conn.deliver(key, m.answer()) {
		return
	}
	a := g.requests.remove(key)
	if a == nil && strings.HasPrefix(key, `"`) { // some servers respond to 1 with "1", and clients accept that
		a = g.requests.remove(key[1:])
	}
	switch {
	case a == nil && string(m.id.of(m.text)) == "null":
		_ = g.client.write(line) // response to a request that the server could not parse
	case a == nil:
		g.config.Log("withheld an answer of the server to an unknown request")
	case a.call != nil:
		_ = g.client.write(line)
		g.conclude(a.call, outcomeOf(m))
	case m.failure.present():
		if a.method == "initialize" {
			g.observer.put(Listing{Problem: "it refused to initialize: " + clip(m.str(m.member(m.failure, "message")))})
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
		g.reportClosed() // for a client that did not wait for the response
	default:
		if a.method == "subscriptions/listen" {
			g.session.mu.Lock()
			delete(g.session.subscriptions, key)
			g.session.mu.Unlock()
		}
		_ = g.client.write(line)
	}
	if a != nil && g.session.modern.Load() && !m.failure.present() {
		g.startComparing() // the server supports the revision without a handshake
	}
}

// clip shortens a server's text for the log.
func clip(text string) string { return plaintext.ClipBytes(text, 500) }

// openRequest is an unanswered request of the client.
type openRequest struct {
	method string
	call   *call // nil for other requests
	// prompt is the name in a prompts/get request if the server's texts are reviewed.
	prompt    string
	arguments map[string]string
}

// requests stores the client's unanswered requests.
type requests struct {
	idle chan struct{} // receives a value when no request is unanswered

	mu   sync.Mutex
	byID map[string]*openRequest
}

// add stores a request. It returns false if the id is in use.
func (r *requests) add(key string, a *openRequest) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID[key] != nil {
		return false
	}
	r.byID[key] = a
	return true
}

// find returns the request with an id, or nil.
func (r *requests) find(key string) *openRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[key]
}

// remove removes and returns the request with an id, or returns nil.
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

// busy reports whether the client is waiting for a response. Subscriptions do not count, because the server answers
// them only at their end.
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

// queued is a message of the client that waits behind a call.
type queued struct {
	line []byte
	call *call // nil for other messages
}

// queue keeps the order of the client's messages while a call passes through the gates. It contains at most MaxLine
// bytes; the client waits when it is full.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []queued
	size    int
	working bool // an item has been taken and not yet sent
	closed  bool
}

// busy reports whether a message must wait.
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

// next marks the previous item as sent and returns the next item. It returns false if the queue is closed and empty.
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

// Initial size of a reader's buffer, and maximum size that is retained between messages.
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

// next returns the next line with its line break, or the rest of the input. The line is valid until the next call.
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

// lineWriter writes complete lines from several goroutines.
type lineWriter struct {
	mu     sync.Mutex
	to     io.Writer
	failed error
}

// write writes a message as one line.
func (w *lineWriter) write(text []byte) error {
	line := oneLine(text)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		_, w.failed = w.to.Write(line)
	}
	return w.failed
}

// gone reports whether the reader has closed the pipe.
func (w *lineWriter) gone() bool {
	if !w.mu.TryLock() {
		return false // another goroutine is waiting for the client
	}
	defer w.mu.Unlock()
	return w.failed != nil
}
