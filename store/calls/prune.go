// This file moves the oldest calls of the call log to a file.

package calls

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	sqldriver "database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/internal/atomicfile"
	"toolcrib/internal/failpoint"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Prune records that the oldest calls were moved from the log to a file. Call and Outcome identify
// the last rows that were moved.
type Prune struct {
	ID              string
	Before          time.Time // all moved calls are older
	Calls, Outcomes int64     // numbers of rows that were moved
	Call, Outcome   history.Link
	File            string // base name
	FileHash        string // SHA-256 of the last line of the file
	By              proposals.Actor
	At              time.Time
}

func pruneColumns(p *Prune) table.Columns {
	return table.Columns{
		table.Col("id", &p.ID), table.Col("before", table.Time(&p.Before)),
		table.Col("calls", &p.Calls), table.Col("last_call", &p.Call.Number), table.Col("call_hash", &p.Call.Seal),
		table.Col("outcomes", &p.Outcomes), table.Col("last_outcome", &p.Outcome.Number), table.Col("outcome_hash", &p.Outcome.Seal),
		table.Col("file", &p.File), table.Col("file_hash", &p.FileHash), table.Col("pruned_by", table.Actor(&p.By)), table.Col("pruned_at", table.Time(&p.At)),
	}
}

// PruneTable describes the table of prunes.
var PruneTable = table.Sealed("call_prunes", "toolcrib call prune 1", pruneColumns)

// Prunes returns all records of moved calls, oldest first.
func (c Ledger) Prunes(ctx context.Context) ([]Prune, error) {
	return session.Read(ctx, c.Pool, func(s *session.Session) ([]Prune, error) { return PruneTable.All(ctx, s, "ORDER BY seq") })
}

// Pruned returns the chain links of the last call and the last outcome that were moved to a file.
func Pruned(ctx context.Context, s *session.Session) (call, outcome history.Link, err error) {
	_, err = s.OptionalRow(ctx, "SELECT last_call, call_hash, last_outcome, outcome_hash FROM call_prunes ORDER BY seq DESC LIMIT 1", nil,
		&call.Number, &call.Seal, &outcome.Number, &outcome.Seal)
	return call, outcome, err
}

// PruneOrder specifies which calls Prune moves, and to which file.
type PruneOrder struct {
	ID          string
	By          proposals.Actor
	Now, Before time.Time
	Slack       time.Duration                  // move calls only if the oldest call is at least this much older than Before
	Most        int64                          // maximum number of calls; 0 for no limit
	File        func(first, last int64) string // returns the path of the file for the calls with the numbers first to last
}

// errMoved is returned by Prune if another process moved the calls after Prune had chosen them.
var errMoved = fmt.Errorf("%w: another process moved these calls in the meantime, so this command deleted no calls; to move the remaining old calls, run the command again with a new file", proposals.ErrConflict)

// minPruneAge is the minimum age of calls that can be moved. Daily limits count younger calls, and
// a younger call without an outcome can still be running.
const minPruneAge = 24 * time.Hour

// Prune moves the oldest calls to a file and records the move. It syncs the file to disk before it
// deletes the calls, and it never overwrites or deletes a file. After a crash, each call is in the
// database, in the file, or in both. If no call is old enough, Prune moves nothing and returns a
// record with Calls = 0.
func (c Ledger) Prune(ctx context.Context, o PruneOrder) (p Prune, err error) {
	if err := proposals.Authorize(o.By, proposals.ActPruneCalls, proposals.Actor{}); err != nil {
		return p, err
	}
	if o.Before.After(o.Now.Add(-minPruneAge)) {
		return p, fmt.Errorf("calls of the last 24 hours cannot be moved, because daily limits count these calls; choose a time before %s", o.Now.Add(-minPruneAge).UTC().Format(time.RFC3339))
	}
	err = c.Pool.View(ctx, func(s *session.Session) error {
		p = Prune{ID: o.ID, Before: o.Before, By: o.By, At: o.Now}
		from, err := p.choose(ctx, s, o)
		if err != nil || p.Calls == 0 {
			return err
		}
		path := o.File(from.call.Number+1, p.Call.Number)
		p.File = filepath.Base(path)
		fill := func(w io.Writer) (err error) {
			p.FileHash, err = p.write(ctx, s, from, w)
			return err
		}
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file; choose a new file", path)
		}
		if c.Pool.DryRun {
			return fill(io.Discard)
		}
		err = atomicfile.Stream(path, atomicfile.Options{Mode: 0o600, New: true}, fill)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: %w; choose another file", path, fs.ErrExist)
		}
		return err
	})
	if err != nil || p.Calls == 0 {
		return p, err
	}
	failpoint.Here("calls-in-file")
	return p, c.Pool.Update(ctx, func(s *session.Session) error {
		if call, outcome, err := Pruned(ctx, s); err != nil || call.Number != p.Call.Number-p.Calls || outcome.Number != p.Outcome.Number-p.Outcomes {
			return cmp.Or(err, errMoved)
		}
		data := map[string]any{"before": history.Timestamp(p.Before), "calls": p.Calls, "last_call": p.Call.Number, "file": p.File, "file_hash": p.FileHash}
		if err := records.AppendRecord(ctx, s, PruneTable, p, history.Event{ID: p.ID, At: p.At, Actor: p.By.String(), Act: string(proposals.ActPruneCalls)}, data); err != nil {
			return err
		}
		if _, err := s.Exec(ctx, "DELETE FROM call_outcomes WHERE seq <= $1", p.Outcome.Number); err != nil {
			return err
		}
		_, err := s.Exec(ctx, "DELETE FROM calls WHERE seq <= $1", p.Call.Number)
		return err
	})
}

