package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

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
