package store

import (
	"context"
	"errors"
	"runtime"

	"toolcrib/store/engine"
)

// maxSnapshotReaders bounds the sessions that verify a database in parallel.
const maxSnapshotReaders = 4

// snapshotReaders are sessions that read the same snapshot as another one.
type snapshotReaders []*session

// openSnapshotReaders opens one session for each further processor that reads
// the snapshot of s, which is in a transaction. It returns fewer when others
// write so often that a new transaction rarely sees the same snapshot.
func (db *DB) openSnapshotReaders(ctx context.Context, s *session) (snapshotReaders, error) {
	want := min(runtime.GOMAXPROCS(0), maxSnapshotReaders) - 1
	var r snapshotReaders
	mark, err := s.snapshotMark(ctx)
	for tries := 3 * want; err == nil && tries > 0 && len(r) < want; tries-- {
		var reader *session
		if reader, err = db.snapshotReader(ctx, mark); reader != nil {
			r = append(r, reader)
		}
	}
	if err != nil {
		return nil, errors.Join(err, r.close(ctx))
	}
	return r, nil
}

// snapshotReader opens a session; it returns nil when its snapshot does not have
// the mark.
func (db *DB) snapshotReader(ctx context.Context, mark string) (*session, error) {
	s, err := db.newSession(ctx, engine.Audit)
	if err != nil {
		return nil, err
	}
	if err := db.engine.Begin(ctx, s.Conn, engine.Audit); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	got, err := s.snapshotMark(ctx)
	if err != nil || got != mark {
		return nil, errors.Join(err, s.endRead(ctx))
	}
	return s, nil
}

// close ends the transactions and closes the sessions.
func (r snapshotReaders) close(ctx context.Context) error {
	errs := make([]error, len(r))
	for i, s := range r {
		errs[i] = s.endRead(ctx)
	}
	return errors.Join(errs...)
}

// endRead ends a read transaction and closes the session.
func (s *session) endRead(ctx context.Context) error {
	return errors.Join(s.Script(ctx, "ROLLBACK"), s.Close())
}

// snapshotMark identifies a snapshot as far as verification compares tables with
// each other: each such write adds an event, a call, or an outcome.
func (s *session) snapshotMark(ctx context.Context) (string, error) {
	var mark string
	err := s.Row(ctx, `SELECT coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), '') || coalesce((SELECT hash FROM calls ORDER BY seq DESC LIMIT 1), '') ||
		coalesce((SELECT hash FROM call_outcomes ORDER BY seq DESC LIMIT 1), '')`, nil, &mark)
	return mark, err
}
