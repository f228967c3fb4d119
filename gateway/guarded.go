package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// guarded returns the approved tools of one MCP server.
func guarded(ctx context.Context, r review.ToolReader, key toolsetKey, state int64) (*toolset, error) {
	lives, err := r.FromServer(ctx, key.server)
	if err != nil {
		return nil, err
	}
	set := &toolset{key: key, state: state, allowed: map[registry.Subject]registry.Choice{}}
	for _, e := range registry.Seen(lives, key.layer.View()) {
		t := e.Definition.Tool
		if t == nil || t.Source == nil || t.Source.Type != registry.SourceMCP || t.Kind != registry.ActionTool || !e.Active() {
			continue
		}
		set.allowed[e.Subject] = registry.Choice{Entry: e, In: true}
		set.entries = append(set.entries, e)
	}
	slices.SortFunc(set.entries, func(a, b registry.Entry) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	return set, nil
}

// own returns the tool of a guarded server that has a name there, or an *Error.
func (s *toolset) own(name string) (registry.Entry, error) {
	for _, e := range s.entries {
		if e.Definition.Tool.OriginName() == name {
			s.names.put(name, e)
			return e, nil
		}
	}
	return registry.Entry{}, &Error{Code: CodeUnknown, NotRun: true, Message: fmt.Sprintf(
		"%s is not an approved tool of the server %s. toolcrib status shows the user what waits, and where to review it", jsondoc.Quote(name), s.key.server)}
}

// GuardedTools are the approved tools of a guarded server in one state of the registry.
type GuardedTools struct {
	State int64
	Tools []GuardedTool
}

// GuardedTool is an approved tool as its server lists it.
type GuardedTool struct {
	Name string // on the server
	Hash string // of its JSON in canonical form: the pin
}

// Guarded returns the approved tools of the server of a caller.
func (g *Gateway) Guarded(ctx context.Context, c Caller) (GuardedTools, error) {
	set, err := g.toolset(ctx, c)
	if err != nil {
		return GuardedTools{}, err
	}
	out := GuardedTools{State: set.state}
	for _, e := range set.entries {
		t := e.Definition.Tool
		out.Tools = append(out.Tools, GuardedTool{Name: t.OriginName(), Hash: t.Source.Hash})
	}
	return out, nil
}

// resume makes a guarded call the one that the user approved when the client made it
// before, if there is one that has not run. It reports whether the call was written.
// The id that the answer names is given to one call, so it runs at most once.
func (g *Gateway) resume(ctx context.Context, p *prepared) (approved bool, err error) {
	var found *Pending
	like := Pending{Caller: p.call.Caller, Tool: p.tool.Subject, ContentHash: p.tool.ContentHash, Args: p.args}
	err = g.ledger.View(ctx, func(r LedgerReader) error {
		list, err := r.PendingList(ctx, PendingQuery{Agent: p.call.Caller.Agent, User: p.call.Caller.User, Limit: g.maxPending, Now: p.call.At})
		for _, other := range list {
			if other.Answer != nil && other.Answer.Approved && other.Outcome == nil && p.call.At.Before(other.ExpiresAt) && other.same(like) {
				found = &other
			}
		}
		return err
	})
	if err != nil || found == nil {
		return false, err
	}
	id := p.call.ID
	p.answers, p.call.ID = found.ID, found.Answer.Call
	err = g.ledger.Durable(ctx, func(tx LedgerTx) error {
		if err := g.admit(ctx, tx, p); err != nil {
			return err
		}
		if p.refused != nil { // a limit, say: the approval stays, and the refusal is a call of its own
			p.call.ID, p.call.Pending = id, ""
		}
		return g.enter(ctx, tx, p)
	})
	if errors.Is(err, ErrContradiction) { // somebody made it a moment ago
		p.answers, p.call.ID, p.call.Pending = "", id, ""
		return false, nil
	}
	return err == nil, err
}
