// Package verification reads a whole database from one snapshot and verifies it: seals, hash chains, references
// between tables, and derived values. The checks that need only a query are in consistency/*.sql.
package verification

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/store/calls"
	"toolcrib/store/catalog"
	"toolcrib/store/engine"
	"toolcrib/store/queue"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Ledger reads one snapshot of the database with several sessions in parallel. It implements history.Ledger.
type Ledger struct {
	engine     session.Engine
	file       *session.Session      // session for Structure, which takes longest; added to free afterwards; nil if only one session exists
	free       chan *session.Session // idle sessions
	crossCheck *crossCheck
	facts      *derivedFacts
	broken     chan error // contains the first error that the engine caused
}

// report records err if the engine, and not the stored data, caused it.
func (l Ledger) report(err error) {
	if !ofEngine(l.engine, err) {
		return
	}
	select {
	case l.broken <- l.engine.Describe(err):
	default: // the first error is sufficient
	}
}

// ofEngine reports whether the engine, and not the stored data, caused err.
func ofEngine(e session.Engine, err error) bool {
	err = e.Describe(err)
	return errors.Is(err, engine.ErrAgain) || errors.Is(err, engine.ErrLost) || errors.Is(err, engine.ErrBusy)
}

// use calls fn with an idle session. If fn fails, use rolls back to a savepoint, because PostgreSQL would otherwise
// reject all further statements in the transaction.
func (l Ledger) use(ctx context.Context, fn func(*session.Session) error) error {
	select {
	case s := <-l.free:
		defer func() { l.free <- s }()
		err := s.Script(ctx, "SAVEPOINT reading")
		if err != nil {
			l.report(err)
			return err
		}
		end := "RELEASE SAVEPOINT reading"
		if err = fn(s); err != nil {
			l.report(err)
			end = "ROLLBACK TO SAVEPOINT reading; " + end
		}
		return errors.Join(ctx.Err(), err, s.Script(ctx, end))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// plainRecords returns the sealed tables that are not hash chains.
func plainRecords() []record {
	return []record{
		recordOf(queue.RevisionTable), recordOf(records.AssessmentTable), recordOf(records.WaiverTable), recordOf(records.DecisionTable),
		recordOf(records.CommentTable), recordOf(calls.PendingTable), recordOf(calls.AnswerTable), recordOf(calls.TierTable),
		recordOf(records.SignatureTable), recordOf(calls.TokenTable), recordOf(calls.RevocationTable), recordOf(calls.PruneTable),
	}
}

// record describes a sealed table and a query for all its rows.
type record struct {
	table.Description
	query string
	later int // number of columns, directly before the seal, that the seal covers only if they are not empty
}

func recordOf[T any](t table.Table[T]) record {
	return record{t.Description, t.Select("ORDER BY seq"), t.Plain(new(T)).Later()}
}

// Tables implements history.Ledger.
func (l Ledger) Tables() []string {
	return append([]string{catalog.VersionTable.Name, records.EventTable.Name, calls.CallTable.Name, calls.OutcomeTable.Name}, recordNames()...)
}

// Rows implements history.Ledger.
func (l Ledger) Rows(ctx context.Context, name string, fn func(history.Row) error) error {
	switch name {
	case catalog.VersionTable.Name:
		return l.versions(ctx, fn)
	case records.EventTable.Name:
		return l.chain(ctx, records.EventTable.Name, records.EventTable.Plain(new(history.Event)), history.EventFormat, "event", history.Link{}, fn)
	case calls.CallTable.Name, calls.OutcomeTable.Name:
		var call, outcome history.Link
		if err := l.use(ctx, func(s *session.Session) (err error) {
			call, outcome, err = calls.Pruned(ctx, s)
			return err
		}); err != nil {
			return err
		}
		if name == calls.CallTable.Name {
			return l.chain(ctx, name, calls.Chained(calls.CallTable.Plain(new(gateway.Call))), calls.CallFormat, "call", call, fn)
		}
		return l.chain(ctx, name, calls.Chained(calls.OutcomeTable.Plain(new(calls.EndedCall))), calls.OutcomeFormat, "outcome", outcome, fn)
	}
	kinds := plainRecords()
	i := slices.IndexFunc(kinds, func(r record) bool { return r.Name == name })
	if i < 0 {
		return fmt.Errorf("table %s not found", name)
	}
	k, row := kinds[i], 0
	return l.read(ctx, k.Name, k.query, k.Seal, func(fields []string) error {
		row++
		n := len(fields)
		l.crossCheck.record(k.Name, fields)
		sealed := fields[: n-1-k.later : n-1-k.later]
		for _, later := range fields[n-1-k.later : n-1] {
			if later != "" {
				sealed = append(sealed, later)
			}
		}
		return fn(history.Row{Table: k.Name, Key: fmt.Sprintf("%s row %d (%s)", k.Name, row, fields[1]), Fields: sealed, Seal: fields[n-1]})
	})
}

// versions reads the table versions in the order of its key. In this order, the numbers of each subject ascend. An
// order by subject would read the subject from an index and could therefore miss a change in the table.
func (l Ledger) versions(ctx context.Context, fn func(history.Row) error) error {
	v := new(history.Version)
	all := catalog.VersionTable.Plain(v)
	columns := slices.Concat(all[:len(all)-2], catalog.PartsOf(&v.Subject), all[len(all)-2:]) // the last two columns stay last
	return l.read(ctx, catalog.VersionTable.Name, "SELECT "+columns.Names()+" FROM versions ORDER BY seq", history.VersionFormat, func(fields []string) error {
		n := len(fields)
		subject, number := fields[1], fields[2]
		l.crossCheck.version(subject, number, fields[3], fields[5], fields[12], fields[n-1])
		sealed := fields[:n-5]
		if fields[n-6] == "" { // history.Version.Sum omits empty approvals
			sealed = fields[:n-6]
		}
		row := history.Row{
			Table: catalog.VersionTable.Name, Key: subject + " version " + number, Fields: sealed, Seal: fields[n-1],
			Text: fields[n-2], TextHash: fields[3], Chain: subject, Number: integer(number), Prev: fields[4],
		}
		if !namesSubject(subject, fields[n-5], fields[n-4], fields[n-3]) {
			row.Contradiction = otherSubject
		}
		return fn(row)
	})
}

// otherSubject is the message for a row if the columns kind, layer, and id do not match the subject. Lookups
// and triggers use these columns.
const otherSubject = "Its kind, layer, or id does not match its subject."

func namesSubject(subject, kind, layer, id string) bool {
	return subject == kind+":"+layer+"/"+id
}

// chain reads a table in which the rows form a hash chain. The argument start is the link before the first row in the
// table. In the columns of row, seq is the first, and prev_hash and hash are the last.
func (l Ledger) chain(ctx context.Context, name string, row table.Columns, format, word string, start history.Link, fn func(history.Row) error) error {
	return l.read(ctx, name, "SELECT "+row.Names()+" FROM "+name+" ORDER BY seq", format, func(fields []string) error {
		n := len(fields)
		if name == records.EventTable.Name {
			l.crossCheck.event(fields[9])
		}
		return fn(history.Row{
			Table: name, Key: word + " " + fields[1], Fields: fields[:n-1], Seal: fields[n-1],
			Chain: name, Number: integer(fields[1]), Prev: fields[n-2], After: start,
		})
	})
}

// read calls fn with each row of a query. The argument of fn contains the format, followed by the columns as text. The
// slice is reused for the next row.
func (l Ledger) read(ctx context.Context, name, query, format string, fn func(fields []string) error) error {
	return l.use(ctx, func(s *session.Session) error {
		err := texts(ctx, s, query, []string{format}, fn)
		if err == nil {
			l.crossCheck.end(name)
		}
		return err
	})
}

// texts calls fn with each row of a query. The argument of fn contains the elements of head, followed by the columns
// as text. The slice is reused for the next row.
func texts(ctx context.Context, s *session.Session, query string, head []string, fn func(fields []string) error) error {
	fields := slices.Clone(head)
	return s.EachRaw(ctx, query, func(values []sqldriver.Value) error {
		fields = fields[:len(head)]
		for i, value := range values {
			text, err := table.Text(value)
			if err != nil {
				return fmt.Errorf("column %d: %w", i+1, err)
			}
			fields = append(fields, text)
		}
		return fn(fields)
	})
}

// integer parses a stored integer. It returns 0 if s is not an integer.
func integer(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// maxSnapshotReaders is the maximum number of sessions that verify a database in parallel.
const maxSnapshotReaders = 4

// snapshotReaders are additional sessions that read the same snapshot.
type snapshotReaders []*session.Session

// openSnapshotReaders opens a session for each additional processor. The sessions read the same snapshot as the
// transaction of s. If frequent writes prevent new transactions from reading the same snapshot, openSnapshotReaders
// opens fewer sessions.
func openSnapshotReaders(ctx context.Context, db *session.Pool, s *session.Session) (snapshotReaders, error) {
	want := min(runtime.GOMAXPROCS(0), maxSnapshotReaders) - 1
	var r snapshotReaders
	mark, err := snapshotMark(ctx, s)
	for tries := 3 * want; err == nil && tries > 0 && len(r) < want; tries-- {
		var reader *session.Session
		if reader, err = openSnapshotReader(ctx, db, mark); reader != nil {
			r = append(r, reader)
		}
	}
	if err != nil {
		return nil, errors.Join(err, r.close(ctx))
	}
	return r, nil
}

// openSnapshotReader opens a session. It returns nil if the session does not read the snapshot that mark identifies.
func openSnapshotReader(ctx context.Context, db *session.Pool, mark string) (*session.Session, error) {
	s, err := db.Open(ctx, engine.Audit)
	if err != nil {
		return nil, err
	}
	if err := db.Engine.Begin(ctx, s.Conn, engine.Audit); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	got, err := snapshotMark(ctx, s)
	if err != nil || got != mark {
		return nil, errors.Join(err, endRead(ctx, s))
	}
	return s, nil
}

// close ends the transactions and closes the sessions.
func (r snapshotReaders) close(ctx context.Context) error {
	return errors.Join(lists.Map(r, func(s *session.Session) error { return endRead(ctx, s) })...)
}

// endRead ends a read transaction and closes the session.
func endRead(ctx context.Context, s *session.Session) error {
	return errors.Join(s.Script(ctx, "ROLLBACK"), s.Close())
}

// snapshotMark returns a text that identifies a snapshot. Each write to the verified tables adds an event, a call, or
// an outcome, so it changes the mark.
func snapshotMark(ctx context.Context, s *session.Session) (string, error) {
	var mark string
	err := s.Row(ctx, `SELECT coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), '') || coalesce((SELECT hash FROM calls ORDER BY seq DESC LIMIT 1), '') ||
		coalesce((SELECT hash FROM call_outcomes ORDER BY seq DESC LIMIT 1), '')`, nil, &mark)
	return mark, err
}

// Structure implements history.Ledger. It checks the core tools and their locks, and runs the engine's checks of the
// schema, the indexes, and the foreign keys.
func (l Ledger) Structure(ctx context.Context, deep bool, fn func(history.Damage)) error {
	if l.file != nil {
		defer func() { l.free <- l.file }()
		return l.structure(ctx, l.file, deep, fn)
	}
	return l.use(ctx, func(s *session.Session) error { return l.structure(ctx, s, deep, fn) })
}

func (l Ledger) structure(ctx context.Context, s *session.Session, deep bool, fn func(history.Damage)) error {
	if err := (catalog.Registry{Session: s}).CheckCore(ctx); err != nil {
		l.report(err)
		fn(history.Damage{Table: "core", Message: err.Error() + "."})
	}
	err := l.engine.Structure(ctx, s.Conn, deep, fn)
	l.report(err)
	return err
}

// Health is the result of quick checks.
type Health struct {
	Schema    int
	Proposals map[string]int // number of proposals in each state
	Problems  []string
}

// Health runs the quick checks of the engine. They detect damage to the structure; the hash chains detect damage to
// the content.
func (db Audits) Health(ctx context.Context) (Health, error) {
	return session.Read(ctx, db.Pool, func(s *session.Session) (h Health, err error) {
		if h.Schema, err = s.Engine.Schema(ctx, s.Conn); err != nil {
			return h, err
		}
		counts, err := queue.Proposals{Session: s}.Counts(ctx)
		if err != nil {
			return h, err
		}
		h.Proposals = map[string]int{}
		for state, n := range counts {
			h.Proposals[string(state)] = n
		}
		h.Problems, err = s.Engine.Problems(ctx, s.Conn)
		return h, err
	})
}

// Rows returns the approximate number of records that verification reads. It is derived from sequence numbers.
func (db Audits) Rows(ctx context.Context) (int64, error) {
	return session.Read(ctx, db.Pool, func(s *session.Session) (n int64, err error) {
		for _, table := range append(recordNames(), catalog.VersionTable.Name, records.EventTable.Name) {
			var last int64
			if err := s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM "+table, nil, &last); err != nil {
				return 0, err
			}
			n += last
		}
		return n, nil
	})
}

// Audits opens snapshots for verification.
type Audits struct{ Pool *session.Pool }

// Audit calls fn with a ledger that reads one snapshot. It returns an error if the login cannot read all tables,
// because rows that the login cannot see would look like damage. If the engine ends the snapshot, Audit calls fn again
// with a new snapshot or returns the error. In both cases, discard the earlier findings.
func (db Audits) Audit(ctx context.Context, fn func(history.Ledger) error) error {
	return db.Pool.View(ctx, func(s *session.Session) (err error) {
		for _, k := range plainRecords() {
			if err := s.Script(ctx, "SELECT 1 FROM "+k.Name+" WHERE false"); err != nil {
				return fmt.Errorf("verification must be able to read every table: %w", err)
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
