// This file adds the damaged pages of a SQLite file to errors.

package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolcrib/store/engine"
	"toolcrib/store/sqlite"
)

// NamePages returns err with a description of the damaged pages of the SQLite file
// at path. If err does not wrap engine.ErrDamaged, NamePages returns err unchanged.
func NamePages(ctx context.Context, path string, err error) error {
	if !errors.Is(err, engine.ErrDamaged) || IsURL(path) {
		return err
	}
	if pages := sqlite.DamagedPages(ctx, path); len(pages) > 0 {
		return fmt.Errorf("%w; SQLite's integrity check reports: %s", err, strings.Join(pages, "; "))
	}
	return err
}
