package cli

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/review/harness"
)

// connection is a model whose client is made when it is first asked.
type connection struct {
	client func() (harness.Model, error)
}

// Answer implements harness.Model.
func (c *connection) Answer(ctx context.Context, prompt, input string) (string, error) {
	model, err := c.client()
	switch {
	case errors.Is(err, harness.ErrNotConnected):
		return "", err
	case err != nil:
		return "", fmt.Errorf("%w: %w", harness.ErrNotConnected, err)
	}
	return model.Answer(ctx, prompt, input)
}
