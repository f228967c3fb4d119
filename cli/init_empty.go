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
	alone := false
	err := db.View(ctx, func(r review.Reader) error {
		_, err := r.Live(ctx, assistant)
		if alone = errors.Is(err, review.ErrNotFound); alone {
			return nil
		}
		return err
	})
	return alone, err
}
