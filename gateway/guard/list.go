package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/texts"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// listKind is a list of the server that is gated, by its key in the protocol.
type listKind string

// The lists. The second is gated where the texts of the server are reviewed.
const (
	toolsList   listKind = "tools"
	promptsList listKind = "prompts"
)

// method asks for the list.
func (k listKind) method() string { return string(k) + "/list" }

// changed is the notification that the list is another one.
func (k listKind) changed() string { return "notifications/" + string(k) + "/list_changed" }

// kinds are the lists that the guard gates.
func (g *Guard) kinds() []listKind {
	if g.config.Texts {
		return []listKind{toolsList, promptsList}
	}
	return []listKind{toolsList}
}

// of returns what is approved of a list, by its name on the server.
func (a Approved) of(kind listKind) map[string]Tool {
	if kind == promptsList {
		return a.prompts()
	}
	return a.Tools
}

// list answers the client's tools/list with the approved tools alone: each one that
// the server lists as it was approved, in its approved bytes. The other members of
// the result stay. It does the same for prompts/list.
func (g *Guard) list(ctx context.Context, m *message, line []byte, kind listKind) {
	if wait(ctx, g.approvals.loaded) != nil {
		return // the guard ends
	}
	var found, next span
	err := m.members(m.result, []string{string(kind), "nextCursor"}, func(key string, value span) {
		switch key {
		case string(kind):
			found = value
		case "nextCursor":
			next = value
		}
	})
	if err == nil && (!found.there() || m.text[found.from] != '[') {
		err = ambiguous("it has no list of " + string(kind))
	}
	state, closed := g.approvals.get()
	approved := state.of(kind) // none when nobody knows them
	var listed []json.RawMessage
	var withheld []string
	if err == nil {
		listed, withheld, err = g.passing(ctx, found.of(m.text), approved)
	}
	if err != nil {
		g.answer(refused(m.id.of(m.text), codeInternal, "toolcrib withholds the server's list of "+string(kind)+": "+err.Error()))
		return
	}
	_ = g.client.write(slices.Concat(line[:found.from], []byte("["), joined(listed), []byte("]"), line[found.to:]))
	if len(withheld) > 0 && closed == nil {
		which := fmt.Sprintf("1 %s of %s is withheld until it is", strings.TrimSuffix(string(kind), "s"), g.config.Name)
		if n := len(withheld); n > 1 {
			which = fmt.Sprintf("%d %s of %s are withheld until they are", n, kind, g.config.Name)
		}
		g.say("warning", fmt.Sprintf("%s approved (toolcrib status): %s", which, strings.Join(withheld, ", ")))
	}
	if next.there() || len(withheld) > 0 || len(listed) != len(approved) {
		g.refresher.compare(found.of(m.text), kind, approved)
	}
}

// readable returns the answer to a list without the entries that the parser refuses, and names
// these: one odd entry does not withhold the others. It is nil for another answer, and where
// the parser refuses more than entries.
func (g *Guard) readable(m *message) (text []byte, skipped []wire.Skipped) {
	asked := g.requests.find(m.key())
	for _, kind := range g.kinds() {
		if asked != nil && asked.method != kind.method() {
			continue
		}
		list, at, skipped, ok := wire.Salvage(m.result.of(m.text), string(kind))
		if !ok || len(skipped) == 0 {
			continue
		}
		text := slices.Concat(m.text[:m.result.from+at[0]], list, m.text[m.result.from+at[1]:])
		if _, err := read(text); err == nil {
			var names []string
			for _, s := range skipped {
				names = append(names, s.String())
			}
			g.config.Log(fmt.Sprintf("withheld from the list of %s: %s", kind, clip(strings.Join(names, ", "))))
			return text, skipped
		}
	}
	return nil, nil
}

// vetted is the verdict of the rules on a tool whose excluded parts have changed.
type vetted struct {
	sum string // of the JSON
	err error
}

