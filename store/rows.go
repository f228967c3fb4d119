package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/store/engine"
)

// rowsAtOnce sets how many rows one statement adds. Rows that are added together
// share what the engine does for a statement, and each is still met by every
// trigger and constraint. There are few sizes, so that few statements are kept, and none
// is large: SQLite looks through all parameters of a statement for the name of each.
func rowsAtOnce() []int { return []int{16, 4, 1} }

// insertRows adds rows to a table; values are those of the columns, row after
// row.
func (s *session) insertRows(ctx context.Context, table, columns string, values []any) error {
	width := strings.Count(columns, ",") + 1
	for _, size := range rowsAtOnce() {
		for ; len(values) >= size*width; values = values[size*width:] {
			if _, err := s.Exec(ctx, insertStatement(table, columns, width, size), values[:size*width]...); err != nil {
				return err
			}
		}
	}
	return nil
}

// next returns the number that the next row of a table gets.
func (s *session) next(ctx context.Context, table string) (seq int64, err error) {
	err = s.Row(ctx, "SELECT coalesce(max(seq), 0) + 1 FROM "+table, nil, &seq)
	return seq, err
}

// ends are the last rows of what an approval appends to. Each transaction reads them
// in one statement, and its own appends move them.
type ends struct {
	versions, decisions int64
	event               int64
	hash                string // of the event
	signers             string // hash of the event of the last state of the signers, "" for none
}

// tails returns the ends of the transaction.
func (s *session) tails(ctx context.Context) (*ends, error) {
	if s.ends != nil {
		return s.ends, nil
	}
	var e ends
	err := s.Row(ctx, `SELECT coalesce((SELECT max(seq) FROM versions), 0), coalesce((SELECT max(seq) FROM decisions), 0),
		coalesce((SELECT max(seq) FROM events), 0), coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), ''), coalesce((`+lastSigners+`), '')`,
		nil, &e.versions, &e.decisions, &e.event, &e.hash, &e.signers)
	if err != nil {
		return nil, err
	}
	s.ends = &e
	return s.ends, nil
}

func insertStatement(table, columns string, width, rows int) string {
	query := "INSERT INTO " + table + " (" + columns + ") VALUES "
	for row := range rows {
		if row > 0 {
			query += ", "
		}
		query += "(" + placeholders(1+row*width, width) + ")"
	}
	return query
}

// into parses text into dst.
func into[T any](dst *T, parse func(string) (T, error), text string) error {
	v, err := parse(text)
	if err != nil {
		return unreadable{text, err}
	}
	*dst = v
	return nil
}

// unreadable describes the problem with a stored text. It quotes only the
// beginning of both: a revision may have megabytes, and so may the message.
type unreadable struct {
	text string
	err  error
}

func (u unreadable) Error() string {
	return fmt.Sprintf("%v: stored %s cannot be read: %s", ErrDamaged, jsondoc.Quote(u.text), jsondoc.Printable(u.err.Error()))
}

func (u unreadable) Unwrap() []error { return []error{ErrDamaged, u.err} }

func parseActor(s string) (proposals.Actor, error) {
	var a proposals.Actor
	err := a.UnmarshalText([]byte(s))
	return a, err
}

func notFound(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), proposals.ErrNotFound)
}

// maxSnapshotReaders bounds the sessions that verify a database in parallel.
const maxSnapshotReaders = 4

// snapshotReaders are sessions that read the same snapshot as another one.
type snapshotReaders []*session

// openSnapshotReaders opens one session for each further processor that reads
// the snapshot of s, which is in a transaction. It returns fewer when others
// write so often that a new transaction rarely sees the same snapshot.
func (db *connections) openSnapshotReaders(ctx context.Context, s *session) (snapshotReaders, error) {
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
func (db *connections) snapshotReader(ctx context.Context, mark string) (*session, error) {
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
