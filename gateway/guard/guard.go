package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"toolcrib/gateway/texts"
)

// Config has the parts of a guard.
type Config struct {
	Backend Backend
	Name    string // of the server
	// Texts has the server's prompts and instructions gated as its tools are.
	Texts bool
	// Notice has the instructions for the client say how much is withheld.
	Notice bool
	In     io.Reader
	Out    io.Writer
	Log    func(text string) // for the person who reads the client's log of the server
	// Gone waits until nobody reads Out any more, at most for wait, and reports whether
	// that is so; nil for never.
	Gone  func(wait time.Duration) bool
	Times Times
}

// Server is a connection to a server: see Command and Endpoint.
type Server interface {
	// start connects.
	start(ctx context.Context, times Times, log func(string)) error
	// serve hands every message of the server to receive until the server ends, and
	// returns its exit status. It ends the server when ctx does.
	serve(ctx context.Context, receive func(line []byte)) (status int, err error)
	// send sends a message of the client, whose line it is, as one line.
	send(ctx context.Context, m *message, line []byte) error
	// finish says that nothing more is sent.
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
	inquirer  inquirer
	refresher refresher
	observer  observer

	texts texts.Reader
	noise atomic.Pointer[string] // the last line of the server that was no message

	mu      sync.Mutex
	told    map[listKind]string // names what the client was listed
	noticed map[listKind]bool   // the server reported a change since the last comparison, which the client heard
	again   bool                // the texts of prompts are to be read again
	vetted  map[string]vetted   // by the name of a tool
}

// New returns a guard.
func New(c Config, s Server) *Guard {
	c.Times = c.Times.orUsual()
	g := &Guard{config: c, client: &lineWriter{to: c.Out}, server: s, told: map[listKind]string{}, noticed: map[listKind]bool{}, vetted: map[string]vetted{}}
	g.requests.init()
	g.calls.changed = sync.NewCond(&g.calls.mu)
	g.session.init()
	g.approvals.loaded = make(chan struct{})
	g.inquirer = inquirer{server: s, session: &g.session, limit: c.Times.List, asked: map[string]chan reply{}}
	g.texts.Ask = g.inquirer.ask
	g.refresher.init()
	g.observer = observer{config: c, news: make(chan struct{}, 1)}
	return g
}

// Serve relays until the server ends, and returns its exit status. It ends the server
// when the client goes away or ctx ends.
func (g *Guard) Serve(ctx context.Context) (status int, err error) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	if err := g.server.start(ctx, g.config.Times, g.config.Log); err != nil {
		return 1, err
	}
	alive, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { g.follow(alive) })
	running.Go(func() { g.refreshes(alive) })
	running.Go(func() { g.observer.run(alive, &g.approvals) })
	running.Go(func() { g.forwards(alive) })
	go g.watch(alive, leave) // ends with the client or within watchFor
	go g.receives(alive)     // ends with the client's input, which nothing else ends
	status, err = g.server.serve(ctx, func(line []byte) { g.fromServer(alive, line) })
	stop()
	g.calls.close()
	running.Wait()
	if g.refresher.found(toolsList) == nil && g.session.facts().introduced && !g.session.facts().toolless && ctx.Err() == nil {
		g.observer.put(Listing{Problem: "the server ended before it listed its tools"})
	}
	g.observer.last(ctx, &g.approvals)
	for _, a := range g.requests.drain() {
		g.conclude(a.call, failed("the server ended before it answered"))
	}
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
			g.fromClient(ctx, m)
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
	g.session.hear(&m)
	switch {
	case m.method == "tools/call" && m.kind == request:
		g.take(ctx, &m, line)
	case m.method == "tools/call": // some server may run it all the same
		g.config.Log("a tools/call without an id is not passed on: it could be neither refused nor answered")
	case m.method == "notifications/cancelled" && g.cancels(&m):
	case g.calls.waits():
		g.calls.put(queued{line: bytes.Clone(line)})
	default:
		g.pass(ctx, &m, line)
	}
}

// pass sends a message that is no call to the server.
func (g *Guard) pass(ctx context.Context, m *message, line []byte) {
	if m.kind == request {
		a := &asked{method: m.method}
		if m.method == "prompts/get" && g.config.Texts {
			if a.prompt, a.arguments = m.prompted(); a.prompt == "" {
				g.answer(refused(m.id.of(m.text), codeInvalidParams, "toolcrib does not pass this request on: it names no prompt, or has an argument that is not a string"))
				return
			}
		}
		if !g.ask(m, a) {
			return
		}
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
	if g.requests.add(m.key(), a) {
		return true
	}
	g.answer(refused(m.id.of(m.text), codeInvalidRequest, "a request with this id waits for its answer"))
	return false
}

// unsent answers a request that could not be sent.
func (g *Guard) unsent(m *message, err error) {
	g.config.Log(fmt.Sprintf("%s cannot be sent to the server: %v", m.method, err))
	if m.kind != request {
		return
	}
	if a := g.requests.take(m.key()); a != nil {
		g.conclude(a.call, failed(err.Error()))
		g.answer(refused(m.id.of(m.text), codeInternal, "the server cannot be reached: "+err.Error()))
	}
}

// answer writes a line of the guard's own to the client.
func (g *Guard) answer(text []byte) {
	_ = g.client.write(text) // a client that went away is noticed at its input
}

// watch calls leave when nobody reads the guard's output any more. The end of the
// client's input tells the same, unless the guard waits for a server that takes no
// message, and does not read it.
func (g *Guard) watch(ctx context.Context, leave func()) {
	for g.config.Gone != nil && ctx.Err() == nil {
		if g.config.Gone(watchFor) {
			leave()
			return
		}
	}
}

// watchFor bounds a wait for the client to leave, which no context ends: an idle guard
// shall sleep.
const watchFor = 30 * time.Second

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