// offered returns the JSON in which the client is listed a tool: the approved one, or where
// the server has changed nothing but parts that are excluded from the pin, what it lists, if
// the rules find nothing in it. It is nil for another tool; err is the finding.
func (g *Guard) offered(ctx context.Context, tool Tool, item wire.ListedItem) (raw json.RawMessage, err error) {
	switch {
	case tool.Hash == item.Sum:
		return tool.Raw, nil
	case tool.Source == nil || len(tool.Source.Excluded) == 0 || item.Node() == nil || item.Pin(tool.Source.Excluded) != tool.Source.Pin():
		return nil, nil
	}
	g.mu.Lock()
	last := g.vetted[item.Name]
	g.mu.Unlock()
	if last.sum != item.Sum {
		last = vetted{item.Sum, g.config.Backend.Vet(ctx, item.Raw)}
		if last.err != nil {
			g.config.Log(fmt.Sprintf("%s is withheld because of a part that is excluded from its pin: %v", clip(item.Name), last.err))
		}
		g.mu.Lock()
		g.vetted[item.Name] = last
		g.mu.Unlock()
	}
	if last.err != nil {
		return nil, last.err
	}
	return jsondoc.Canonical(item.Node()), nil
}

// withoutExcluded puts the approved JSON in place of tools that differ from it only in
// excluded parts, so that nothing is proposed of them, and names those in which the rules
// find something.
func (g *Guard) withoutExcluded(ctx context.Context, l *Listing) {
	state, _ := g.approvals.get()
	for i, raw := range l.Tools {
		item, err := wire.ReadItem(wire.MCP, raw)
		tool, known := state.Tools[item.Name]
		if err != nil || !known {
			continue
		}
		listed, err := g.offered(ctx, tool, wire.ListedItem{Item: item, Sum: item.Hash()})
		if err != nil {
			l.Skipped = append(l.Skipped, wire.Skipped{Name: item.Name, Reason: "is withheld because of a part that is excluded from its pin", Detail: err.Error()})
		}
		if err != nil || listed != nil {
			l.Tools[i] = tool.Raw
		}
	}
}

// passing returns the approved tools of a list, as offered has them, and the names of the
// others.
func (g *Guard) passing(ctx context.Context, list []byte, approved map[string]Tool) (listed []json.RawMessage, withheld []string, err error) {
	seen := map[string]bool{}
	err = array(list, lenient, func(value []byte) error {
		item, err := wire.ReadItem(wire.MCP, value)
		if err != nil {
			withheld = append(withheld, "one that cannot be read")
			return nil
		}
		again := seen[item.Name] // the first counts
		seen[item.Name] = true
		var raw json.RawMessage
		if tool, known := approved[item.Name]; known && !again {
			raw, _ = g.offered(ctx, tool, wire.ListedItem{Item: item, Sum: item.Hash()}) // the observer reports the error
		}
		if raw != nil {
			listed = append(listed, raw)
		} else if !again {
			withheld = append(withheld, clip(item.Name))
		}
		return nil
	})
	return listed, withheld, err
}

// refresher keeps what the server lists.
type refresher struct {
	mu     sync.Mutex
	wanted int           // comparisons that were asked for
	done   int           // those that an answer covers
	ticked chan struct{} // closed after a comparison
	kick   chan struct{}
	failed error // why the last comparison found nothing
	lists  listings
	spoken map[string]wire.ServerText // the server's texts by name; nil before one was found
}

// listings have what is in the server's lists, by its name. A list is nil before it was
// found.
type listings map[listKind]map[string]wire.ListedItem

func (r *refresher) init() {
	r.ticked, r.kick = make(chan struct{}), make(chan struct{}, 1)
	r.wanted = 1 // nothing is called before the first
}

// want asks for a comparison; one that runs may be too early.
func (r *refresher) want() {
	r.mu.Lock()
	r.wanted++
	r.mu.Unlock()
	r.start()
}

// start has the comparisons that are wanted made.
func (r *refresher) start() {
	select {
	case r.kick <- struct{}{}:
	default: // one is to come
	}
}

// began returns what a comparison that begins now will cover.
func (r *refresher) began() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wanted
}

