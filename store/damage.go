package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolcrib/store/engine"
	"toolcrib/store/sqlite"
)

// NamePages adds the damaged pages of a database file to an error that only reports damage.
func NamePages(ctx context.Context, path string, err error) error {
	if !errors.Is(err, engine.ErrDamaged) || IsURL(path) {
		return err
	}
	if pages := sqlite.DamagedPages(ctx, path); len(pages) > 0 {
		return fmt.Errorf("%w; SQLite's integrity check names: %s", err, strings.Join(pages, "; "))
	}
	return err
}
