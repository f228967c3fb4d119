package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
)

// Health is the engine's report about the file.
type Health struct {
	Schema    int
	Proposals map[string]int // by state
	Problems  []string
}

// Health runs the engine's quick check and the foreign-key check. They see
// damage to the structure; damage to the content is seen by the hash chains.
func (db *DB) Health(ctx context.Context) (Health, error) {
	h := Health{Proposals: map[string]int{}}
	err := db.view(ctx, func(s *session) error {
		var err error
		if h.Schema, err = s.schema(ctx); err != nil {
			return err
		}
		counts, err := s.Counts(ctx)
		if err != nil {
			return err
		}
		for state, n := range counts {
			h.Proposals[string(state)] = n
		}
		answers, err := s.check(ctx, "quick_check")
		if err != nil {
			return err
		}
		for _, a := range answers {
			h.Problems = append(h.Problems, "quick_check: "+a)
		}
		return s.danglingKeys(ctx, func(_, message string) { h.Problems = append(h.Problems, message) })
	})
	return h, err
}

// danglingKeys calls fn for every row whose foreign key names a missing row.
func (s *session) danglingKeys(ctx context.Context, fn func(table, message string)) error {
	return s.each(ctx, `SELECT "table", coalesce(rowid, 0), parent FROM pragma_foreign_key_check`, nil, func(row scanner) error {
		var table, parent string
		var rowid int64
		if err := row.Scan(&table, &rowid, &parent); err != nil {
			return err
		}
		fn(table, fmt.Sprintf("row %d of %s points to a row of %s that is not there", rowid, table, parent))
		return nil
	})
}

// check runs one of the engine's own checks and returns what it finds:
// integrity_check sees pages that do not hang together, values that break a
// constraint and indexes that say something else than their tables, quick_check
// all but the last.
func (s *session) check(ctx context.Context, pragma string) ([]string, error) {
	var found []string
	if err := s.readTextIndex(ctx); err != nil {
		found = append(found, err.Error())
	}
	answers, err := all(ctx, s, scanString, "PRAGMA "+pragma)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		found = append(found, err.Error())
	}
	for _, answer := range answers {
		if answer != "ok" {
			found = append(found, answer)
		}
	}
	return found, nil
}

// readTextIndex looks into the full-text index. That comes before every check of
// it: the check alone would take what this connection remembers of it for what
// is in the file.
func (s *session) readTextIndex(ctx context.Context) error {
	var seq int64
	err := s.row(ctx, "SELECT rowid FROM proposals_text WHERE proposals_text MATCH $1 LIMIT 1", []any{quoteFTS("user")}, &seq)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("the full-text index cannot be read: %w", err)
	}
	return nil
}

// OpenToOthers returns what is wrong with the mode of a database file that other
// accounts of the machine may read or write, "" when nothing is. Windows keeps
// such rights elsewhere.
func OpenToOthers(mode fs.FileMode) string {
	if runtime.GOOS == "windows" || mode.Perm()&0o077 == 0 {
		return ""
	}
	return fmt.Sprintf("the database file has mode %04o, so other accounts of this machine may use it; run chmod 600 on it", mode.Perm())
}

// Rows returns how many records there are to verify, by the numbers of the last
// of them.
func (db *DB) Rows(ctx context.Context) (n int64, err error) {
	err = db.view(ctx, func(s *session) error {
		for _, table := range append(recordTables(), versionTable, eventTable) {
			var last int64
			if err := s.row(ctx, "SELECT coalesce(max(seq), 0) FROM "+table, nil, &last); err != nil {
				return err
			}
			n += last
		}
		return nil
	})
	return n, err
}
