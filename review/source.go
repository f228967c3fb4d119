package review

import (
	"context"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review/impact"
)

// source returns the JSON that a definition was imported from, nil when it was
// not imported or the JSON was not kept here. What was kept and is not what the
// definition pins is an error.
func source(ctx context.Context, r RegistryReader, d registry.Definition) ([]byte, error) {
	hash := pin(d)
	if hash == "" {
		return nil, nil
	}
	raw, ok, err := r.Raw(ctx, hash)
	if err != nil || !ok {
		return nil, err
	}
	if found, err := wire.HashRaw(raw); err != nil || found != hash {
		return nil, fmt.Errorf("the stored JSON of %s does not match its pin; run toolcrib verify", d.ID())
	}
	return raw, nil
}

// pin returns the hash that a definition's source pins, "" for none.
func pin(d registry.Definition) string {
	if d.Tool == nil || d.Tool.Source == nil {
		return ""
	}
	return d.Tool.Source.Hash
}

// unseen reports a source that pins JSON which nobody can be shown: it was never
// imported here, and no version in force pins it.
func unseen(ctx context.Context, r RegistryReader, draft proposals.Draft) (proposals.Problems, error) {
	hash := pin(draft.Definition)
	if hash == "" {
		return nil, nil
	}
	if _, ok, err := r.Raw(ctx, hash); ok || err != nil {
		return nil, err
	}
	now, err := impact.Live(ctx, r, draft.Subject)
	if err != nil || now != nil && pin(now.Definition) == hash {
		return nil, err
	}
	return misfit(proposals.RuleDefinition, "definition.source.hash",
		"pins JSON that was never imported here, so nobody can review it; import the tool (toolcrib import) or leave source out"), nil
}

// Source returns the JSON that a definition was imported from, nil when there is
// none here.
func (d *reading) Source(ctx context.Context, definition registry.Definition) ([]byte, error) {
	if pin(definition) == "" {
		return nil, nil
	}
	return read(ctx, d.office, func(r Reader) ([]byte, error) { return source(ctx, r, definition) })
}