// ends keeps what a comparison found.
func (r *refresher) ends(covers int, l Listing, err error) {
	texts, entries := spoken(l)
	lists := listings{toolsList: wire.ByName(l.Tools), promptsList: wire.ByName(entries)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done, r.failed = max(r.done, covers), err
	if err == nil {
		r.lists, r.spoken = lists, texts
	}
	close(r.ticked)
	r.ticked = make(chan struct{})
}

// wait waits for the comparisons that are wanted now. It returns an error if the
// last one failed.
func (r *refresher) wait(ctx context.Context) error {
	r.mu.Lock()
	for until := r.wanted; r.done < until; {
		ticked := r.ticked
		r.mu.Unlock()
		select {
		case <-ticked:
		case <-ctx.Done():
			return ctx.Err()
		}
		r.mu.Lock()
	}
	defer r.mu.Unlock()
	return r.failed
}

// found returns what the server lists, by name; nil when nobody knows. Nobody changes it.
func (r *refresher) found(kind listKind) map[string]wire.ListedItem {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lists[kind]
}

// texts returns the server's texts by name; nil when nobody knows. Nobody changes them.
func (r *refresher) texts() map[string]wire.ServerText {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spoken
}

// notice has the lists compared because the server, and so the client, says that one
// has changed.
func (g *Guard) notice(kind listKind) {
	g.mu.Lock()
	g.noticed[kind] = true
	g.again = g.again || kind == promptsList
	g.mu.Unlock()
	g.refresher.want()
}

// refreshes compares the server's tools when it has begun, when it reports a change,
// and now and then, until ctx ends.
func (g *Guard) refreshes(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-g.refresher.kick:
	}
	for ctx.Err() == nil {
		covers := g.refresher.began()
		g.mu.Lock()
		noticed := g.noticed
		g.noticed = map[listKind]bool{}
		g.mu.Unlock()
		l, err := g.inquirer.lists(ctx)
		if errors.Is(err, errNoTools) {
			err = nil
		}
		if err == nil && g.config.Texts {
			l.Texts, err = g.textsOf(ctx)
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, os.ErrClosed) { // the guard itself has closed the server's input
			const cannot = "the tools of %s cannot be compared with the approved ones: %w"
			said := err.Error()
			g.config.Log(fmt.Errorf(cannot, g.config.Name, err).Error())
			if errors.Is(err, texts.ErrRefused) {
				err = texts.ErrRefused // the model, which reads why a call is refused, takes no words of the server for toolcrib's
			}
			err = fmt.Errorf(cannot, g.config.Name, err)
			g.observer.put(Listing{Problem: g.unlisted(said)})
		}
		g.refresher.ends(covers, l, err)
		if err == nil {
			g.withoutExcluded(ctx, &l)
			g.tell(noticed)
			g.observer.put(l)
		}
		timer := time.NewTimer(g.config.Times.Compare)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-g.refresher.kick:
		}
		timer.Stop()
	}
}

// compare has the server's lists compared when the client was shown one that differs
// from the last comparison: a server may change without a word.
func (r *refresher) compare(list []byte, kind listKind, approved map[string]Tool) {
	excluded := map[string][]registry.Exclusion{}
	for name, tool := range approved {
		if tool.Source != nil {
			excluded[name] = tool.Source.Excluded
		}
	}
	var page []json.RawMessage
	err := array(list, lenient, func(value []byte) error {
		page = append(page, bytes.Clone(value))
		return nil
	})
	known, differs := r.found(kind), err != nil
	for name, item := range wire.ByName(page) {
		differs = differs || known[name].Node() == nil || known[name].Pin(excluded[name]) != item.Pin(excluded[name])
	}
	if differs && known != nil {
		r.want()
	}
}

// Codes of JSON-RPC 2.0 errors.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// refused is an error that answers the request with an id; nil for one that could not
// be read.
func refused(id []byte, code int, message string) []byte {
	if len(id) == 0 {
		id = []byte("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(message))
}

// quote writes a text as JSON.
func quote(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil {
		return []byte(`""`) // no text fails
	}
	return b
}

// refusal answers a call that does not pass: an unknown tool is an error of the
// protocol, and anything else a result that the model reads.
func refusal(c *call, modern bool, err error) []byte {
	var why *gateway.Error
	var unclear ambiguous
	switch {
	case errors.As(err, &unclear):
		return refused(c.id, codeInvalidParams, "toolcrib does not pass this call on: "+err.Error())
	case errors.As(err, &why) && why.Code == gateway.CodeUnknown:
		return refused(c.id, codeInvalidParams, why.Message)
	case why == nil:
		why = &gateway.Error{Code: "guard_closed", Message: "toolcrib passes no call on: " + err.Error()}
	}
	meta := fmt.Appendf(nil, `"toolcrib/code":%s`, quote(string(why.Code)))
	if why.Pending != "" {
		meta = fmt.Appendf(meta, `,"toolcrib/pending":%s`, quote(why.Pending))
	}
	kind := ""
	if modern {
		kind = `"resultType":"complete",`
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s"content":[{"type":"text","text":%s}],"isError":true,"_meta":{%s}}}`,
		c.id, kind, quote(why.Message), meta)
}
