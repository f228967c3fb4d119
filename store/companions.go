package store

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
)

// maxAuditors bounds the sessions that verify a database side by side.
const maxAuditors = 4

// companions are further sessions that look at the snapshot of another one.
type companions struct {
	pool     *sql.DB
	sessions []*session
}

// accompany opens companions of s, which is in a transaction: one for each
// further processor, fewer when others write so often that no snapshot is met
// twice.
func (db *DB) accompany(ctx context.Context, s *session) (*companions, error) {
	want := min(runtime.GOMAXPROCS(0), maxAuditors) - 1
	pool, err := db.openReaders(maxAuditors)
	if err != nil {
		return nil, err
	}
	c := &companions{pool: pool}
	mark, err := s.mark(ctx)
	for tries := 3 * want; err == nil && tries > 0 && len(c.sessions) < want; tries-- {
		err = c.meet(ctx, mark)
	}
	if err != nil {
		return nil, errors.Join(err, c.leave(ctx))
	}
	return c, nil
}

// meet opens a session and keeps it if mark tells of its snapshot too.
func (c *companions) meet(ctx context.Context, mark string) error {
	s, err := newSession(ctx, c.pool)
	if err != nil {
		return err
	}
	if _, err := s.exec(ctx, "BEGIN"); err != nil {
		return errors.Join(err, s.close())
	}
	met, err := s.mark(ctx)
	if err != nil || met != mark {
		return errors.Join(err, s.leave(ctx))
	}
	c.sessions = append(c.sessions, s)
	return nil
}

// leave ends the sessions.
func (c *companions) leave(ctx context.Context) error {
	errs := make([]error, 0, len(c.sessions)+1)
	for _, s := range c.sessions {
		errs = append(errs, s.leave(ctx))
	}
	return errors.Join(append(errs, c.pool.Close())...)
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
