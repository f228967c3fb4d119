package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// writerPragmas returns what the writing connection is set to.
func writerPragmas() []string {
	return []string{asks, "journal_mode(WAL)", "synchronous(FULL)", "temp_store(MEMORY)", "cache_size(-16384)"}
}

// readerPragmas returns what a reading connection is set to.
func readerPragmas() []string { return []string{waits, "query_only(1)"} }

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
		return db.openWriter(ctx, pool)
	}
	select {
	case s := <-db.idle:
		if err := db.retryBusy(ctx, func() error { return s.becomeWriter(ctx) }); err != nil {
			err = errors.Join(err, s.script(ctx, "PRAGMA "+waits)) // it stays a reader, which waits
			db.idle <- s
			return nil, err
		}
		<-db.slots
		return s, nil
	default:
		return db.openWriter(ctx, pool)
	}
}

// openWriter opens a writing connection.
func (db *DB) openWriter(ctx context.Context, pool *sql.DB) (*session, error) {
	var s *session
	err := db.retryBusy(ctx, func() (err error) {
		s, err = db.newSession(ctx, pool)
		return err
	})
	return s, err
}
