package store

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
)

// maxAuditors bounds the sessions that verify a database side by side.
const maxAuditors = 4

// companions opens further sessions that look at the same snapshot as s, which
// is in a transaction: one for each further processor, fewer when others write
// so often that no snapshot is met twice. leave ends them.
func (db *DB) companions(ctx context.Context, s *session) (more []*session, leave func() error, err error) {
	want := min(runtime.GOMAXPROCS(0), maxAuditors) - 1
	leave = func() error { return nil }
	if want < 1 {
		return nil, leave, nil
	}
	pool, err := sql.Open(driver, db.readDSN)
	if err != nil {
		return nil, leave, err
	}
	leave = func() error {
		errs := make([]error, 0, len(more)+1)
		for _, m := range more {
			errs = append(errs, m.leave(ctx))
		}
		return errors.Join(append(errs, pool.Close())...)
	}
	mark, err := s.mark(ctx)
	if err != nil {
		return nil, leave, errors.Join(err, leave())
	}
	for range 3 * want {
		m, err := newSession(ctx, pool)
		if err != nil {
			return nil, func() error { return nil }, errors.Join(err, leave())
		}
		if _, err = m.exec(ctx, "BEGIN"); err == nil {
			var met string
			if met, err = m.mark(ctx); err == nil && met == mark {
				if more = append(more, m); len(more) == want {
					break
				}
				continue
			}
		}
		if err := errors.Join(err, m.leave(ctx)); err != nil {
			return nil, func() error { return nil }, errors.Join(err, leave())
		}
	}
	return more, leave, nil
}

// leave ends a transaction that only read, and the session.
func (s *session) leave(ctx context.Context) error {
	_, err := s.exec(ctx, "ROLLBACK")
	return errors.Join(err, s.close())
}

// mark tells one snapshot from another: whatever is written that verification
// looks at adds an event, a call or an outcome.
func (s *session) mark(ctx context.Context) (string, error) {
	var mark string
	err := s.row(ctx, `SELECT coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), '') || coalesce((SELECT hash FROM calls ORDER BY seq DESC LIMIT 1), '') ||
		coalesce((SELECT hash FROM call_outcomes ORDER BY seq DESC LIMIT 1), '')`, nil, &mark)
	return mark, err
}