// chains contains a link of the hash chain of calls and a link of the hash chain of outcomes.
type chains struct{ call, outcome history.Link }

// choose determines the last call and the last outcome to move and stores them in p. For each
// chain, it returns the link before the first row in the database. Outcomes are moved only together
// with their calls.
func (p *Prune) choose(ctx context.Context, s *session.Session, o PruneOrder) (from chains, err error) {
	if from.call, from.outcome, err = Pruned(ctx, s); err != nil {
		return from, err
	}
	p.Call, p.Outcome = from.call, from.outcome
	var newestCall, newestOutcome int64
	if err := s.Row(ctx, "SELECT coalesce((SELECT max(seq) FROM calls), 0), coalesce((SELECT max(seq) FROM call_outcomes), 0)", nil, &newestCall, &newestOutcome); err != nil {
		return from, err
	}
	if o.Most > 0 {
		newestCall = min(newestCall, from.call.Number+o.Most+1)
	}
	outcomes, latest := from.outcome.Number, from.outcome
	done := errors.New("done")
	err = s.Each(ctx, `SELECT c.seq, c.hash, c.at, coalesce(o.seq, 0), coalesce(o.hash, ''),
		coalesce((SELECT CAST(json_extract(v.definition, '$.limits.cooldownSeconds') AS bigint) FROM live l JOIN versions v ON v.subject = l.subject AND v.number = l.version WHERE l.subject = c.tool), 0)
		FROM calls c LEFT JOIN call_outcomes o ON o.call = c.id WHERE c.seq < $1 ORDER BY c.seq`, []any{newestCall}, func(row table.Scanner) error {
		var call, outcome history.Link
		var at string
		var cooldown int64
		if err := row.Scan(&call.Number, &call.Seal, &at, &outcome.Number, &outcome.Seal, &cooldown); err != nil {
			return err
		}
		if p.Call == from.call && at >= history.Timestamp(o.Before.Add(-o.Slack)) || at >= history.Timestamp(o.Before) || at >= history.Timestamp(o.Now.Add(-time.Duration(cooldown)*time.Second)) {
			return done
		}
		if outcome.Number > 0 {
			outcomes++
		}
		if outcome.Number > latest.Number {
			latest = outcome
		}
		if latest.Number == outcomes && (outcomes < newestOutcome || outcomes == from.outcome.Number) {
			p.Call, p.Outcome = call, latest
		}
		return nil
	})
	if errors.Is(err, done) {
		err = nil
	}
	p.Calls, p.Outcomes = p.Call.Number-from.call.Number, p.Outcome.Number-from.outcome.Number
	return from, err
}

// line is a line of a file of calls. The first line contains, for each chain, the link before the
// first row in the file. Each further line contains one row. Prev is the SHA-256 of the previous
// line.
type line struct {
	Prev     string            `json:"prev"`
	Format   string            `json:"format,omitempty"`
	Database string            `json:"database,omitempty"` // hash of the first event in the database
	After    [2]history.Link   `json:"after,omitzero"`     // calls, outcomes
	Call     map[string]string `json:"call,omitempty"`
	Outcome  map[string]string `json:"outcome,omitempty"`
}

// fileFormat is the value of Format in the first line of a file of calls.
const fileFormat = "toolcrib calls 1"

// chainedTable describes a table with rows that are moved to a file of calls.
type chainedTable struct {
	name, format, word string
	columns            []string
}

// chainedTables returns the tables with rows that are moved to a file of calls, in the order of the
// file.
func chainedTables() []chainedTable {
	names := func(row table.Columns) []string { return strings.Split(Chained(row).Names(), ", ") }
	return []chainedTable{
		{CallTable.Name, CallFormat, "call", names(callColumns(new(gateway.Call)))},
		{OutcomeTable.Name, OutcomeFormat, "outcome", names(outcomeColumns(new(EndedCall)))},
	}
}

