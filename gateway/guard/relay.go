package guard

import (
	"bytes"
	"context"
)

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
	if own := g.inquirer.waiter(m.key()); own != nil {
		own <- reply{err: err}
		return
	}
	if a := g.requests.take(m.key()); a != nil {
		a.call.conclude(Outcome{End: Failed, Message: "withheld: " + err.Error()})
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
	switch {
	case a == nil && string(m.id.of(m.text)) == "null":
		_ = g.client.write(line) // a request that the server could not read
	case a == nil:
		g.config.Log("an answer of the server to a request that nobody made is withheld")
	case a.call != nil:
		_ = g.client.write(line)
		a.call.conclude(outcomeOf(m))
	case m.failure.there():
		_ = g.client.write(line)
	case a.method == "tools/list":
		g.list(ctx, m, line)
	case a.method == "initialize", a.method == "server/discover":
		g.session.introduce(m)
		_ = g.client.write(announcing(m, line))
		g.session.heard()
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
