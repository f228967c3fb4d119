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
	var b bundle.Bundle
	err := a.db.View(ctx, func(r review.Reader) error {
		var err error
		b, err = bundle.Of(ctx, r, lives, c.layer.View(), a.env.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return b.Encode()
}
