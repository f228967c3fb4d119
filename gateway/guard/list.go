// This file filters the server's lists of tools and prompts, and compares the lists with the approved tools and
// prompts.

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

// listKind identifies a list of the server that the guard filters. Its value is the key of the list in the protocol.
type listKind string

// Lists that the guard filters. It filters prompts only if Config.Texts is true.
const (
	toolsList   listKind = "tools"
	promptsList listKind = "prompts"
)

// method returns the method that requests the list.
func (k listKind) method() string { return string(k) + "/list" }

// changed returns the method of the notification that announces a change of the list.
func (k listKind) changed() string { return "notifications/" + string(k) + "/list_changed" }

// kinds returns the lists that g filters.
func (g *Guard) kinds() []listKind {
	if g.config.Texts {
		return []listKind{toolsList, promptsList}
	}
	return []listKind{toolsList}
}

// of returns either the approved tools or the approved prompts, depending on kind, keyed by their names on the server.
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

// list passes m, the server's response to tools/list or prompts/list, to the client. It removes each entry that is not
// approved or that differs from the approved definition, and replaces each remaining entry by its approved JSON. The
// other members of the result are unchanged.
func (g *Guard) list(ctx context.Context, m *message, line []byte, kind listKind) {
	if wait(ctx, g.approvals.loaded) != nil {
		return // the guard is ending
	}
	found, next, err := m.page(m.result, kind)
	state, closed := g.approvals.get()
	g.mu.Lock()
	g.shown[kind] = version(state, closed)
	g.mu.Unlock()
	approved := state.of(kind) // empty if the approved tools could not be read
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
		g.sendLog("warning", fmt.Sprintf("%s approved (toolcrib status): %s", which, lists.First(withheld, 20)))
	}
	if next.present() || len(withheld) > 0 || len(listed) != len(approved) {
		g.refresher.compare(found.of(m.text), kind, approved)
	}
}

// page returns the positions of the list and of the cursor of the next page in the given result.
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
		err = ambiguous("the result has no list of " + string(kind))
	}
	return list, next, err
}

// readable returns a copy of m, a response to a list request, in which a number replaces each invalid entry of the
// list. A list with invalid entries can then be parsed. readable returns nil if m responds to another request, or if m
// is invalid for another reason.
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
			g.config.Log(fmt.Sprintf("withheld invalid entries of the list of %s: %s", kind, clip(strings.Join(names, ", "))))
			return text
		}
	}
	return nil
}

// vetted is the result of Backend.Vet for a tool that differs from its approved JSON only in excluded parts.
type vetted struct {
	sum string // hash of the JSON that was checked
	err error
}

// listedJSON returns the JSON that the client receives for a tool. It compares tool, the approved tool, with item, the
// tool in the server's list. If both are equal, the result is the approved JSON. If they differ only in excluded parts
// and the rules have no finding, the result is the server's JSON. Otherwise, the result is nil. err is not nil if the
// rules have a finding.
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
			g.config.Log(fmt.Sprintf("%s is withheld because of a finding in a part that is excluded from the pin: %v", clip(item.Name), last.err))
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

// withoutExcluded handles the tools in l that differ from the approved tools only in excluded parts. It replaces each
// of these tools by the approved JSON, because the observer must not propose such differences. It adds an entry to
// l.Skipped for each tool with a finding in its excluded parts, and for each approved tool that the guard does not list
// to clients.
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
			l.Skipped = append(l.Skipped, wire.Skipped{Name: item.Name, Reason: "is withheld because of a finding in a part that is excluded from the pin", Detail: err.Error()})
		}
		if err != nil || listed != nil {
			l.Tools[i] = tool.Raw
		}
		if listed != nil && tool.Unlistable != "" {
			l.Skipped = append(l.Skipped, wire.Skipped{Name: item.Name, Reason: "is not listed: clients would refuse the whole list because of " + tool.Unlistable})
		}
	}
}

