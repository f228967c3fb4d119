package cli

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review"
	"toolcrib/store"
)

// makeEmpty makes a registry with the core alone. One that has more is not made
// empty: nothing leaves a registry.
func (a *app) makeEmpty(ctx context.Context) error {
	a.empty = true
	db, err := a.database(ctx)
	if err != nil {
		return err
	}
	alone, err := coreAlone(ctx, db)
	if err != nil || alone {
		return err
	}
	return fmt.Errorf("%s exists and has the shipped agents and tools, which never leave a registry; name a new file with --db%w", a.config.DB, hidden{review.ErrConflict})
}

// coreAlone reports whether a registry was made empty: of the shipped definitions
// it has the core tools only.
func coreAlone(ctx context.Context, db *store.DB) (bool, error) {
	assistant := registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerGlobal, ID: shipped.AssistantID}
	_, err := viewed(ctx, db.View, func(r review.Reader) (registry.Live, error) { return r.Live(ctx, assistant) })
	if errors.Is(err, review.ErrNotFound) {
		return true, nil
	}
	return false, err
}
