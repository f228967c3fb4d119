// This file verifies the seals and the hash chains of all stored rows.

package history

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"toolcrib/internal/plaintext"
	"toolcrib/registry"
)

// Row is a sealed row in its stored form. Rows are not decoded, because Verify must also verify
// rows that cannot be decoded.
type Row struct {
	Table  string   // "versions", "events", "revisions", …
	Key    string   // name for display, such as "tool:user/scene_pacer version 3"
	Fields []string // sealed fields, beginning with the name of the format
	Seal   string

	// For a version, Text is its definition, and TextHash is the sealed hash of the
	// definition. For other rows, both are "".
	Text, TextHash string

	// Contradiction is a sentence that describes how unsealed columns of the row
	// contradict sealed columns. It is "" if there is no contradiction.
	Contradiction string

	// Chain identifies the chain of the row: the subject of a version, "events" for
	// an event, or "" for a row that does not belong to a chain. Number counts from 1
	// within the chain, and Prev is the seal of the previous row.
	Chain  string
	Number int64
	Prev   string
	// After is set for the first row of a chain if earlier rows were moved to a file.
	// It identifies the last of the moved rows.
	After Link
}

// Link identifies a row of a chain by its number and its seal.
type Link struct {
	Number int64  `json:"number"`
	Seal   string `json:"seal"`
}

// Ledger is the data that Verify reads.
type Ledger interface {
	// Tables returns the names of the sealed tables.
	Tables() []string
	// Rows calls fn for every row of a table. The rows of each chain are in order, but
	// rows of different chains may alternate. Verify calls Rows for all tables
	// concurrently.
	Rows(ctx context.Context, table string, fn func(Row) error) error
	// Structure reports damage to the schema and to search indexes. If deep is set, it also reports
	// damage that the integrity check of the database engine finds. Verify calls Structure
	// concurrently with Rows.
	Structure(ctx context.Context, deep bool, fn func(Damage)) error
	// Inconsistencies reports rows that contradict each other, such as a proposal in a state that
	// does not follow from its decisions. If deep is set, it also performs slow checks. Verify
	// calls Inconsistencies concurrently with Rows.
	Inconsistencies(ctx context.Context, deep bool, fn func(Damage)) error
	// References reports records without an event, and live definitions that are not
	// the newest version. Verify calls References after all rows have been read.
	References(ctx context.Context, fn func(Damage)) error
}

// Damage describes a failed check. If Note is set, it is a remark about an intact row instead.
type Damage struct {
	Table   string
	Key     string // name of the row; "" if the result concerns the whole table
	Message string // a sentence
	// Remedy is a sentence with advice if the row is intact but no longer valid. If
	// Remedy is "", a backup must be restored.
	Remedy string
	// Note is set for a remark about an intact row.
	Note bool
}

// Report is the result of a verification.
type Report struct {
	Rows   map[string]int64 // number of rows by table
	Damage []Damage
	Notes  []Damage // results with Note set
}

// maxDamage is the maximum length of each list in a report. With this much damage, only
// restoring a backup helps.
const maxDamage = 1000

// Options control what Verify checks, and how it reports its progress.
type Options struct {
	// Deep enables the database engine's check of all pages and indexes, and other slow checks.
	Deep bool
	// Progress, if not nil, is called periodically. rows is the number of rows of the table that
	// Verify has read so far. Calls are never concurrent.
	Progress func(table string, rows int64)
}

// Verify reads all sealed rows, checks their seals and hash chains, and returns the
// failed checks. It reads tables concurrently as far as the ledger permits.
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

// findings collects damage and notes. The limit applies to each list separately, because many notes
// must not displace damage.
type findings struct{ damage, notes []Damage }

// collect adds the results of check. If check returns an error, collect adds a Damage with a
// message that consists of failure and the error.
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

// join adds the findings of g.
func (f *findings) join(g findings) {
	for _, d := range slices.Concat(g.damage, g.notes) {
		f.add(d)
	}
}

// reading is the result of reading and checking one table.
type reading struct {
	rows  int64
	found findings
}

// table reads the named table and checks every row.
func (r *reading) table(ctx context.Context, l Ledger, table string, progress func(rows int64)) {
	chains := map[string]Link{} // last row of each chain
	var buf []byte              // buffer that is reused for all rows
	err := l.Rows(ctx, table, func(row Row) error {
		if r.rows++; r.rows%progressEvery == 0 {
			progress(r.rows)
		}
		wrong := func(message string) { r.found.add(Damage{Table: row.Table, Key: row.Key, Message: message}) }
		if row.TextHash != "" {
			if buf = append(buf[:0], row.Text...); registry.HashBytes(buf) != row.TextHash {
				wrong("The definition does not match its content hash.")
			}
		}
		if buf = appendFields(buf[:0], row.Fields); registry.HashBytes(buf) != row.Seal {
			wrong("The content does not match its seal.")
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
				wrong(fmt.Sprintf("The number does not follow number %d; entries are missing or out of order.", last.Number))
			}
			if row.Prev != last.Seal {
				wrong("The entry does not contain the hash of the previous entry; the chain is broken here.")
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

// NotText returns a note about a row that contains a text with invalid UTF-8 or NUL.
// Earlier versions accepted such texts, but they can no longer be stored.
func NotText(table, key string) Damage {
	return Damage{Table: table, Key: key, Message: "A text contains invalid UTF-8 or a NUL character. An earlier version of toolcrib wrote it.", Note: true}
}

func notText(s string) bool { return plaintext.Problem(s) != "" }

const progressEvery = 1 << 14
