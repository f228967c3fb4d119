package verification

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/history"
	"toolcrib/store/catalog"
	"toolcrib/store/queue"
	"toolcrib/store/records"
	"toolcrib/store/session"
)

// Health is the result of the engine's quick checks.
type Health struct {
	Schema    int
	Proposals map[string]int // by state
	Problems  []string
}

// Health runs the engine's quick checks. They detect damage to the structure; the hash chains detect damage to the
// content.
func (db Audits) Health(ctx context.Context) (Health, error) {
	h := Health{Proposals: map[string]int{}}
	err := db.Pool.View(ctx, func(s *session.Session) error {
		var err error
		if h.Schema, err = s.Engine.Schema(ctx, s.Conn); err != nil {
			return err
		}
		counts, err := queue.Proposals{Session: s}.Counts(ctx)
		if err != nil {
			return err
		}
		for state, n := range counts {
			h.Proposals[string(state)] = n
		}
		h.Problems, err = s.Engine.Problems(ctx, s.Conn)
		return err
	})
	return h, err
}

// Rows returns the approximate number of records to verify, based on their sequence numbers.
func (db Audits) Rows(ctx context.Context) (n int64, err error) {
	err = db.Pool.View(ctx, func(s *session.Session) error {
		n = 0
		for _, table := range append(recordNames(), catalog.VersionTable.Name, records.EventTable.Name) {
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

// Audits verifies databases.
type Audits struct{ Pool *session.Pool }

// Audit calls fn with a ledger that reads one snapshot. It returns an error for a login that cannot read all tables,
// because rows that the login cannot see would look like damage. If the engine ends the snapshot, Audit calls fn again
// with a new one or returns the error; in both cases, discard earlier findings.
func (db Audits) Audit(ctx context.Context, fn func(history.Ledger) error) error {
	return db.Pool.View(ctx, func(s *session.Session) (err error) {
		for _, k := range plainRecords() {
			if err := s.Script(ctx, "SELECT 1 FROM "+k.Name+" WHERE false"); err != nil {
				return fmt.Errorf("verification reads every table: %w", err)
			}
		}
		readers, err := openSnapshotReaders(ctx, db.Pool, s)
		if err != nil {
			return err
		}
		l := Ledger{engine: db.Pool.Engine, free: make(chan *session.Session, 1+len(readers)), crossCheck: newCrossCheck(), facts: &derivedFacts{byText: map[definitionKey]fact{}}, broken: make(chan error, 1)}
		l.free <- s
		for i, reader := range readers {
			if i == 0 {
				l.file = reader
				continue
			}
			l.free <- reader
		}
		err = db.Pool.Engine.WhileAudited(ctx, s.Conn, func() error { return fn(l) })
		select {
		case err = <-l.broken:
		default:
		}
		return errors.Join(err, readers.close(ctx))
	})
}