// approvedTools filters list, a JSON array of tools. listed contains the JSON that the client receives for each
// approved tool, except for tools that would make clients refuse the whole list (Tool.Unlistable). withheld contains
// the names of the tools that are not approved.
func (g *Guard) approvedTools(ctx context.Context, list []byte, approved map[string]Tool) (listed []json.RawMessage, withheld []string, err error) {
	seen := map[string]bool{}
	err = array(list, func(value []byte) error {
		item, err := wire.ReadItem(wire.MCP, value)
		if err != nil {
			withheld = append(withheld, "an invalid entry")
			return nil
		}
		again := seen[item.Name] // of several entries with the same name, only the first is listed
		seen[item.Name] = true
		var raw json.RawMessage
		if tool, known := approved[item.Name]; known && !again {
			raw, _ = g.listedJSON(ctx, tool, wire.ListedItem{Item: item, Sum: item.Hash()}) // withoutExcluded reports the error
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

// refresher stores the server's lists as of the last comparison with the approved tools, and counts the comparisons.
type refresher struct {
	mu          sync.Mutex
	requested   int           // number of requested comparisons
	done        int           // number of completed comparisons
	compared    chan struct{} // closed and replaced after each comparison
	wakeUp      chan struct{}
	failed      error // error of the last comparison
	lists       listings
	serverTexts map[string]wire.ServerText // the server's prompts and instructions by name; nil before the first comparison
}

// listings contains the entries of each list of the server, keyed by name. Each map is nil before the first comparison.
type listings map[listKind]map[string]wire.ListedItem

// request requests a comparison. If a comparison is running, another comparison follows, because the running comparison
// may have read the lists before they changed.
func (r *refresher) request() {
	r.mu.Lock()
	r.requested++
	r.mu.Unlock()
	r.wake()
}

// wake causes refreshLists to start the next comparison without waiting for the interval.
func (r *refresher) wake() {
	select {
	case r.wakeUp <- struct{}{}:
	default: // already requested
	}
}

// finish stores the result of a comparison. covers is the value of r.requested at the start of the comparison. If err
// is nil, the lists in l replace the stored lists.
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

// wait waits for all comparisons that were requested before the call. It returns the error of the last comparison, or
// ctx.Err() if ctx is done first.
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

// list returns the entries of the server's list of the given kind, keyed by their names, or nil before the first
// comparison. Callers must not modify the map.
func (r *refresher) list(kind listKind) map[string]wire.ListedItem {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lists[kind]
}

// texts returns the server's prompts and instructions, keyed by their names, or nil before the first comparison.
// Callers must not modify the map.
func (r *refresher) texts() map[string]wire.ServerText {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.serverTexts
}

// refreshLists compares the server's lists with the approved tools and texts until ctx is done. A comparison runs after
// the handshake, after each request, and periodically.
func (g *Guard) refreshLists(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-g.refresher.wakeUp:
	}
	for ctx.Err() == nil {
		g.refresher.mu.Lock()
		covers := g.refresher.requested // number of requests that this comparison fulfills
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
		if err != nil && ctx.Err() == nil && !errors.Is(err, os.ErrClosed) { // os.ErrClosed indicates that the guard closed the server's input
			const cannot = "the tools of %s cannot be compared with the approved tools: %w"
			why := err.Error()
			g.config.Log(fmt.Errorf(cannot, g.config.Name, err).Error())
			if noise := g.noise.Load(); noise != nil && errors.Is(err, errSilent) {
				why += "; the standard output of the server contains lines that are not messages, such as " + jsondoc.Quote(*noise)
			}
			if errors.Is(err, texts.ErrRefused) {
				err = texts.ErrRefused // the model reads the error, and could mistake a message of the server for a message of toolcrib
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

// compare requests a comparison if list differs from the stored list, because servers may change their lists without a
// notification. list is a JSON array that the server has sent to the client.
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

// refused returns an error response to the request with the given encoded id, which is empty if the request could not
// be parsed.
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
		return []byte(`""`) // cannot happen
	}
	return b
}

// refusal returns the response to a call that was refused because of err. For an ambiguous call or an unknown tool, the
// response is a protocol error. Otherwise, it is a tool result with an error message for the model.
func refusal(c *call, modern bool, err error) []byte {
	var why *gateway.Error
	switch {
	case errors.As(err, new(ambiguous)):
		return refused(c.id, codeInvalidParams, "toolcrib does not forward this call: "+err.Error())
	case errors.As(err, &why) && why.Code == gateway.CodeUnknown:
		return refused(c.id, codeInvalidParams, why.Message)
	case why == nil:
		why = &gateway.Error{Code: "guard_closed", Message: "toolcrib does not forward calls: " + err.Error()}
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

// approvals stores the result of the last read of the approved tools.
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

// version returns a string that identifies the result of a read of the approved tools.
func version(approved Approved, closed error) string {
	return fmt.Sprint(approved.State, closed)
}

// set stores the result of a read and reports whether it differs from the previous result.
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

// followApprovals reads the approved tools after each change of the approvals, and notifies the client of changed
// lists, until ctx is done.
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
			g.observer.wake() // retry a list that could not be proposed
			for _, tool := range approved.Tools {
				if tool.Unlistable != "" {
					g.refresher.request() // the comparison reports the tool as skipped
					break
				}
			}
		}
		g.notifyChanges(nil)
	}
}

// approved reads the approved tools from the backend. It has the same time limit as a list request, because responses
// of the server wait for the first read.
func (g *Guard) approved(ctx context.Context) (Approved, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, g.config.Times.List, errNoDatabase)
	defer cancel()
	approved, err := g.config.Backend.Approved(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errNoDatabase) {
		err = errNoDatabase
	}
	return approved, err
}

// errNoDatabase indicates that the database did not respond within the time limit.
var errNoDatabase = errors.New("the database does not respond")

// listing returns a string that identifies the content of the list that the client would currently receive. filteredBy
// identifies the version of the approvals that determine this list. Both are "" if the server's list or the approvals
// are not known yet.
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
	approved, closed := g.approvals.get() // if the approvals could not be read, approved is empty
	var names []string
	for name, tool := range approved.of(kind) {
		if raw, err := g.listedJSON(context.Background(), tool, found[name]); raw != nil && err == nil && tool.Unlistable == "" {
			names = append(names, name+" "+tool.Hash)
		}
	}
	slices.Sort(names)
	return "listed\n" + strings.Join(names, "\n"), version(approved, closed)
}
