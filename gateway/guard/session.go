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
)

// facts are the capabilities that client and server reported.
type facts struct {
	client       string
	capabilities json.RawMessage // of the client
	server       json.RawMessage
	protocol     string
	shakes       bool // it begins with initialize
	toolless     bool // the server declares that it has no tools
	logging      bool
	introduced   bool // the server has reported the fields below
	instructions string
	meta         json.RawMessage // of the client's requests, without a handshake
}

// session has the facts about client and server, and the state of the handshake.
type session struct {
	introduced chan struct{} // closed when the server has reported its capabilities
	modern     atomic.Bool   // the client speaks a revision without initialize

	mu            sync.Mutex
	said          facts
	began         bool                    // messages other than the handshake may pass
	told          bool                    // introduced is closed
	subscriptions map[string]subscription // by the key of the request
}

// subscription is a request of the client that waits for list_changed.
type subscription struct {
	id    json.RawMessage
	kinds []listKind
}

// facts returns the facts known so far.
func (s *session) facts() facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

// hear records facts about the session from a client's request.
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
		wanted := subscription{id: bytes.Clone(m.id.of(m.text))}
		for _, kind := range []listKind{toolsList, promptsList} {
			if string(m.member(m.params, "notifications", string(kind)+"ListChanged").of(m.text)) == "true" {
				wanted.kinds = append(wanted.kinds, kind)
			}
		}
		if len(wanted.kinds) > 0 {
			s.subscriptions[m.key()] = wanted
		}
	}
	if s.said.shakes || s.modern.Load() || !m.params.present() {
		return
	}
	meta := m.member(m.params, "_meta")
	if m.str(m.member(meta, metaProtocol)) < modernRevision {
		return
	}
	repeated, err := without(m, meta, "progressToken")
	if err != nil {
		return // read refuses such a message
	}
	s.said.protocol = m.str(m.member(meta, metaProtocol))
	s.said.client = m.str(m.member(meta, metaClient, "name"))
	s.said.capabilities = bytes.Clone(m.member(meta, metaCapabilities).of(m.text))
	s.said.meta = repeated
	s.modern.Store(true)
}

// without writes an object of the message without one of its members.
func without(m *message, at span, name string) ([]byte, error) {
	out := []byte{'{'}
	err := m.members(at, nil, func(key string, value span) {
		if key == name {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(key)...), ':'), value.of(m.text)...)
	})
	return append(out, '}'), err
}

// introduce records the server's capabilities from the result of initialize or server/discover.
func (s *session) introduce(m *message) {
	capabilities := m.member(m.result, "capabilities")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said.toolless, s.said.logging = !m.member(capabilities, "tools").present(), m.member(capabilities, "logging").present()
	s.said.server = bytes.Clone(m.member(m.result, "serverInfo").of(m.text))
	s.said.introduced, s.said.instructions = true, m.str(m.member(m.result, "instructions"))
	if v := m.str(m.member(m.result, "protocolVersion")); v != "" {
		s.said.protocol = v
	}
}

// heard records that the client has the server's answer to initialize.
func (s *session) heard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.told {
		s.told = true
		close(s.introduced)
	}
}

// hears reports whether the client is ready for notifications, after the handshake.
func (s *session) hears() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.began && (s.told || !s.said.shakes)
}

// begin requests the server's tools, and explains an empty list to the client if that was not possible before.
func (g *Guard) begin() {
	g.session.mu.Lock()
	began := g.session.began
	g.session.began = true
	g.session.mu.Unlock()
	if began {
		return
	}
	g.refresher.start()
	g.tellClosed()
}

// tellClosed explains to the client why no tools are listed, if none are.
func (g *Guard) tellClosed() {
	if _, closed := g.approvals.get(); closed != nil && g.session.hears() {
		g.sayClosed(closed)
	}
}

// sayClosed explains err to the client, once until the tools are listed again.
func (g *Guard) sayClosed(err error) {
	if !g.session.hears() {
		return
	}
	g.mu.Lock()
	again := g.closedFor == err.Error()
	g.closedFor = err.Error()
	g.mu.Unlock()
	if again {
		return
	}
	g.say("error", fmt.Sprintf("toolcrib lists and calls none of the tools of %s: %v", g.config.Name, err))
}

