package store

import (
	"context"
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

// Health runs the engine's quick checks. They see
// damage to the structure; damage to the content is seen by the hash chains.
func (db *DB) Health(ctx context.Context) (Health, error) {
	h := Health{Proposals: map[string]int{}}
	err := db.view(ctx, func(s *session) error {
		var err error
		if h.Schema, err = s.engine.Schema(ctx, s.Conn); err != nil {
			return err
		}
		counts, err := s.Counts(ctx)
		if err != nil {
			return err
		}
		for state, n := range counts {
			h.Proposals[string(state)] = n
		}
		h.Problems, err = s.engine.Problems(ctx, s.Conn)
		return err
	})
	return h, err
}

// OpenToOthers describes the problem with the mode of a database file that other
// accounts of the machine may read or write, "" when there is none. Windows keeps
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
		n = 0
		for _, table := range append(recordTables(), versionTable, eventTable) {
			var last int64
			if err := s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM "+table, nil, &last); err != nil {
				return err
			}
			n += last
		}
		return nil
	})
	return n, err
}
