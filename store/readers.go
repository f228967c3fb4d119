package store

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
)

// maxSnapshotReaders bounds the sessions that verify a database in parallel.
const maxSnapshotReaders = 4

// mapped has a connection read the file through mapped memory, up to the 2 GB that
// the engine allows. Verification reads every page several times, and a read by
// a system call takes longer than most of what is done with the page. The price
// is that a disk that fails under it ends the process (https://sqlite.org/mmap.html).
const (
	mapped   = "mmap_size(2147418112)"
	unmapped = "mmap_size(0)"
)

// snapshotReaders are sessions that read the same snapshot as another one.
type snapshotReaders struct {
	pool     *sql.DB
	sessions []*session
}

// openSnapshotReaders opens one session for each further processor that reads
// the snapshot of s, which is in a transaction. It returns fewer when others
// write so often that a new transaction rarely sees the same snapshot.
func (db *DB) openSnapshotReaders(ctx context.Context, s *session) (*snapshotReaders, error) {
	want := min(runtime.GOMAXPROCS(0), maxSnapshotReaders) - 1
	pool, err := db.openPool(maxSnapshotReaders, append(readerPragmas(), mapped))
	if err != nil {
		return nil, err
	}
	r := &snapshotReaders{pool: pool}
	mark, err := s.snapshotMark(ctx)
	for tries := 3 * want; err == nil && tries > 0 && len(r.sessions) < want; tries-- {
		err = r.add(ctx, mark)
	}
	if err != nil {
		return nil, errors.Join(err, r.close(ctx))
	}
	return r, nil
}

// add opens a session and keeps it if its snapshot has the mark.
func (r *snapshotReaders) add(ctx context.Context, mark string) error {
	s, err := newSession(ctx, r.pool)
	if err != nil {
		return err
	}
	if _, err := s.exec(ctx, "BEGIN"); err != nil {
		return errors.Join(err, s.close())
	}
	got, err := s.snapshotMark(ctx)
	if err != nil || got != mark {
		return errors.Join(err, s.endRead(ctx))
	}
	r.sessions = append(r.sessions, s)
	return nil
}

// close ends the transactions and closes the sessions.
func (r *snapshotReaders) close(ctx context.Context) error {
	errs := make([]error, 0, len(r.sessions)+1)
	for _, s := range r.sessions {
		errs = append(errs, s.endRead(ctx))
	}
	return errors.Join(append(errs, r.pool.Close())...)
}

// endRead ends a read transaction and closes the session.
func (s *session) endRead(ctx context.Context) error {
	_, err := s.exec(ctx, "ROLLBACK")
	return errors.Join(err, s.close())
}

// snapshotMark identifies a snapshot as far as verification compares tables with
// each other: each such write adds an event, a call, or an outcome.
func (s *session) snapshotMark(ctx context.Context) (string, error) {
	var mark string
	err := s.row(ctx, `SELECT coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), '') || coalesce((SELECT hash FROM calls ORDER BY seq DESC LIMIT 1), '') ||
		coalesce((SELECT hash FROM call_outcomes ORDER BY seq DESC LIMIT 1), '')`, nil, &mark)
	return mark, err
}
