package guard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// modernRevision is the first revision of the protocol without a handshake.
const modernRevision = "2026-07-28"

// Keys of _meta in that revision.
const (
	metaProtocol     = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// facts are what client and server said of themselves.
type facts struct {
	client       string
	capabilities json.RawMessage // of the client
	server       json.RawMessage
	protocol     string
	shakes       bool // it begins with initialize
	toolless     bool // the server says that it has no tools
	logging      bool
	meta         json.RawMessage // of the client's requests, where there is no handshake
}

// session keeps what client and server said of themselves, and how far they are.
type session struct {
	introduced chan struct{} // closed when the server told its capabilities
	modern     atomic.Bool   // the client speaks a revision without initialize

	mu            sync.Mutex
	said          facts
	began         bool                       // messages other than the handshake may pass
	told          bool                       // introduced is closed
	subscriptions map[string]json.RawMessage // by key: ids of requests that wait for list_changed
}

func (s *session) init() {
	s.introduced, s.subscriptions = make(chan struct{}), map[string]json.RawMessage{}
}

// facts returns what is known.
func (s *session) facts() facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

// hear keeps what a request of the client says of the session.
func (s *session) hear(m *message) {
	if m.kind != request {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.method {
	case "initialize":
		s.said.shakes, s.began, s.said.meta = true, false, nil
		s.modern.Store(false) // it was tried, and the server does not speak it
		s.said.client = m.str(m.member(m.params, "clientInfo", "name"))
		s.said.capabilities = bytes.Clone(m.member(m.params, "capabilities").of(m.text))
		return
	case "subscriptions/listen":
		if string(m.member(m.params, "notifications", "toolsListChanged").of(m.text)) == "true" {
			s.subscriptions[m.key()] = bytes.Clone(m.id.of(m.text))
		}
	}
	if s.said.shakes || s.modern.Load() || !m.params.there() {
		return
	}
	meta := m.member(m.params, "_meta")
	if m.str(m.member(meta, metaProtocol)) < modernRevision {
		return
	}
	s.said.protocol = m.str(m.member(meta, metaProtocol))
	s.said.client = m.str(m.member(meta, metaClient, "name"))
	s.said.capabilities = bytes.Clone(m.member(meta, metaCapabilities).of(m.text))
	s.said.meta = without(m, meta, "progressToken")
	s.modern.Store(true)
}

// without writes an object of the message without one of its members.
func without(m *message, at span, name string) []byte {
	out := []byte{'{'}
	_ = m.members(at, nil, func(key string, value span) { // it was read before
		if key == name {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(key)...), ':'), value.of(m.text)...)
	})
	return append(out, '}')
}

// begin notes that the server may be asked for its tools, and reports whether it is
// new.
func (s *session) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	began := s.began
	s.began = true
	return !began
}

// introduce keeps what the server says of itself in the result of initialize or
// server/discover.
func (s *session) introduce(m *message) {
	capabilities := m.member(m.result, "capabilities")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said.toolless, s.said.logging = !m.member(capabilities, "tools").there(), m.member(capabilities, "logging").there()
	s.said.server = bytes.Clone(m.member(m.result, "serverInfo").of(m.text))
	if v := m.str(m.member(m.result, "protocolVersion")); v != "" {
		s.said.protocol = v
	}
}

// heard notes that the client has the server's answer to its initialize.
func (s *session) heard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.told {
		s.told = true
		close(s.introduced)
	}
}

// hears reports whether the client takes notifications: it has begun, and has the
// answer to its initialize.
func (s *session) hears() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.began && (s.told || !s.said.shakes)
}

// subscribers returns the ids of requests that wait for list_changed.
func (s *session) subscribers() []json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.subscriptions))
}

// unsubscribe ends a subscription.
func (s *session) unsubscribe(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.subscriptions, key)
}

// begin has the server asked for its tools, and tells a client that could not hear it
// before why it gets none.
func (g *Guard) begin() {
	if !g.session.begin() {
		return
	}
	g.refresher.start()
	g.tellClosed()
}

