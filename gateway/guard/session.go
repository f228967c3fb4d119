package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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

// note keeps what a message of the client says of the session.
func (g *Guard) note(m *message) {
	if m.kind != request {
		return
	}
	switch m.method {
	case "initialize":
		g.mu.Lock()
		defer g.mu.Unlock()
		g.session.shakes, g.session.began, g.session.meta = true, false, nil
		g.modern.Store(false) // it was tried, and the server does not speak it
		g.session.client = m.str(m.member(m.params, "clientInfo", "name"))
		g.session.capabilities = bytes.Clone(m.member(m.params, "capabilities").of(m.text))
		return
	case "subscriptions/listen":
		if string(m.member(m.params, "notifications", "toolsListChanged").of(m.text)) == "true" {
			g.mu.Lock()
			g.session.subscriptions[m.key()] = bytes.Clone(m.id.of(m.text))
			g.mu.Unlock()
		}
	}
	g.mu.Lock()
	shakes := g.session.shakes
	g.mu.Unlock()
	if shakes || g.modern.Load() || !m.params.there() {
		return
	}
	meta := m.member(m.params, "_meta")
	if m.str(m.member(meta, metaProtocol)) < modernRevision {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &g.session
	s.protocol = m.str(m.member(meta, metaProtocol))
	s.client = m.str(m.member(meta, metaClient, "name"))
	s.capabilities = bytes.Clone(m.member(meta, metaCapabilities).of(m.text))
	s.meta = without(m, meta, "progressToken")
	g.modern.Store(true)
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

// begin says that the server may be asked for its tools.
func (g *Guard) begin() {
	g.mu.Lock()
	began := g.session.began
	g.session.began = true
	g.mu.Unlock()
	if began {
		return
	}
	g.refresher.start()
	if closed := g.closedBy(); closed != nil && g.hears() {
		g.sayClosed(closed) // nobody could hear it before
	}
}

// introduced keeps what the server says of itself in the result of initialize or
// server/discover, and returns the line with the flag for list_changed: the guard
// sends it whether or not the server does.
func (g *Guard) introduced(m *message, line []byte) []byte {
	capabilities := m.member(m.result, "capabilities")
	tools := m.member(capabilities, "tools")
	g.mu.Lock()
	s := &g.session
	s.toolless, s.logging = !tools.there(), m.member(capabilities, "logging").there()
	s.server = bytes.Clone(m.member(m.result, "serverInfo").of(m.text))
	if v := m.str(m.member(m.result, "protocolVersion")); v != "" {
		s.protocol = v
	}
	g.mu.Unlock()
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

// tellChanged sends the client a list_changed of the guard's own.
func (g *Guard) tellChanged() {
	const method = "notifications/tools/list_changed"
	if !g.modern.Load() {
		if g.hears() {
			g.answer([]byte(`{"jsonrpc":"2.0","method":"` + method + `"}`))
		}
		return
	}
	g.mu.Lock()
	ids := slices.Collect(maps.Values(g.session.subscriptions))
	g.mu.Unlock()
	for _, id := range ids {
		g.answer(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"%s","params":{"_meta":{"%s":%s}}}`, method, metaSubscription, id))
	}
}

// hears reports whether the client takes notifications: it has begun, and has the
// answer to its initialize.
func (g *Guard) hears() bool {
	g.mu.Lock()
	began, shakes := g.session.began, g.session.shakes
	g.mu.Unlock()
	select {
	case <-g.introducedBy:
		return began
	default:
		return began && !shakes
	}
}

// say tells the person at the client something: on standard error, and as a log
// message where the client has begun and the revision has such messages unasked.
func (g *Guard) say(level, text string) {
	g.config.Log(text)
	g.mu.Lock()
	logging := g.session.logging
	g.mu.Unlock()
	if g.modern.Load() || !g.hears() || !logging && level != "error" {
		return
	}
	params, err := json.Marshal(map[string]any{"level": level, "logger": "toolcrib", "data": text})
	if err == nil {
		g.answer([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":` + string(params) + `}`))
	}
}

// fromServer relays one line of the server.
func (g *Guard) fromServer(ctx context.Context, line []byte) {
	text := bytes.TrimRight(line, "\r\n")
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if messages, ok := batch(text); ok && len(messages) > 0 && messages[0][0] == '{' {
		for _, m := range messages {
			g.fromServer(ctx, ended(m))
		}
		return
	}
	m, err := read(text)
	if err == nil && bytes.IndexByte(text, '\r') >= 0 {
		err = ambiguous("it has a line break inside, at which some clients begin a new message")
	}
	switch {
	case m.kind == 0 && !m.id.there() && err != nil:
		g.config.Log("the server writes to standard output: " + clip(string(text)))
	case err != nil:
		g.withhold(&m, err)
	case m.kind == response:
		g.relay(ctx, &m, line)
	default:
		if m.method == "notifications/tools/list_changed" {
			g.mu.Lock()
			g.noticed = true
			g.mu.Unlock()
			g.refresher.want() // before the client can call what changed
		}
		_ = g.client.write(line)
	}
}

// withhold answers the request whose answer does not pass with an error.
func (g *Guard) withhold(m *message, err error) {
	g.config.Log("a message of the server is withheld: " + err.Error())
	if !m.id.there() || m.method != "" {
		return
	}
	if own := g.ownAnswer(m.key()); own != nil {
		own <- reply{err: err}
		return
	}
	if a := g.answered(m.key()); a != nil {
		g.concludes(a.call, Outcome{End: Failed, Message: "withheld: " + err.Error()})
		g.answer(refused(m.id.of(m.text), codeInternal, "toolcrib withholds the server's answer: "+err.Error()))
	}
}

// relay passes an answer on to the client that asked.
func (g *Guard) relay(ctx context.Context, m *message, line []byte) {
	key := m.key()
	if g.replied(key, m) {
		return
	}
	a := g.answered(key)
	switch {
	case a == nil && string(m.id.of(m.text)) == "null":
		_ = g.client.write(line) // a request that the server could not read
	case a == nil:
		g.config.Log("an answer of the server to a request that nobody made is withheld")
	case a.call != nil:
		_ = g.client.write(line)
		g.concludes(a.call, outcomeOf(m))
	case m.failure.there():
		_ = g.client.write(line)
	case a.method == "tools/list":
		g.list(ctx, m, line)
	case a.method == "initialize", a.method == "server/discover":
		_ = g.client.write(g.introduced(m, line))
		g.introduction.Do(func() { close(g.introducedBy) })
		if closed := g.closedBy(); closed != nil && g.hears() {
			g.sayClosed(closed) // to a client that did not wait for the answer
		}
	default:
		if a.method == "subscriptions/listen" {
			g.mu.Lock()
			delete(g.session.subscriptions, key)
			g.mu.Unlock()
		}
		_ = g.client.write(line)
	}
	if a != nil && g.modern.Load() && !m.failure.there() {
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
