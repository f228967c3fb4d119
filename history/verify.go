// This file verifies the seals and the chains of all stored rows.

package history

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"toolcrib/internal/plaintext"
	"toolcrib/registry"
)

// Row is a sealed row in its stored form. It is not decoded, so that rows that
// cannot be decoded are checked too.
type Row struct {
	Table  string   // "versions", "events", "revisions", …
	Key    string   // readable name: "tool:user/scene_pacer version 3"
	Fields []string // sealed fields, starting with the name of the format
	Seal   string

	// Text is the definition of a version, which is sealed through TextHash. Both
	// are "" for other rows.
	Text, TextHash string

	// Contradiction is a sentence about unsealed columns that do not match sealed
	// ones, or "".
	Contradiction string

	// Chain identifies the chain of the row: the subject of a version, "events" for
	// an event, or "" for rows outside of chains. Number counts from 1 within the
	// chain, and Prev is the seal of the previous row.
	Chain  string
	Number int64
	Prev   string
	// After is where the chain stood when the entries before this first row were moved
	// to a file.
	After Link
}

// Link is an entry of a chain, which the next one continues.
type Link struct {
	Number int64  `json:"number"`
	Seal   string `json:"seal"`
}

// Ledger is the data that Verify reads.
type Ledger interface {
	// Tables lists the sealed tables.
	Tables() []string
	// Rows calls fn for every row of a table. The rows of a chain come in order;
	// rows of other chains may come between them. Verify calls Rows for all tables
	// concurrently.
	Rows(ctx context.Context, table string, fn func(Row) error) error
	// Structure reports damage to the schema and to search indexes; if deep is set,
	// also that found by the database engine's own check. It runs concurrently with
	// Rows.
	Structure(ctx context.Context, deep bool, fn func(Damage)) error
	// Inconsistencies reports rows that contradict each other, such as a proposal
	// in a state that does not follow from its decisions; if deep is set, also
	// contradictions that take long to find. It runs concurrently with Rows.
	Inconsistencies(ctx context.Context, deep bool, fn func(Damage)) error
	// References reports records without an event, and live definitions that are
	// not the last version. It runs after all rows have been read.
	References(ctx context.Context, fn func(Damage)) error
}

// Damage is a result of a verification.
type Damage struct {
	Table   string
	Key     string // "" if it concerns the whole table
	Message string // a sentence
	// Remedy is a sentence with advice about an intact row that is no longer valid;
	// "" means that a copy has to be restored.
	Remedy string
	// Note marks a remark about an intact row.
	Note bool
}

// Report is the result of a verification.
type Report struct {
	Rows   map[string]int64 // number of rows by table
	Damage []Damage
	Notes  []Damage // remarks, not damage
}

// maxDamage limits the length of a report: with this much damage, restore a copy.
const maxDamage = 1000

// Options are the options of a verification.
type Options struct {
	// Deep adds the engine's own check of all pages and indexes, and checks that
	// take long.
	Deep bool
	// Progress, if not nil, is called periodically, never concurrently, with a
	// table and the number of its rows so far.
	Progress func(table string, rows int64)
}

// Verify reads every sealed row, recomputes every seal, follows every chain and
// reports failed checks. It reads tables concurrently as far as the ledger allows.
func Verify(ctx context.Context, l Ledger, o Options) (Report, error) {
	report := Report{Rows: map[string]int64{}}
	tables := l.Tables()
	read := make([]reading, len(tables))
	var structure, inconsistencies, all findings
	var readers sync.WaitGroup
	var speaking sync.Mutex
	ofStructure := func(ctx context.Context, fn func(Damage)) error { return l.Structure(ctx, o.Deep, fn) }
	readers.Go(func() { structure.collect(ctx, ofStructure, "Cannot check the structure of the database") })
	ofTables := func(ctx context.Context, fn func(Damage)) error { return l.Inconsistencies(ctx, o.Deep, fn) }
	readers.Go(func() { inconsistencies.collect(ctx, ofTables, incomparable) })
	for i, table := range tables {
		readers.Go(func() {
			read[i].table(ctx, l, table, func(rows int64) {
				if o.Progress != nil {
					speaking.Lock()
					defer speaking.Unlock()
					o.Progress(table, rows)
				}
			})
		})
	}
	readers.Wait()
	for i, table := range tables {
		if read[i].rows > 0 {
			report.Rows[table] = read[i].rows
		}
		all.join(read[i].found)
	}
	if ctx.Err() == nil {
		all.collect(ctx, l.References, incomparable)
	}
	all.join(inconsistencies)
	all.join(structure)
	report.Damage, report.Notes = all.damage, all.notes
	return report, ctx.Err()
}

const incomparable = "Cannot check the consistency of the tables"

// findings collects damage and notes. Each list has its own limit, so that many
// notes do not displace damage.
type findings struct{ damage, notes []Damage }

// collect adds the results of check, and failure if check returns an error.
func (f *findings) collect(ctx context.Context, check func(context.Context, func(Damage)) error, failure string) {
	if err := check(ctx, f.add); err != nil {
		f.add(Damage{Message: fmt.Sprintf("%s: %v.", failure, err)})
	}
}

func (f *findings) add(d Damage) {
	list := &f.damage
	if d.Note {
		list = &f.notes
	}
	if len(*list) < maxDamage {
		*list = append(*list, d)
	}
}

// join adds the findings of other.
func (f *findings) join(other findings) {
	for _, d := range slices.Concat(other.damage, other.notes) {
		f.add(d)
	}
}

// reading is the result of reading one table.
type reading struct {
	rows  int64
	found findings
}

// table reads a table and checks every row.
func (r *reading) table(ctx context.Context, l Ledger, table string, progress func(rows int64)) {
	chains := map[string]Link{} // last row of each chain
	var buf []byte              // reused
	err := l.Rows(ctx, table, func(row Row) error {
		if r.rows++; r.rows%progressEvery == 0 {
			progress(r.rows)
		}
		wrong := func(message string) { r.found.add(Damage{Table: row.Table, Key: row.Key, Message: message}) }
		if row.TextHash != "" {
			if buf = append(buf[:0], row.Text...); registry.HashBytes(buf) != row.TextHash {
				wrong("Its definition does not match its content hash.")
			}
		}
		if buf = appendFields(buf[:0], row.Fields); registry.HashBytes(buf) != row.Seal {
			wrong("Its content does not match its seal.")
		}
		if row.Contradiction != "" {
			wrong(row.Contradiction)
		}
		if row.Chain != "" {
			last, begun := chains[row.Chain]
			if !begun {
				last = row.After
			}
			if row.Number != last.Number+1 {
				wrong(fmt.Sprintf("It follows number %d; entries are missing.", last.Number))
			}
			if row.Prev != last.Seal {
				wrong("It does not continue the previous entry: the chain is broken here.")
			}
			chains[row.Chain] = Link{row.Number, row.Seal}
		}
		if i := slices.IndexFunc(row.Fields, notText); i >= 0 || notText(row.Text) {
			r.found.add(NotText(row.Table, row.Key))
		}
		return nil
	})
	if err != nil {
		r.found.add(Damage{Table: table, Message: fmt.Sprintf("Cannot read the whole table: %v.", err)})
	}
}

// NotText returns a note on a row with a text that cannot be stored today but that
// an earlier version accepted.
func NotText(table, key string) Damage {
	return Damage{Table: table, Key: key, Message: "It has a text with invalid UTF-8 or a NUL character, written by an earlier version.", Note: true}
}

func notText(s string) bool { return plaintext.Problem(s) != "" }

const progressEvery = 1 << 14