// write writes the rows that p moves to w, one row per line. It returns the hash of the last line.
func (p *Prune) write(ctx context.Context, s *session.Session, from chains, w io.Writer) (last string, err error) {
	out := bufio.NewWriter(w)
	add := func(l line) error {
		l.Prev = last
		text, err := json.Marshal(l)
		if err != nil {
			return err
		}
		last = registry.HashBytes(text)
		_, err = out.Write(append(text, '\n'))
		return err
	}
	first := line{Format: fileFormat, After: [2]history.Link{from.call, from.outcome}}
	if err := s.Row(ctx, "SELECT hash FROM events WHERE seq = 1", nil, &first.Database); err != nil {
		return "", err
	}
	if err := add(first); err != nil {
		return "", err
	}
	for i, t := range chainedTables() {
		query := fmt.Sprintf("SELECT %s FROM %s WHERE seq <= %d ORDER BY seq", strings.Join(t.columns, ", "), t.name, []int64{p.Call.Number, p.Outcome.Number}[i])
		err := s.EachRaw(ctx, query, func(values []sqldriver.Value) error {
			row := map[string]string{}
			for i, value := range values {
				text, err := table.Text(value)
				if err == nil && !utf8.ValidString(text) {
					err = errors.New("an earlier version wrote invalid UTF-8, which JSON cannot represent")
				}
				if err != nil {
					return fmt.Errorf("%s %s: %w", t.word, row["seq"], err)
				}
				row[strings.Trim(t.columns[i], `"`)] = text
			}
			if t.name == CallTable.Name {
				return add(line{Call: row})
			}
			return add(line{Outcome: row})
		})
		if err != nil {
			return "", err
		}
	}
	return last, out.Flush()
}

// File is a file of calls. It implements history.Ledger. Package history can therefore verify
// the file.
type File struct {
	Path   string
	Prunes []Prune // records in the database
}

// Tables implements history.Ledger.
func (File) Tables() []string { return []string{CallTable.Name, OutcomeTable.Name} }

// Rows implements history.Ledger.
func (f File) Rows(_ context.Context, name string, fn func(history.Row) error) error {
	i := slices.Index(f.Tables(), name)
	t := chainedTables()[i]
	var after history.Link
	_, err := f.lines(func(n int, l line) error {
		if n == 1 {
			after = l.After[i]
		}
		row := []map[string]string{l.Call, l.Outcome}[i]
		if len(row) == 0 {
			return nil
		}
		fields := []string{t.format}
		for _, column := range t.columns {
			fields = append(fields, row[strings.Trim(column, `"`)])
		}
		number, err := strconv.ParseInt(row["seq"], 10, 64)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		return fn(history.Row{
			Table: f.Path, Key: f.Path + ": " + t.word + " " + row["seq"], Fields: fields[:len(fields)-1], Seal: row["hash"],
			Chain: t.name, Number: number, Prev: row["prev_hash"], After: after,
		})
	})
	return err
}

// lines calls fn for each line of the file. Lines are numbered from 1. lines returns the hash of
// the last line.
func (f File) lines(fn func(number int, l line) error) (last string, err error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(text) == 0 && n > 1 {
			return last, nil
		}
		if err != nil {
			return "", fmt.Errorf("line %d: %w", n, err)
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil || n == 1 && l.Format != fileFormat {
			return "", fmt.Errorf("line %d does not have the format that `toolcrib calls prune` writes", n)
		}
		if l.Prev != last {
			return "", fmt.Errorf("line %d does not match the hash chain; lines were changed or removed", n)
		}
		last = registry.HashBytes(bytes.TrimSuffix(text, []byte("\n")))
		if err := fn(n, l); err != nil {
			return "", err
		}
	}
}

// Structure implements history.Ledger. It reports damage if the file cannot be read completely, or
// if the database has no record of a file with the same last line.
func (f File) Structure(_ context.Context, _ bool, fn func(history.Damage)) error {
	last, err := f.lines(func(int, line) error { return nil })
	if err != nil {
		fn(history.Damage{Table: f.Path, Message: fmt.Sprintf("Cannot read the whole file: %v.", err)})
		return nil
	}
	if !slices.ContainsFunc(f.Prunes, func(p Prune) bool { return p.FileHash == last }) {
		fn(history.Damage{Table: f.Path, Message: "The database has no record of this file. The file belongs to another database, or lines were changed or removed."})
	}
	return nil
}

// Inconsistencies implements history.Ledger.
func (File) Inconsistencies(context.Context, bool, func(history.Damage)) error { return nil }

// References implements history.Ledger.
func (File) References(context.Context, func(history.Damage)) error { return nil }
