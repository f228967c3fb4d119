// Package transfer copies a database to another engine or another database, row by row. The copy preserves every hash,
// seal, and number. The target becomes a valid database only after all tables have been compared with the source. An
// interrupted copy has no effect.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolcrib/internal/failpoint"
	"toolcrib/store/pg"
)

// ErrOther indicates that the target contains something other than a copy of the source.
var ErrOther = errors.New("the target contains different data")

// reader reads a snapshot of a database.
type reader interface {
	// columns returns the stored columns of t, without the columns that the engine derives from other columns.
	columns(ctx context.Context, t table) ([]string, error)
	// rows calls fn for each row of t in the order of its key. The values are int64, string, []byte, or nil.
	rows(ctx context.Context, t table, columns []string, fn func([]any) error) error
	// newest returns the number and the hash of the newest event. If the database has no events, the error wraps
	// sql.ErrNoRows, which also matches pgx.ErrNoRows.
	newest(ctx context.Context) (event int64, hash string, err error)
	// close ends the snapshot, or discards an unfinished copy.
	close() error
}

// writer is the target of a copy. Its rows are written in a single transaction.
type writer interface {
	reader
	// add inserts rows into t.
	add(ctx context.Context, t table, columns []string, rows [][]any) error
	// finish completes the copy and makes the target a valid database.
	finish(ctx context.Context) error
}

// Report summarizes a copy.
type Report struct {
	Tables  int
	Rows    int64  // number of rows in all tables
	Event   int64  // number of the newest event
	Hash    string // hash of the newest event
	Already bool   // whether the target was already a complete copy
}

// Maximum size of a batch of rows.
const (
	batchRows  = 2000
	batchBytes = 4 << 20
)

// Copy copies the database src to the database dst. Each is the path of a SQLite file or the URL of a PostgreSQL
// server. Copy reads a snapshot and ignores later writes to the source.
func Copy(ctx context.Context, src, dst string) (report Report, err error) {
	open, begin := openFile, beginFile
	if pg.IsURL(src) {
		open = openServer
	}
	if pg.IsURL(dst) {
		begin = beginServer
	}
	source, err := open(ctx, src)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	event, hash, err := source.newest(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("the source has no events, so it is not a toolcrib database: %w", err)
	}
	target, already, err := begin(ctx, dst)
	if err != nil {
		return Report{}, explained(err)
	}
	defer func() { err = errors.Join(err, target.close()) }()
	report, err = copyAll(ctx, source, target, already)
	report.Event, report.Hash, report.Already = event, hash, already
	if errors.Is(err, errDiffers) && already {
		err = fmt.Errorf("%w: %s is a different database; choose a new target", ErrOther, dst)
	}
	if err == nil && !already {
		err = target.finish(ctx)
	}
	return report, explained(err)
}

// errDiffers indicates that a table in the target differs from the source.
var errDiffers = errors.New("the copy differs from the source")

// copyAll copies all tables and compares each with the source. If complete is true, it only compares them.
func copyAll(ctx context.Context, source reader, target writer, complete bool) (Report, error) {
	var report Report
	for _, t := range tables() {
		columns, err := source.columns(ctx, t)
		if err != nil {
			return report, err
		}
		var want *digest
		if complete {
			want, err = digestOf(ctx, source, t, columns)
		} else {
			want, err = copyTable(ctx, source, target, t, columns)
		}
		if err != nil {
			return report, fmt.Errorf("copy %s: %w", t.name, err)
		}
		have, err := digestOf(ctx, target, t, columns)
		if err != nil {
			return report, fmt.Errorf("read the copy of %s: %w", t.name, err)
		}
		if want.sum() != have.sum() {
			return report, fmt.Errorf("%w: %s has %s in the source and %s in the target", errDiffers, t.name, want.sum(), have.sum())
		}
		report.Tables++
		report.Rows += want.rows
	}
	return report, nil
}

// copyTable copies the rows of t and returns the digest of the rows that it read.
func copyTable(ctx context.Context, source reader, target writer, t table, columns []string) (*digest, error) {
	read := newDigest(t)
	var batch [][]any
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		failpoint.Here("copy-batch")
		err := target.add(ctx, t, columns, batch)
		batch, size = nil, 0
		return err
	}
	err := source.rows(ctx, t, columns, func(row []any) error {
		if err := read.add(row); err != nil {
			return err
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
	return read, err
}

// newestEvent is the query for the number and the hash of the newest event.
const newestEvent = "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1"

// table is a table to copy. The field key lists the columns of the primary key; rows are read in the order of this key.
type table struct {
	name string
	key  []string
}

// tables returns all tables. Each table follows the tables that its foreign keys refer to. The search index of the
// queue is not included, because it is specific to each engine and is rebuilt after the copy.
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

// derived reports whether the engine computes the given column from other columns. PostgreSQL does so in a migration
// after the copy, and SQLite does so at the end of the copy.
func (t table) derived(column string) bool { return t.name == "live" && column == "size" }

// terms reports whether t is a search index of the assistant. The rows of such an index contain terms in no particular
// order.
func (t table) terms() bool { return t.name == "memories_text" || t.name == "entities_text" }

// quoted returns names as a comma-separated list of quoted identifiers. The quotes are necessary because "user" is a
// reserved word.
func quoted(names []string) string {
	return `"` + strings.Join(names, `", "`) + `"`
}

// selectRows returns a query for the given columns of all rows in the order of the key of t.
func (t table) selectRows(from string, columns []string) string {
	return "SELECT " + quoted(columns) + " FROM " + from + " ORDER BY " + quoted(t.key)
}
