package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"toolcrib/registry/jsondoc"
)

// fromServer relays one line of the server.
func (g *Guard) fromServer(ctx context.Context, line []byte) {
	line = bytes.TrimPrefix(line, byteOrderMark)
	text := bytes.TrimRight(line, "\r\n")
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if messages, ok := batch(text); ok {
		for _, m := range messages {
			g.fromServer(ctx, m)
		}
		return
	}
	m, err := read(text)
	if err != nil && m.result.there() {
		rest, skipped := g.readable(&m)
		if rest == nil {
			rest = withoutNullError(&m)
		}
		if rest != nil {
			line, text = rest, rest
			m, err = read(text)
			m.skipped = skipped
		}
	}
	if err == nil && bytes.IndexByte(text, '\r') >= 0 {
		err = ambiguous("it has a line break inside, at which some clients begin a new message")
	}
	switch {
	case m.kind == 0 && !m.id.there() && err != nil:
		g.noise.Store(new(clip(string(text))))
		g.config.Log(fmt.Sprintf("the server writes to standard output: %s (not a message: %v)", clip(string(text)), err))
	case err != nil:
		g.withhold(&m, err)
	case m.kind == response:
		g.relay(ctx, &m, line)
	default:
		for _, kind := range g.kinds() {
			if m.method == kind.changed() {
				g.notice(kind) // before the client can call what changed
			}
		}
		_ = g.client.write(line)
	}
}

// byteOrderMark begins every line of some programs.
var byteOrderMark = []byte("\uFEFF")

// withoutNullError returns an answer without an error of null beside its result, which some
// servers write and some clients refuse; nil for another message.
func withoutNullError(m *message) []byte {
	if m.named.there() || string(m.failure.of(m.text)) != "null" {
		return nil
	}
	rest, err := without(m, span{0, len(m.text)}, "error")
	if err != nil {
		return nil
	}
	return rest
}

// unlisted says why the server's tools are not known: an error, and where the server did not
// answer, what it wrote instead of messages.
func (g *Guard) unlisted(why string) string {
	if noise := g.noise.Load(); noise != nil && strings.Contains(why, "did not answer") {
		why += "; it writes lines to standard output that are no messages, such as " + jsondoc.Quote(*noise)
	}
	return why
}

// withhold answers the request whose answer does not pass with an error.
func (g *Guard) withhold(m *message, err error) {
	g.config.Log("a message of the server is withheld: " + err.Error())
	if !m.answers() {
		return
	}
	if own := g.inquirer.waiter(m.key()); own != nil {
		own <- reply{err: err}
		return
	}
	if a := g.requests.take(m.key()); a != nil {
		g.conclude(a.call, failed("withheld: "+err.Error()))
		g.answer(refused(m.id.of(m.text), codeInternal, "toolcrib withholds the server's answer: "+err.Error()))
	}
}

// relay passes an answer on to the client that asked.
func (g *Guard) relay(ctx context.Context, m *message, line []byte) {
	key := m.key()
	if g.inquirer.replied(key, m) {
		return
	}
	a := g.requests.take(key)
	if a == nil && strings.HasPrefix(key, `"`) { // some servers answer 1 as "1", and clients take that
		a = g.requests.take(key[1:])
	}
	switch {
	case a == nil && string(m.id.of(m.text)) == "null":
		_ = g.client.write(line) // a request that the server could not read
	case a == nil:
		g.config.Log("an answer of the server to a request that nobody made is withheld")
	case a.call != nil:
		_ = g.client.write(line)
		g.conclude(a.call, outcomeOf(m))
	case m.failure.there():
		if a.method == "initialize" {
			g.observer.put(Listing{Problem: "it does not begin: " + clip(m.str(m.member(m.failure, "message")))})
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
		note := g.introduces(ctx, m, line)
		g.session.heard()
		if note != "" {
			g.say("warning", note)
		}
		g.tellClosed() // to a client that did not wait for the answer
	default:
		if a.method == "subscriptions/listen" {
			g.session.unsubscribe(key)
		}
		_ = g.client.write(line)
	}
	if a != nil && g.session.modern.Load() && !m.failure.there() {
		g.begin() // the server speaks the revision that has no handshake
	}
}

// maxShown limits how much of a server's words the log repeats, in bytes.
const maxShown = 500

func clip(text string) string {
	if len(text) > maxShown {
		return text[:maxShown] + " …"
	}
	return text
}

// asked is a request of the client that the server has not answered.
type asked struct {
	method string
	call   *call // nil for anything but a call
	// prompt is the name in a prompts/get of a server whose texts are reviewed.
	prompt    string
	arguments map[string]string
}

// requests keeps what the client asked and the server has not answered.
type requests struct {
	idle chan struct{} // gets a signal when nothing waits for an answer any more

	mu   sync.Mutex
	byID map[string]*asked
}

func (r *requests) init() { r.idle, r.byID = make(chan struct{}, 1), map[string]*asked{} }

// add keeps a request, and reports false for one with an id that another one has.
func (r *requests) add(key string, a *asked) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID[key] != nil {
		return false
	}
	r.byID[key] = a
	return true
}

