// Package transfer copies a database from one engine to the other, row by row, so that every hash, seal, and number is
// preserved. An interrupted copy resumes after the last row of the target. The target becomes a valid database only
// after all tables have been compared with the source.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolcrib/store/engine"
	"toolcrib/store/pg"
)

// ErrOther means that the target contains something other than a copy of the source.
var ErrOther = errors.New("the target has other content")

// reader reads a snapshot of a database.
type reader interface {
	// columns lists the stored columns of a table, without those that the engine derives from others.
	columns(ctx context.Context, t table) ([]string, error)
	// rows calls fn for each row of a table after a key (nil for all rows), ordered by key. The values are int64,
	// string, []byte, or nil.
	rows(ctx context.Context, t table, columns []string, after []any, fn func([]any) error) error
	// last returns the last key of a table, or nil if the table is empty.
	last(ctx context.Context, t table) ([]any, error)
	close() error
}

// writer is the target of a copy.
type writer interface {
	reader
	// add inserts rows in a separate transaction.
	add(ctx context.Context, t table, columns []string, rows [][]any) error
	// finish converts the copy to a valid database.
	finish(ctx context.Context) error
	// abandon removes the copy.
	abandon(ctx context.Context) error
}

// Report summarizes a copy.
type Report struct {
	Tables  int
	Rows    int64  // in all tables
	Copied  int64  // by this run; earlier runs copied the others
	Event   int64  // number of the newest event
	Hash    string // of the newest event
	Already bool   // the target was already complete
}

// Maximum size of a batch.
const (
	batchRows  = 2000
	batchBytes = 4 << 20
)

// Options configures a copy.
type Options struct {
	// Progress is called after each batch with the number of rows that this run has added to a table. If it returns an
	// error, Copy stops; the copy can be resumed.
	Progress func(table string, rows int64) error
}

// Copy copies the database from to the database to. Each is the path of a SQLite file or the URL of a PostgreSQL
// server. Copy reads a snapshot and ignores later writes to the source.
func Copy(ctx context.Context, from, to string, opts Options) (report Report, err error) {
	if opts.Progress == nil {
		opts.Progress = func(string, int64) error { return nil }
	}
	open := openFile
	if pg.IsURL(from) {
		open = openServer
	}
	source, err := open(ctx, from)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	genesis, event, hash, err := ends(ctx, source)
	if err != nil {
		return Report{}, err
	}
	for {
		begin := beginFile
		if pg.IsURL(to) {
			begin = beginServer
		}
		target, state, err := begin(ctx, to, genesis)
		if errors.Is(err, engine.ErrOtherCopy) {
			err = errors.Join(ErrOther, err)
		}
		if err != nil {
			return Report{}, contended(err)
		}
		already := state == engine.CopyComplete
		report, err := copyAll(ctx, source, target, already, opts)
		report.Event, report.Hash, report.Already = event, hash, already
		switch {
		case errors.Is(err, errDiffers) && already:
			err = fmt.Errorf("%w: %s is a different database; name a new one", ErrOther, to)
		case errors.Is(err, errDiffers) && state == engine.CopyResumed:
			// The source changed between the two runs, so the rows that were copied first may be outdated.
			if err := errors.Join(target.abandon(ctx), target.close()); err != nil {
				return report, err
			}
			continue
		case err == nil && !already:
			err = target.finish(ctx)
		}
		return report, errors.Join(err, target.close())
	}
}

// errDiffers means that a table differs between source and target.
var errDiffers = errors.New("the copy differs from the source")

// copyAll copies missing rows, unless the target is complete, and compares all tables.
func copyAll(ctx context.Context, source reader, target writer, complete bool, opts Options) (Report, error) {
	var report Report
	for _, t := range tables() {
		columns, err := source.columns(ctx, t)
		if err != nil {
			return report, err
		}
		var want *digest
		if !complete {
			copied, read, err := copyTable(ctx, source, target, t, columns, opts)
			report.Copied += copied
			if err != nil {
				return report, fmt.Errorf("copy %s: %w", t.name, err)
			}
			want = read
		}
		if want == nil {
			if want, err = digestOf(ctx, source, t, columns); err != nil {
				return report, fmt.Errorf("read %s of the source: %w", t.name, err)
			}
		}
		have, err := digestOf(ctx, target, t, columns)
		if err != nil {
			return report, fmt.Errorf("read %s of the target: %w", t.name, err)
		}
		if want.sum() != have.sum() {
			return report, fmt.Errorf("%w: %s has %s in the source and %s in the target", errDiffers, t.name, want.sum(), have.sum())
		}
		report.Tables++
		report.Rows += want.rows
	}
	return report, nil
}

