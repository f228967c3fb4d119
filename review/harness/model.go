package harness

import (
	"context"
	"errors"
)

// Model answers questions. The harness asks it where no answer was recorded.
type Model interface {
	// Answer returns what the model says to input when prompt is its
	// instruction. It bounds its time and the size of the answer. The error
	// wraps ErrNotConnected when nobody could be asked at all, and is safe to
	// show.
	Answer(ctx context.Context, prompt, input string) (string, error)
}

// ErrNotConnected reports that no model is configured.
var ErrNotConnected = errors.New("no model is connected")
