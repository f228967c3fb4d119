// This file records the identities and capabilities of the client and the server, and sends notifications to the
// client.

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

// Keys in the _meta object of a request since modernRevision.
const (
	metaProtocol     = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// facts contains the identities and capabilities that the client and the server have reported.
type facts struct {
	client       string
	capabilities json.RawMessage // capabilities of the client
	server       json.RawMessage
	protocol     string
	handshake    bool // the client has sent initialize
	toolless     bool // the server declares no tools
	logging      bool
	introduced   bool // the server has responded to initialize or server/discover
	instructions string
	meta         json.RawMessage // _meta of the client's requests without the progress token; nil if there was a handshake
}

// session contains the facts about the client and the server, and the state of the handshake.
type session struct {
	introduced chan struct{} // closed when the server's capabilities have been sent to the client
	modern     atomic.Bool   // whether the client uses a revision of MCP without initialize

	mu            sync.Mutex
	reported      facts
	handshakeDone bool                    // whether the guard itself may send messages to the server
	clientReady   bool                    // whether introduced is closed
	subscriptions map[string]subscription // keyed by the key of the request's id
}

// subscription is a request of the client for list_changed notifications of the given kinds.
type subscription struct {
	id    json.RawMessage
	kinds []listKind
}

// facts returns the facts reported so far.
func (s *session) facts() facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reported
}

