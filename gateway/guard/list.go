// The gated lists, and the comparison of the server's lists with the approved ones.

package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/texts"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// listKind is a gated list of the server, named by its key in the protocol.
type listKind string

// Gated lists. Prompts are gated only if the texts of the server are reviewed.
const (
	toolsList   listKind = "tools"
	promptsList listKind = "prompts"
)

// method returns the method that requests the list.
func (k listKind) method() string { return string(k) + "/list" }

// changed returns the method of the notification that the list has changed.
func (k listKind) changed() string { return "notifications/" + string(k) + "/list_changed" }

// kinds returns the lists that the guard gates.
func (g *Guard) kinds() []listKind {
	if g.config.Texts {
		return []listKind{toolsList, promptsList}
	}
	return []listKind{toolsList}
}

// of returns the approved entries of a list by their name on the server.
func (a Approved) of(kind listKind) map[string]Tool {
	if kind == toolsList {
		return a.Tools
	}
	prompts := map[string]Tool{}
	for _, t := range a.Texts {
		if item, err := wire.ReadItem(wire.MCP, t.Entry); len(t.Entry) > 0 && err == nil {
			prompts[item.Name] = Tool{Hash: t.EntryHash, Raw: t.Entry}
		}
	}
	return prompts
}

// list responds to the client's tools/list with the tools that the server lists as approved, in their approved bytes.
// It keeps the other members of the result. It handles prompts/list in the same way.
func (g *Guard) list(ctx context.Context, m *message, line []byte, kind listKind) {
	if wait(ctx, g.approvals.loaded) != nil {
		return // the guard is ending
	}
	found, next, err := m.page(m.result, kind)
	state, closed := g.approvals.get()
	g.mu.Lock()
	g.shown[kind] = version(state, closed)
	g.mu.Unlock()
	approved := state.of(kind) // empty if the approved tools are unknown
	var listed []json.RawMessage
	var withheld []string
	if err == nil {
		listed, withheld, err = g.approvedTools(ctx, found.of(m.text), approved)
	}
	if err != nil {
		g.writeClient(refused(m.id.of(m.text), codeInternal, "toolcrib withholds the server's list of "+string(kind)+": "+err.Error()))
		return
	}
	_ = g.client.write(slices.Concat(line[:found.from], wire.Array(listed), line[found.to:]))
	if len(withheld) > 0 && closed == nil {
		which := fmt.Sprintf("1 %s of %s is withheld until it is", strings.TrimSuffix(string(kind), "s"), g.config.Name)
		if n := len(withheld); n > 1 {
			which = fmt.Sprintf("%d %s of %s are withheld until they are", n, kind, g.config.Name)
		}
		g.sendLog("warning", fmt.Sprintf("%s approved (toolcrib status): %s", which, strings.Join(withheld, ", ")))
	}
	if next.present() || len(withheld) > 0 || len(listed) != len(approved) {
		g.refresher.compare(found.of(m.text), kind, approved)
	}
}

// page returns the positions of the list and of the next cursor in a result.
func (m *message) page(result span, kind listKind) (list, next span, err error) {
	err = m.members(result, []string{string(kind), "nextCursor"}, func(key string, value span) {
		switch key {
		case string(kind):
			list = value
		case "nextCursor":
			next = value
		}
	})
	if err == nil && (!list.present() || m.text[list.from] != '[') {
		err = ambiguous("it has no list of " + string(kind))
	}
	return list, next, err
}

// readable returns the response to a list request with numbers in place of the entries that the parser refuses, so
// that an invalid entry does not affect the others. It returns nil for other responses, and if anything else is
// invalid.
func (g *Guard) readable(m *message) []byte {
	asked := g.requests.find(m.key())
	for _, kind := range g.kinds() {
		if asked != nil && asked.method != kind.method() {
			continue
		}
		_, result, odd, ok := wire.ParseLenient(m.result.of(m.text), string(kind))
		if !ok || len(odd) == 0 {
			continue
		}
		text := slices.Concat(m.text[:m.result.from], result, m.text[m.result.to:])
		if _, err := read(text); err == nil {
			names := lists.Map(slices.Sorted(maps.Keys(odd)), func(at int) string { return odd[at].String() })
			g.config.Log(fmt.Sprintf("withheld from the list of %s: %s", kind, clip(strings.Join(names, ", "))))
			return text
		}
	}
	return nil
}

