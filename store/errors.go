package store

import (
	"database/sql"
	"errors"
	"fmt"

	"toolcrib/review"
	"toolcrib/store/engine"
)

// Errors of the database as a whole, as package engine describes them.
var (
	ErrNewer      = engine.ErrNewer
	ErrNumbering  = engine.ErrNumbering
	ErrForeign    = engine.ErrForeign
	ErrNoDatabase = engine.ErrNoDatabase
	ErrBusy       = engine.ErrBusy
	ErrDamaged    = engine.ErrDamaged
	ErrRefused    = engine.ErrRefused
	ErrGone       = engine.ErrGone
	ErrLost       = engine.ErrLost
)

// missing turns an empty result into review.ErrNotFound with a name.
func missing(err error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), review.ErrNotFound)
	}
	return err
}

// changedOne makes of a row count what a compare-and-set has to say.
func changedOne(n int64, err error, what string) error {
	switch {
	case err != nil:
		return err
	case n != 1:
		return fmt.Errorf("%s: %w: another process changed it first; look again", what, review.ErrConflict)
	}
	return nil
}
