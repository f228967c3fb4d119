package cli

import (
	"context"
	"encoding/json"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/gateway/serve"
	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/store"
)

// catalog reads approved definitions as export does, for applications that load
// them from a server.
type catalog struct {
	app *app
	prompter
}

// Load implements serve.Catalog.
func (c catalog) Load(ctx context.Context, who gateway.Caller, asOf time.Time) (serve.Loaded, error) {
	all, err := c.app.extract(ctx, who.Layer, store.CatalogQuery{AsOf: asOf})
	if err != nil {
		return serve.Loaded{}, err
	}
	atOnce, where := all, who.Where
	where.IncludeDeferred = true
	if _, err := all.only(ctx, who.Agent, where); err != nil {
		return serve.Loaded{}, err
	}
	where.IncludeDeferred = false
	if _, err := atOnce.only(ctx, who.Agent, where); err != nil {
		return serve.Loaded{}, err
	}
	offered := map[registry.Subject]bool{}
	for _, e := range atOnce.tools {
		offered[e.Subject] = true
	}
	loaded := serve.Loaded{}
	if loaded.Agent, err = served(all.agents[0], false); err != nil {
		return loaded, err
	}
	for _, e := range all.lists {
		d, err := served(e, false)
		if err != nil {
			return loaded, err
		}
		loaded.Lists = append(loaded.Lists, d)
	}
	for _, e := range all.tools {
		d, err := served(e, !offered[e.Subject])
		if err != nil {
			return loaded, err
		}
		d.CreatedAt, d.UpdatedAt = e.CreatedAt, e.UpdatedAt
		loaded.Tools = append(loaded.Tools, d)
	}
	return loaded, nil
}

func served(e store.Exported, deferred bool) (serve.Definition, error) {
	l, err := liveOf(e)
	return serve.Definition{
		Subject: e.Subject.String(), Version: e.Version, ContentHash: e.ContentHash, Hash: e.Hash, Locked: e.Locked, Deferred: deferred, Definition: e.Definition, Live: l,
	}, err
}

// Encode implements serve.Catalog.
func (c catalog) Encode(ctx context.Context, tools []serve.Definition, f serve.Format) (array []byte, left []string, err error) {
	listed := make([]wire.Listed, len(tools))
	for i, d := range tools {
		if listed[i], err = c.app.listed(ctx, f, d.Live, d.CreatedAt, d.UpdatedAt); err != nil {
			return nil, nil, err
		}
	}
	text, left, err := wire.Encode(f, listed)
	if err != nil || f != wire.MCP {
		return text, left, err
	}
	var answer struct {
		Tools json.RawMessage `json:"tools"`
	}
	err = json.Unmarshal(text, &answer)
	return answer.Tools, left, err
}

// PromptInput implements serve.Catalog.
func (c catalog) PromptInput(ctx context.Context, who gateway.Caller) (prompt.Input, error) {
	who.Where.IncludeDeferred = false // the prompt explains how to find the others
	return c.desk.PromptInput(ctx, who.Agent, who.Layer, who.Where)
}

// Known implements serve.Catalog.
func (c catalog) Known(ctx context.Context, who gateway.Caller, to *prompt.Context) error {
	return recall(ctx, c.stored, builtin.Owner{Customer: who.Customer, User: who.User}, to)
}
