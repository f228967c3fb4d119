package gateway

import (
	"cmp"
	"context"
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