// vetted is the result of applying the rules to a tool whose excluded parts have changed.
type vetted struct {
	sum string // hash of the JSON
	err error
}

// listedJSON returns the JSON with which a tool is listed to the client. This is the approved JSON, or the server's
// JSON if only excluded parts have changed and the rules find nothing in them. For any other tool, it returns nil. err
// is the finding.
func (g *Guard) listedJSON(ctx context.Context, tool Tool, item wire.ListedItem) (raw json.RawMessage, err error) {
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

// withoutExcluded replaces tools that differ only in excluded parts by their approved JSON, so that they are not
// proposed. It also reports findings in the excluded parts, and tools that are not listed.
func (g *Guard) withoutExcluded(ctx context.Context, l *Listing) {
	state, _ := g.approvals.get()
	for i, raw := range l.Tools {
		item, err := wire.ReadItem(wire.MCP, raw)
		tool, known := state.Tools[item.Name]
		if err != nil || !known {
			continue
		}
		listed, err := g.listedJSON(ctx, tool, wire.ListedItem{Item: item, Sum: item.Hash()})
		if err != nil {
			l.Skipped = append(l.Skipped, wire.Skipped{Name: item.Name, Reason: "is withheld because of a part that is excluded from its pin", Detail: err.Error()})
		}
		if err != nil || listed != nil {
			l.Tools[i] = tool.Raw
		}
		if listed != nil && tool.Unlistable != "" {
			l.Skipped = append(l.Skipped, wire.Skipped{Name: item.Name, Reason: "is not listed to clients, which refuse the whole list because of " + tool.Unlistable})
		}
	}
}

// approvedTools returns the approved tools of a list in the form of listedJSON, without those because of which clients
// would refuse the whole list, and the names of the tools that are not approved.
func (g *Guard) approvedTools(ctx context.Context, list []byte, approved map[string]Tool) (listed []json.RawMessage, withheld []string, err error) {
	seen := map[string]bool{}
	err = array(list, func(value []byte) error {
		item, err := wire.ReadItem(wire.MCP, value)
		if err != nil {
			withheld = append(withheld, "an unreadable entry")
			return nil
		}
		again := seen[item.Name] // the first of several counts
		seen[item.Name] = true
		var raw json.RawMessage
		if tool, known := approved[item.Name]; known && !again {
			raw, _ = g.listedJSON(ctx, tool, wire.ListedItem{Item: item, Sum: item.Hash()}) // the observer reports the error
		}
		if raw != nil && approved[item.Name].Unlistable == "" {
			listed = append(listed, raw)
		} else if raw == nil && !again {
			withheld = append(withheld, clip(item.Name))
		}
		return nil
	})
	return listed, withheld, err
}

// refresher caches the server's lists.
type refresher struct {
	mu          sync.Mutex
	requested   int           // number of requested comparisons
	done        int           // number of completed comparisons
	compared    chan struct{} // closed after a comparison
	wakeUp      chan struct{}
	failed      error // error of the last comparison
	lists       listings
	serverTexts map[string]wire.ServerText // the server's texts by name; nil before the first comparison
}

// listings has the entries of the server's lists by name. A list is nil before the first comparison.
type listings map[listKind]map[string]wire.ListedItem

// request requests a comparison, even if one is running, because that one may have started too early.
func (r *refresher) request() {
	r.mu.Lock()
	r.requested++
	r.mu.Unlock()
	r.wake()
}

// wake starts the requested comparisons.
func (r *refresher) wake() {
	select {
	case r.wakeUp <- struct{}{}:
	default: // already requested
	}
}

// finish stores the result of a comparison that covers all requests up to covers.
func (r *refresher) finish(covers int, l Listing, err error) {
	serverTexts, prompts := map[string]wire.ServerText{}, []json.RawMessage(nil)
	for _, raw := range l.Texts {
		item, err := wire.ReadItem(wire.MCPText, raw)
		if err != nil {
			continue
		}
		t, err := wire.ReadServerText(raw)
		if serverTexts[item.Name] = t; err == nil && len(t.Entry) > 0 {
			prompts = append(prompts, t.Entry)
		}
	}
	lists := listings{toolsList: wire.ByName(l.Tools), promptsList: wire.ByName(prompts)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done, r.failed = max(r.done, covers), err
	if err == nil {
		r.lists, r.serverTexts = lists, serverTexts
	}
	close(r.compared)
	r.compared = make(chan struct{})
}

// wait waits for the comparisons requested so far, and returns the error of the last one.
func (r *refresher) wait(ctx context.Context) error {
	r.mu.Lock()
	for until := r.requested; r.done < until; {
		ticked := r.compared
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

// list returns the server's list by name, or nil before the first comparison. Callers must not modify it.
func (r *refresher) list(kind listKind) map[string]wire.ListedItem {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lists[kind]
}

// texts returns the server's texts by name, or nil before the first comparison. Callers must not modify them.
func (r *refresher) texts() map[string]wire.ServerText {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.serverTexts
}

// refreshLists compares the server's tools at the start, after change notifications, and periodically, until ctx is
// done.
func (g *Guard) refreshLists(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-g.refresher.wakeUp:
	}
	for ctx.Err() == nil {
		g.refresher.mu.Lock()
		covers := g.refresher.requested // requests that this comparison completes
		g.refresher.mu.Unlock()
		g.mu.Lock()
		noticed := g.noticed
		g.noticed = map[listKind]bool{}
		g.mu.Unlock()
		l, err := g.requester.lists(ctx)
		if errors.Is(err, errNoTools) {
			err = nil
		}
		if err == nil && g.config.Texts {
			l.Texts, err = g.readTexts(ctx)
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, os.ErrClosed) { // not if the guard itself has closed the server's input
			const cannot = "the tools of %s cannot be compared with the approved ones: %w"
			why := err.Error()
			g.config.Log(fmt.Errorf(cannot, g.config.Name, err).Error())
			if noise := g.noise.Load(); noise != nil && strings.Contains(why, "did not answer") {
				why += "; it writes lines to standard output that are not messages, such as " + jsondoc.Quote(*noise)
			}
			if errors.Is(err, texts.ErrRefused) {
				err = texts.ErrRefused // the model reads the error, and must not mistake the server's words for toolcrib's
			}
			err = fmt.Errorf(cannot, g.config.Name, err)
			g.observer.put(Listing{Problem: why})
			g.explained.Store(true)
		}
		g.refresher.finish(covers, l, err)
		if err == nil {
			g.withoutExcluded(ctx, &l)
			g.notifyChanges(noticed)
			g.observer.put(l)
		}
		select {
		case <-ctx.Done():
		case <-time.After(g.config.Times.Compare):
		case <-g.refresher.wakeUp:
		}
	}
}

// compare requests a comparison if the client received a list that differs from the last comparison, because servers
// may change without a notification.
func (r *refresher) compare(list []byte, kind listKind, approved map[string]Tool) {
	var page []json.RawMessage
	err := array(list, func(value []byte) error {
		page = append(page, bytes.Clone(value))
		return nil
	})
	known, differs := r.list(kind), err != nil
	for name, item := range wire.ByName(page) {
		var excluded []registry.Exclusion
		if source := approved[name].Source; source != nil {
			excluded = source.Excluded
		}
		differs = differs || known[name].Node() == nil || known[name].Pin(excluded) != item.Pin(excluded)
	}
	if differs && known != nil {
		r.request()
	}
}

// Error codes of JSON-RPC 2.0.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// refused returns an error response to the request with an id. id is empty for a request that could not be parsed.
func refused(id []byte, code int, message string) []byte {
	if len(id) == 0 {
		id = []byte("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(message))
}

// quote encodes text as a JSON string.
func quote(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil {
		return []byte(`""`) // encoding a string does not fail
	}
	return b
}

// refusal returns the response to a refused call: a protocol error for an unknown tool, and otherwise a result for
// the model.
func refusal(c *call, modern bool, err error) []byte {
	var why *gateway.Error
	switch {
	case errors.As(err, new(ambiguous)):
		return refused(c.id, codeInvalidParams, "toolcrib does not pass this call on: "+err.Error())
	case errors.As(err, &why) && why.Code == gateway.CodeUnknown:
		return refused(c.id, codeInvalidParams, why.Message)
	case why == nil:
		why = &gateway.Error{Code: "guard_closed", Message: "toolcrib does not pass calls on: " + err.Error()}
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

// approvals caches the approved tools.
type approvals struct {
	loaded chan struct{} // closed after the first read

	mu       sync.Mutex
	approved Approved
	closed   error // error of the last read; nil on success
	asked    bool
}

// get returns the approved tools, or the error of the last read.
func (a *approvals) get() (Approved, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed != nil {
		return Approved{}, a.closed
	}
	return a.approved, nil
}

// version identifies the result of a read.
func version(approved Approved, closed error) string {
	return fmt.Sprint(approved.State, closed)
}

// set stores the result of a read and reports whether it differs from the previous one.
func (a *approvals) set(approved Approved, err error) (changed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before, closed, asked := a.approved.State, a.closed, a.asked
	a.closed, a.asked = err, true
	if err == nil {
		a.approved = approved
	}
	if !asked {
		close(a.loaded)
	}
	switch {
	case !asked, (err == nil) != (closed == nil):
		return true
	case err != nil:
		return err.Error() != closed.Error()
	}
	return approved.State != before
}

// followApprovals keeps approvals up to date until ctx is done.
func (g *Guard) followApprovals(ctx context.Context) {
	for seen := int64(0); ctx.Err() == nil; seen = g.config.Backend.Wait(ctx, seen) {
		approved, err := g.approved(ctx)
		if ctx.Err() != nil {
			return
		}
		if !g.approvals.set(approved, err) {
			continue
		}
		if err != nil {
			g.reportError(err)
		} else {
			g.mu.Lock()
			g.closedFor = ""
			g.mu.Unlock()
			g.observer.wake() // retries tools that could not be proposed
			for _, tool := range approved.Tools {
				if tool.Unlistable != "" {
					g.refresher.request() // which records it
					break
				}
			}
		}
		g.notifyChanges(nil)
	}
}

// approved reads the approved tools. It has the same time limit as a list request, because responses of the server
// wait for it.
func (g *Guard) approved(ctx context.Context) (Approved, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, g.config.Times.List, errNoDatabase)
	defer cancel()
	approved, err := g.config.Backend.Approved(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errNoDatabase) {
		err = errNoDatabase
	}
	return approved, err
}

// errNoDatabase is returned if the database takes too long.
var errNoDatabase = errors.New("its database does not answer")

// listing identifies the list that the client would receive now, or returns "" if that is unknown. It also returns the
// version of the approvals that filter it.
func (g *Guard) listing(kind listKind) (list, filteredBy string) {
	found := g.refresher.list(kind)
	select {
	case <-g.approvals.loaded:
	default:
		return "", ""
	}
	if found == nil {
		return "", ""
	}
	approved, closed := g.approvals.get() // the list is empty while the approved tools are unknown
	var names []string
	for name, tool := range approved.of(kind) {
		if raw, err := g.listedJSON(context.Background(), tool, found[name]); raw != nil && err == nil && tool.Unlistable == "" {
			names = append(names, name+" "+tool.Hash)
		}
	}
	slices.Sort(names)
	return "listed\n" + strings.Join(names, "\n"), version(approved, closed)
}
