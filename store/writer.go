package store

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// writerPragmas returns what the writing connection is set to.
func writerPragmas() []string {
	return []string{"journal_mode(WAL)", "synchronous(FULL)", "temp_store(MEMORY)", "cache_size(-16384)"}
}

// becomeWriter sets a reading connection to what the writing one is set to.
// That it may write is said last: until then it is a reader.
func (s *session) becomeWriter(ctx context.Context) error {
	return s.script(ctx, "PRAGMA "+strings.Join(writerPragmas(), "; PRAGMA ")+"; PRAGMA query_only(0)")
}

// firstWriter returns the session that writes through pool from now on. For the
// writer that is a reader that nobody uses, where there is one: reading the
// schema is the most that a connection costs, and a command that looks and then
// writes once has to do it once only. Who reads after that opens a reader.
func (db *DB) firstWriter(ctx context.Context, pool *sql.DB) (*session, error) {
	if pool != db.write || db.frozen {
		return openWriter(ctx, pool)
	}
	select {
	case s := <-db.idle:
		if err := patiently(ctx, func() error { return s.becomeWriter(ctx) }); err != nil {
			db.idle <- s
			return nil, err
		}
		<-db.slots
		return s, nil
	default:
		return openWriter(ctx, pool)
	}
}

// openWriter opens a writing connection.
func openWriter(ctx context.Context, pool *sql.DB) (*session, error) {
	var s *session
	err := patiently(ctx, func() (err error) {
		s, err = newSession(ctx, pool)
		return err
	})
	return s, err
}

// openAttempts bounds how often a connection is tried to be made a writing
// one, with waits that double from a millisecond: about four seconds together.
const openAttempts = 12

// patiently runs make, which makes a connection a writing one, until the
// database is not busy. The first one on a new file makes it keep a write-ahead
// log, which needs the file for itself; the engine does not wait for that as it
// waits for other locks.
func patiently(ctx context.Context, makeWriter func() error) error {
	for attempt := 0; ; attempt++ {
		err := describe(makeWriter())
		if !busy(err) || attempt == openAttempts-1 {
			return err
		}
		select {
		case <-time.After(time.Millisecond << attempt):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
