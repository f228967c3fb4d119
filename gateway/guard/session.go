package guard

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
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
