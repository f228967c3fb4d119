package store

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/history"
)

// Health is the engine's report about the file.
type Health struct {
	Schema    int
	Proposals map[string]int // by state
	Problems  []string
}

// Health runs the engine's quick checks. They see
// damage to the structure; damage to the content is seen by the hash chains.
func (db audits) Health(ctx context.Context) (Health, error) {
	h := Health{Proposals: map[string]int{}}
	err := db.pool.view(ctx, func(s *session) error {
		var err error
		if h.Schema, err = s.engine.Schema(ctx, s.Conn); err != nil {
			return err
		}
		counts, err := proposalTables{session: s}.Counts(ctx)
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

// Rows returns how many records there are to verify, by the numbers of the last
// of them.
func (db audits) Rows(ctx context.Context) (n int64, err error) {
	err = db.pool.view(ctx, func(s *session) error {
		n = 0
		for _, table := range append(recordNames(), versionTable, eventTable) {
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

// audits check a database.
type audits struct{ pool *connections }

// Audit calls fn with the ledger of one snapshot. It fails for a login that may
// not read every table: invisible rows would count as damage. Where the engine
// ends the snapshot, it calls fn again, or fails with the error of the engine; the
// findings of fn until then do not count.
func (db audits) Audit(ctx context.Context, fn func(history.Ledger) error) error {
	return db.pool.view(ctx, func(s *session) (err error) {
		for _, k := range plainRecords() {
			if err := s.Script(ctx, "SELECT 1 FROM "+k.table+" WHERE false"); err != nil {
				return fmt.Errorf("verification reads every table: %w", err)
			}
		}
		readers, err := openSnapshotReaders(ctx, db.pool, s)
		if err != nil {
			return err
		}
		l := Ledger{engine: db.pool.engine, free: make(chan *session, 1+len(readers)), crossCheck: newCrossCheck(), facts: &derivedFacts{byText: map[definitionKey]fact{}}, broken: make(chan error, 1)}
		l.free <- s
		for i, reader := range readers {
			if i == 0 {
				l.file = reader
				continue
			}
			l.free <- reader
		}
		err = db.pool.engine.WhileAudited(ctx, s.Conn, func() error { return fn(l) })
		select {
		case err = <-l.broken:
		default:
		}
		return errors.Join(err, readers.close(ctx))
	})
}