// edit replaces a part of a message.
type edit struct {
	at   span
	with []byte
}

// announcing returns the edits that add the listChanged capability to a server's introduction: the guard sends
// list_changed even if the server does not.
func announcing(m *message, kinds []listKind) (changes []edit) {
	for _, kind := range kinds {
		lists := m.member(m.result, "capabilities", string(kind))
		if string(lists.of(m.text)) == "null" {
			changes = append(changes, edit{lists, []byte(`{"listChanged":true}`)})
		}
		if !lists.present() || m.text[lists.from] != '{' {
			continue
		}
		flag := m.member(lists, "listChanged")
		switch {
		case !flag.present():
			inside := `"listChanged":true`
			if len(bytes.TrimSpace(m.text[lists.from+1:lists.to-1])) > 0 {
				inside += ","
			}
			changes = append(changes, edit{span{lists.from + 1, lists.from + 1}, []byte(inside)})
		case string(flag.of(m.text)) != "true":
			changes = append(changes, edit{flag, []byte("true")})
		}
	}
	return changes
}

// tell sends list_changed if the client's list would differ from the last one, unless the client has been notified
// already.
func (g *Guard) tell(heard map[listKind]bool) {
	for _, kind := range g.kinds() {
		now := g.listing(kind)
		g.mu.Lock()
		before := g.told[kind]
		g.told[kind] = now
		g.mu.Unlock()
		if before != "" && now != "" && before != now && !heard[kind] {
			g.tellChanged(kind)
		}
	}
}

// tellChanged sends the client a list_changed of the guard's own.
func (g *Guard) tellChanged(kind listKind) {
	if !g.session.modern.Load() {
		if g.session.hears() {
			g.answer([]byte(`{"jsonrpc":"2.0","method":"` + kind.changed() + `"}`))
		}
		return
	}
	g.session.mu.Lock()
	subscribed := slices.Collect(maps.Values(g.session.subscriptions))
	g.session.mu.Unlock()
	for _, s := range subscribed {
		if slices.Contains(s.kinds, kind) {
			g.answer(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"%s","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, kind.changed(), s.id))
		}
	}
}

// say writes a text for the user to standard error, and sends it as a log message if the client is ready and its
// revision allows unsolicited log messages.
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

// Times are the intervals and timeouts of a guard. A zero means the default.
type Times struct {
	// Compare is the time between comparisons of the server's tools without a reason.
	Compare time.Duration
	// Propose is the time between proposals from a server that changes all the time.
	Propose time.Duration
	// List limits how long the server may take to list its tools for a comparison.
	List time.Duration
	// Dial limits how long a connection to a URL may take.
	Dial time.Duration
	// Answer limits how long a server may answer pending requests after the client's input has ended, while the output
	// has a reader. Without a guard, the server's input would end at once. It is less than the two seconds after which
	// clients terminate the guard.
	Answer time.Duration
	// End is how long a server may take to exit after the end of its input, and Stop how long it may take after it was
	// terminated; then its process group is killed. A client waits at least two seconds before it terminates the guard,
	// which then does not wait for End, and two more before it kills the guard.
	End, Stop time.Duration
	// Drain is how long the output of a server is waited for after its end: a process
	// that it started may hold it open.
	Drain time.Duration
	// MaxMessage limits one message of the server, in bytes.
	MaxMessage int
}

// orUsual returns t with the default in place of every zero.
func (t Times) orUsual() Times {
	return Times{
		Compare: cmp.Or(t.Compare, time.Minute),
		Propose: cmp.Or(t.Propose, time.Minute),
		List:    cmp.Or(t.List, 30*time.Second),
		Dial:    cmp.Or(t.Dial, 10*time.Second),
		Answer:  cmp.Or(t.Answer, time.Second),
		End:     cmp.Or(t.End, time.Second),
		Stop:    cmp.Or(t.Stop, time.Second),
		Drain:   cmp.Or(t.Drain, time.Second),

		MaxMessage: cmp.Or(t.MaxMessage, MaxLine),
	}
}
