package cli

import (
	"context"
	"slices"

	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/bundle"
)

// encodeBundle writes the live definitions with all that proves them.
func (a *app) encodeBundle(ctx context.Context, c extract) ([]byte, error) {
	var lives []registry.Live
	for _, e := range slices.Concat(c.tools, c.agents, c.lists) {
		lives = append(lives, registry.Live{Subject: e.Subject, Version: e.Version})
	}
	b, err := viewed(ctx, a.db.View, func(r review.Reader) (bundle.Bundle, error) {
		return bundle.Of(ctx, r, lives, c.layer.View(), a.env.Now())
	})
	if err != nil {
		return nil, err
	}
	return b.Encode()
}
