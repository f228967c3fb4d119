package difflist

import (
	"context"

	"toolcrib/history/diff"
	"toolcrib/registry"
)

// SplitFrom is how wide a diff has to be for its sides to stand beside each other, in
// cells.
const SplitFrom = 160

// Sources knows what definitions were imported from.
type Sources interface {
	// Source returns the JSON that a definition was imported from, nil for none.
	Source(ctx context.Context, definition registry.Definition) ([]byte, error)
}

// Compare compares two contents with the JSON that they were imported from.
func Compare(ctx context.Context, desk Sources, before, after diff.Content) ([]diff.Field, error) {
	for _, side := range []*diff.Content{&before, &after} {
		source, err := desk.Source(ctx, side.Definition)
		if err != nil {
			return nil, err
		}
		side.Source = source
	}
	return diff.Contents(before, after), nil
}