// hear records the facts and the subscription in a request of the client.
func (s *session) hear(m *message) {
	if m.kind != request {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.method {
	case "initialize":
		s.reported.handshake, s.handshakeDone, s.reported.meta = true, false, nil
		s.modern.Store(false) // the client has tried a modern revision that the server does not support
		s.reported.client = m.str(m.member(m.params, "clientInfo", "name"))
		s.reported.capabilities = bytes.Clone(m.member(m.params, "capabilities").of(m.text))
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
	if s.reported.handshake || s.modern.Load() || !m.params.present() {
		return
	}
	meta := m.member(m.params, "_meta")
	if m.str(m.member(meta, metaProtocol)) < modernRevision {
		return
	}
	repeated, err := without(m, meta, "progressToken")
	if err != nil {
		return // handleClient has already refused such a message
	}
	s.reported.protocol = m.str(m.member(meta, metaProtocol))
	s.reported.client = m.str(m.member(meta, metaClient, "name"))
	s.reported.capabilities = bytes.Clone(m.member(meta, metaCapabilities).of(m.text))
	s.reported.meta = repeated
	s.modern.Store(true)
}

// without returns a copy of the object at pos in m that omits the member with the given name.
func without(m *message, pos span, name string) ([]byte, error) {
	out := []byte{'{'}
	err := m.members(pos, nil, func(key string, value span) {
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

// introduce records the facts in m, the server's response to initialize or server/discover.
func (s *session) introduce(m *message) {
	capabilities := m.member(m.result, "capabilities")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reported.toolless, s.reported.logging = !m.member(capabilities, "tools").present(), m.member(capabilities, "logging").present()
	s.reported.server = bytes.Clone(m.member(m.result, "serverInfo").of(m.text))
	s.reported.introduced, s.reported.instructions = true, m.str(m.member(m.result, "instructions"))
	if v := m.str(m.member(m.result, "protocolVersion")); v != "" {
		s.reported.protocol = v
	}
}

// setReady records that the server's response to initialize or server/discover has been written to the client.
func (s *session) setReady() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.clientReady {
		s.clientReady = true
		close(s.introduced)
	}
}

// acceptsNotifications reports whether the guard may send notifications to the client, that is, whether the handshake
// is complete.
func (s *session) acceptsNotifications() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handshakeDone && (s.clientReady || !s.reported.handshake)
}

// startComparing starts the comparisons of the server's lists at the end of the handshake. If the approved tools could
// not be read, it also sends the error to the client, which does not accept notifications before the handshake. Only
// the first call has an effect.
func (g *Guard) startComparing() {
	g.session.mu.Lock()
	began := g.session.handshakeDone
	g.session.handshakeDone = true
	g.session.mu.Unlock()
	if began {
		return
	}
	g.refresher.wake()
	g.reportClosed()
}

// reportClosed sends the client the reason for an empty list of tools if the approved tools could not be read.
func (g *Guard) reportClosed() {
	if _, closed := g.approvals.get(); closed != nil && g.session.acceptsNotifications() {
		g.reportError(closed)
	}
}

// reportError sends the client err as the reason for an empty list of tools. It does not repeat the same error until
// the approved tools have been read successfully.
func (g *Guard) reportError(err error) {
	if !g.session.acceptsNotifications() {
		return
	}
	g.mu.Lock()
	again := g.closedFor == err.Error()
	g.closedFor = err.Error()
	g.mu.Unlock()
	if again {
		return
	}
	g.sendLog("error", fmt.Sprintf("toolcrib neither lists nor calls the tools of %s: %v", g.config.Name, err))
}

// edit replaces the part of a message at the position at.
type edit struct {
	at   span
	with []byte
}

// announceListChanged returns the edits that add the listChanged capability of the given lists to m, the server's
// response to initialize or server/discover. The guard sends list_changed notifications even if the server does not
// support them.
func announceListChanged(m *message, kinds []listKind) (changes []edit) {
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

// notifyChanges compares the client's lists with their content at the previous call. It sends a list_changed
// notification for each changed list, except for the lists in notified, for which the client has received a
// notification of the server. At the first call for a list, the previous content is unknown. In this case,
// notifyChanges sends a notification if the client has received a list that was filtered by older approvals.
func (g *Guard) notifyChanges(notified map[listKind]bool) {
	g.notifying.Lock()
	defer g.notifying.Unlock()
	for _, kind := range g.kinds() {
		now, filteredBy := g.listing(kind)
		if now == "" {
			continue
		}
		g.mu.Lock()
		changed := g.listed[kind] != now
		if g.listed[kind] == "" {
			changed = g.shown[kind] != "" && g.shown[kind] != filteredBy
		}
		g.listed[kind] = now
		g.mu.Unlock()
		if changed && !notified[kind] {
			g.notifyListChanged(kind)
		}
	}
}

// notifyListChanged sends a list_changed notification for the given list. A client with a modern revision receives the
// notification only if the client has subscribed.
func (g *Guard) notifyListChanged(kind listKind) {
	if !g.session.modern.Load() {
		if g.session.acceptsNotifications() {
			g.writeClient([]byte(`{"jsonrpc":"2.0","method":"` + kind.changed() + `"}`))
		}
		return
	}
	g.session.mu.Lock()
	subscribed := slices.Collect(maps.Values(g.session.subscriptions))
	g.session.mu.Unlock()
	for _, s := range subscribed {
		if slices.Contains(s.kinds, kind) {
			g.writeClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"%s","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, kind.changed(), s.id))
		}
	}
}

// sendLog writes text to the log. If the client accepts notifications and its revision of the protocol permits
// unsolicited log messages, sendLog also sends text to the client. If the server does not declare the logging
// capability, the client receives only errors.
func (g *Guard) sendLog(level, text string) {
	g.config.Log(text)
	if g.session.modern.Load() || !g.session.acceptsNotifications() || !g.session.facts().logging && level != "error" {
		return
	}
	params, err := json.Marshal(map[string]any{"level": level, "logger": "toolcrib", "data": text})
	if err == nil {
		g.writeClient([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":` + string(params) + `}`))
	}
}

// Times contains the intervals, timeouts, and limits of a guard. For a zero field, the default applies.
type Times struct {
	// Compare is the interval between periodic comparisons of the server's lists with the approved tools.
	Compare time.Duration
	// Propose is the minimum interval between proposals for a server that changes its list constantly.
	Propose time.Duration
	// List is the time limit for reading the server's complete list of tools for a comparison.
	List time.Duration
	// Dial is the time limit for connecting to a URL.
	Dial time.Duration
	// Answer is the maximum time that the guard waits for the server's responses to pending requests after the client's
	// input has ended. The guard does not wait if the client no longer reads the output. Answer should be less than two
	// seconds, because clients wait at least two seconds before they terminate the guard.
	Answer time.Duration
	// End is the time after the end of the server's input when the guard terminates the server. Stop is the time after
	// this termination when the guard kills the process group of the server. Clients wait at least two seconds before
	// they terminate the guard, and another two seconds before they kill the guard. A terminated guard terminates the
	// server without waiting for End.
	End, Stop time.Duration
	// Drain is the time limit for reading the remaining output of a server that has exited. The limit is necessary
	// because a child process of the server may never close the output.
	Drain time.Duration
	// MaxMessage is the maximum size of a message from the server, in bytes.
	MaxMessage int
}

// withDefaults returns t with the default value in place of each zero field.
func (t Times) withDefaults() Times {
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