// copyTable copies the rows of a table that the target lacks. It returns their number, and the digest of the source's
// table if it was read completely.
func copyTable(ctx context.Context, source reader, target writer, t table, columns []string, opts Options) (copied int64, read *digest, err error) {
	after, err := target.last(ctx, t)
	if err != nil {
		return 0, nil, err
	}
	if after == nil {
		read = newDigest(t)
	}
	var batch [][]any
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := target.add(ctx, t, columns, batch); err != nil {
			return contended(err)
		}
		copied += int64(len(batch))
		batch, size = nil, 0
		return opts.Progress(t.name, copied)
	}
	err = source.rows(ctx, t, columns, after, func(row []any) error {
		if read != nil {
			if err := read.add(row); err != nil {
				return err
			}
		}
		batch = append(batch, append([]any(nil), row...))
		for _, value := range row {
			switch v := value.(type) {
			case string:
				size += len(v)
			case []byte:
				size += len(v)
			}
		}
		if len(batch) < batchRows && size < batchBytes {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return copied, read, err
}

// ends returns the hash of the first event, which identifies the database, and the number and the hash of the last
// event.
func ends(ctx context.Context, source reader) (genesis string, last int64, hash string, err error) {
	events := table{"events", []string{"seq"}}
	key, err := source.last(ctx, events)
	if err != nil {
		return "", 0, "", err
	}
	if key == nil {
		return "", 0, "", errors.New("the source has no events, so it is not a toolcrib database")
	}
	last, _ = key[0].(int64)
	hashOf := func(seq int64) (hash string, err error) {
		err = source.rows(ctx, events, []string{"seq", "hash"}, []any{seq - 1}, func(row []any) error {
			hash, _ = row[1].(string)
			return errStop
		})
		if errors.Is(err, errStop) {
			err = nil
		}
		return hash, err
	}
	if genesis, err = hashOf(1); err != nil {
		return "", 0, "", err
	}
	hash, err = hashOf(last)
	return genesis, last, hash, err
}

// errStop stops the iteration over rows.
var errStop = errors.New("enough rows were read")

// table is a table to copy. key lists the columns of its primary key, which determine the order of reading and the
// position at which a copy resumes.
type table struct {
	name string
	key  []string
}

// tables lists all tables, each after the tables that its foreign keys refer to. It omits the search index of the
// queue, which is specific to each engine and is rebuilt.
func tables() []table {
	var list []table
	add := func(key []string, names ...string) {
		for _, name := range names {
			list = append(list, table{name, key})
		}
	}
	seq, id := []string{"seq"}, []string{"id"}
	add(seq, "proposals", "revisions", "assessments", "waivers", "decisions")
	add([]string{"user", "proposal"}, "shown")
	add([]string{"number"}, "issues")
	add(seq, "comments")
	add([]string{"rule", "proposal"}, "proposal_rules")
	add([]string{"state"}, "counters")
	add(seq, "versions")
	add([]string{"subject"}, "live")
	add([]string{"name", "subject"}, "names")
	add([]string{"block"}, "sketches")
	add(seq, "recent_sketches")
	add(id, "core")
	add(seq, "events", "signatures")
	add([]string{"hash"}, "raws")
	add([]string{"sha256"}, "contents")
	add(seq, "imports")
	add([]string{"dir"}, "workspaces")
	add(seq, "pending_exports")
	add([]string{"dir", "subject", "number"}, "history_files")
	add([]string{"dir", "hash"}, "live_files")
	add(seq, "pending_calls", "call_answers", "call_tiers", "tokens", "token_revocations", "calls", "call_outcomes", "calls_open", "call_prunes")
	add([]string{"agent", "user", "hour"}, "call_refusals")
	add(id, "owners", "projects")
	add([]string{"owner", "agent"}, "conversations")
	add(seq, "tasks")
	add([]string{"owner", "day"}, "task_days")
	add(seq, "reminders", "schedules", "memories", "memory_links", "entities")
	add([]string{"rowid"}, "memories_text", "entities_text")
	add([]string{"project", "entity"}, "entity_projects")
	return list
}

// derived reports whether the engine computes a column from others: on a server in a migration after the copy, in a
// file at its end.
func (t table) derived(column string) bool { return t.name == "live" && column == "size" }

// numbered reports whether the key of the table is a number.
func (t table) numbered() bool {
	return len(t.key) == 1 && slices.Contains([]string{"seq", "number", "block", "rowid"}, t.key[0])
}

// terms reports whether the table is a search index of the assistant. Its rows list terms in no particular order.
func (t table) terms() bool { return t.name == "memories_text" || t.name == "entities_text" }

// quoted returns names as a list of quoted identifiers, because "user" is a reserved word.
func quoted(names []string) string {
	return `"` + strings.Join(names, `", "`) + `"`
}

// selectRows returns a query for the rows of a table, ordered by key. If after is set, it selects only rows after the
// key in the parameters.
func (t table) selectRows(from string, columns []string, after bool) string {
	where := ""
	if after {
		where = " WHERE (" + quoted(t.key) + ") > (" + engine.Placeholders(1, len(t.key)) + ")"
	}
	return "SELECT " + quoted(columns) + " FROM " + from + where + " ORDER BY " + quoted(t.key)
}

// selectLast returns a query for the last key of a table.
func (t table) selectLast() string {
	return "SELECT " + quoted(t.key) + " FROM " + t.name + " ORDER BY " + strings.Join(strings.Split(quoted(t.key), ", "), " DESC, ") + " DESC LIMIT 1"
}

// insertRow returns a statement that inserts a row.
func (t table) insertRow(columns []string) string {
	return "INSERT INTO " + t.name + " (" + quoted(columns) + ") VALUES (" + engine.Placeholders(1, len(columns)) + ")"
}
