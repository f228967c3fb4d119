package records

import (
	"context"
	"fmt"

	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
)

// Source returns the JSON that a definition was imported from, nil when it was
// not imported or the JSON was not kept here. What was kept and is not what the
// definition pins is an error.
func Source(ctx context.Context, r review.RegistryReader, d registry.Definition) ([]byte, error) {
	hash := Pin(d)
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

// Pin returns the hash that a definition's source pins, "" for none.
func Pin(d registry.Definition) string {
	if d.Tool == nil || d.Tool.Source == nil {
		return ""
	}
	return d.Tool.Source.Hash
}

// Definition returns the definition of a version of a subject.
func Definition(ctx context.Context, r review.RegistryReader, s registry.Subject, number int) (registry.Definition, error) {
	v, err := r.Version(ctx, s, number)
	if err != nil {
		return registry.Definition{}, err
	}
	return v.Decode()
}
