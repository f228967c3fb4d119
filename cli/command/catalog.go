package command

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/catalog"
)

// LiveOf decodes an exported row.
func LiveOf(e catalog.Exported) (registry.Live, error) {
	d, err := registry.DecodeDefinition(e.Subject.Kind, e.Definition)
	if err != nil {
		return registry.Live{}, fmt.Errorf("%s: %w", e.Subject, err)
	}
	return registry.Live{Subject: e.Subject, Version: e.Version, ContentHash: e.ContentHash, Definition: d, Locked: e.Locked}, nil
}

// CoreAlone reports whether a registry was made empty: of the shipped definitions
// it has the core tools only.
func CoreAlone(ctx context.Context, db *store.DB) (bool, error) {
	assistant := registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerGlobal, ID: shipped.AssistantID}
	_, err := Viewed(ctx, db.View, func(r review.Reader) (registry.Live, error) { return r.Live(ctx, assistant) })
	if errors.Is(err, proposals.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// Definitions returns the definitions of every layer, deactivated ones too.
func Definitions(ctx context.Context, a *App) ([]registry.Live, error) {
	db, err := a.Database(ctx)
	if err != nil {
		return nil, err
	}
	var live []registry.Live
	for _, kind := range registry.SubjectKinds() {
		entries, err := db.Export(ctx, catalog.Query{Kind: kind, All: true})
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			l, err := LiveOf(e)
			if err != nil {
				return nil, err
			}
			live = append(live, l)
		}
	}
	return live, nil
}
