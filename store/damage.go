// This file names the pages of a damaged SQLite file.

package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolcrib/store/engine"
	"toolcrib/store/sqlite"
)

// NamePages adds the damaged pages of the SQLite file at path to an error that wraps
// engine.ErrDamaged, and returns other errors unchanged.
func NamePages(ctx context.Context, path string, err error) error {
	if !errors.Is(err, engine.ErrDamaged) || IsURL(path) {
		return err
	}
	if pages := sqlite.DamagedPages(ctx, path); len(pages) > 0 {
		return fmt.Errorf("%w; SQLite's integrity check names: %s", err, strings.Join(pages, "; "))
	}
	return err
}