// tellClosed tells the client why nothing is listed, if nothing is.
func (g *Guard) tellClosed() {
	if _, closed := g.approvals.get(); closed != nil && g.session.hears() {
		g.sayClosed(closed)
	}
}

func (g *Guard) sayClosed(err error) {
	g.say("error", fmt.Sprintf("toolcrib lists and calls none of the tools of %s: %v", g.config.Name, err))
}

// announcing returns the line of a server that introduces itself with the flag for
// list_changed: the guard sends it whether or not the server does.
func announcing(m *message, line []byte) []byte {
	tools := m.member(m.result, "capabilities", "tools")
	if !tools.there() || m.text[tools.from] != '{' {
		return line
	}
	flag := m.member(tools, "listChanged")
	switch {
	case !flag.there():
		inside := `"listChanged":true`
		if len(bytes.TrimSpace(m.text[tools.from+1:tools.to-1])) > 0 {
			inside += ","
		}
		return slices.Concat(line[:tools.from+1], []byte(inside), line[tools.from+1:])
	case string(flag.of(m.text)) != "true":
		return slices.Concat(line[:flag.from], []byte("true"), line[flag.to:])
	}
	return line
}

// tell sends list_changed when the client would be listed something else than at the
// last time, unless it has heard of that already.
func (g *Guard) tell(heard bool) {
	now := listing(&g.approvals, &g.refresher)
	g.mu.Lock()
	before := g.told
	g.told = now
	g.mu.Unlock()
	if before != "" && now != "" && before != now && !heard {
		g.tellChanged()
	}
}

// tellChanged sends the client a list_changed of the guard's own.
func (g *Guard) tellChanged() {
	const method = "notifications/tools/list_changed"
	if !g.session.modern.Load() {
		if g.session.hears() {
			g.answer([]byte(`{"jsonrpc":"2.0","method":"` + method + `"}`))
		}
		return
	}
	for _, id := range g.session.subscribers() {
		g.answer(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"%s","params":{"_meta":{"%s":%s}}}`, method, metaSubscription, id))
	}
}

// say tells the person at the client something: on standard error, and as a log
// message where the client has begun and the revision has such messages unasked.
func (g *Guard) say(level, text string) {
	g.config.Log(text)
	if g.session.modern.Load() || !g.session.hears() || !g.session.facts().logging && level != "error" {
		return
	}
	params, err := json.Marshal(map[string]any{"level": level, "logger": "toolcrib", "data": text})
	if err == nil {
		g.answer([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":` + string(params) + `}`))
	}
}

// Times are the periods and limits of a guard. A zero stands for the one that every
// guard has.
type Times struct {
	// Compare is the time between comparisons of the server's tools without a reason.
	Compare time.Duration
	// Propose is the time between proposals from a server that changes all the time.
	Propose time.Duration
	// List limits how long the server may take to list its tools for a comparison.
	List time.Duration
	// Dial limits how long a connection to a URL may take.
	Dial time.Duration
	// Answer is how long a server may answer what it was asked before the client's
	// input ended, while somebody reads the answers.
	Answer time.Duration
	// End is how long a server has to end by itself after its input has ended, and
	// Stop how long it has after it was told to; then its process group is killed. A
	// client waits two seconds or more before it tells the guard to end, which then
	// does not wait for End, and two more before it kills the guard.
	End, Stop time.Duration
	// Drain is how long the output of a server is waited for after its end: a process
	// that it started may hold it open.
	Drain time.Duration
}

// orUsual returns t with the usual time in place of every zero.
func (t Times) orUsual() Times {
	return Times{
		Compare: cmp.Or(t.Compare, time.Minute),
		Propose: cmp.Or(t.Propose, time.Minute),
		List:    cmp.Or(t.List, 30*time.Second),
		Dial:    cmp.Or(t.Dial, 10*time.Second),
		Answer:  cmp.Or(t.Answer, 30*time.Second),
		End:     cmp.Or(t.End, time.Second),
		Stop:    cmp.Or(t.Stop, time.Second),
		Drain:   cmp.Or(t.Drain, time.Second),
	}
}