// find returns the request with an id, nil for none.
func (r *requests) find(key string) *asked {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[key]
}

// take forgets the request with an id, and returns it; nil for none.
func (r *requests) take(key string) *asked {
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

// busy reports whether the client waits for an answer. A subscription has none until
// the server ends it.
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

// drain forgets all requests, and returns them.
func (r *requests) drain() []*asked {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*asked
	for _, a := range r.byID {
		all = append(all, a)
	}
	clear(r.byID)
	return all
}

// queued is a message of the client that waits behind a call.
type queued struct {
	line []byte
	call *call // nil for another message
}

// maxQueued limits the messages that wait behind a call, in bytes. Beyond it, the
// client waits.
const maxQueued = MaxLine

// queue keeps the order of the client's messages while a call passes the gates.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []queued
	size    int
	working bool // an item was taken and is not sent
	closed  bool
}

// waits reports whether a message has to wait.
func (q *queue) waits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.working || len(q.items) > 0
}

func (q *queue) put(item queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.size > 0 && q.size+len(item.line) > maxQueued && !q.closed {
		q.changed.Wait()
	}
	q.items, q.size = append(q.items, item), q.size+len(item.line)
	q.changed.Broadcast()
}

// next ends the work on the item before and returns the next one; false when there is
// none and nothing more comes.
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

// MaxLine limits one message, in bytes.
const MaxLine = 64 << 20

// errLong reports a line of more than MaxLine bytes.
var errLong = errors.New("a message has more than 64 MB")

// How large the buffer of a reader begins, and is at most kept between messages.
const (
	firstBuffer = 64 << 10
	keptBuffer  = 4 << 20
)

// lineReader reads lines into one buffer, which it uses again.
type lineReader struct {
	from       io.Reader
	buf        []byte
	start, end int // what was read and not returned
}

func newLineReader(from io.Reader) *lineReader {
	return &lineReader{from: from, buf: make([]byte, firstBuffer)}
}

// next returns the next line with its end, or what stands before the end of the
// input. The line is valid until the next call.
func (r *lineReader) next() ([]byte, error) {
	looked := r.start
	for {
		if i := bytes.IndexByte(r.buf[looked:r.end], '\n'); i >= 0 {
			line := r.buf[r.start : looked+i+1]
			r.start = looked + i + 1
			return line, nil
		}
		looked = r.end
		if looked == len(r.buf) {
			looked -= r.makeRoom()
			if len(r.buf) > MaxLine+firstBuffer {
				return nil, errLong
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

// makeRoom moves what was not returned to the beginning of the buffer, grows a full
// one, and returns how far it moved it.
func (r *lineReader) makeRoom() (moved int) {
	moved, used := r.start, r.end-r.start
	to := r.buf
	switch {
	case moved == 0:
		to = make([]byte, 2*len(r.buf))
	case len(r.buf) > keptBuffer && used < firstBuffer:
		to = make([]byte, firstBuffer)
	}
	copy(to, r.buf[r.start:r.end])
	r.buf, r.start, r.end = to, 0, used
	return moved
}

// lineWriter writes whole lines, of several goroutines.
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

// gone reports whether nobody takes lines any more.
func (w *lineWriter) gone() bool {
	if !w.mu.TryLock() {
		return false // somebody waits for the client
	}
	defer w.mu.Unlock()
	return w.failed != nil
}
