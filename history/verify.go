package history

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"toolcrib/internal/plaintext"
)

// Row is a sealed row in its stored form. It is not decoded, so that a row that no
// longer decodes can still be checked.
type Row struct {
	Table  string   // "versions", "events", "revisions", …
	Key    string   // names the row for people: "tool:user/scene_pacer version 3"
	Fields []string // what the seal covers, the name of its format first
	Seal   string

	// Text is the definition of a version, which enters the seal through its
	// TextHash. Both are "" for other rows.
	Text, TextHash string

	// Contradiction says how columns beside the seal disagree with sealed ones, as a
	// sentence; "" when they agree.
	Contradiction string

	// Chain names the chain the row is part of: the subject of a version,
	// "events" for an event, "" for a row of no chain. Number counts from 1
	// within it, Prev is the seal of the row before.
	Chain  string
	Number int64
	Prev   string
}

// Ledger is the source that verification reads.
type Ledger interface {
	// Tables lists the sealed tables.
	Tables() []string
	// Rows calls fn for every row of a table. The rows of a chain come in the
	// order of their numbers, those of other chains may stand between them. It
	// is called for all tables at once.
	Rows(ctx context.Context, table string, fn func(Row) error) error
	// Structure reports damage to the schema and to search indexes, and with deep
	// whatever the engine's own check of its file finds. It is called while the rows
	// are read.
	Structure(ctx context.Context, deep bool, fn func(Damage)) error
	// Inconsistencies reports rows that are sound by themselves but disagree with
	// each other, such as a proposal in another state than its decisions say, and with
	// deep also what takes long to derive again. It is called while the rows are read.
	Inconsistencies(ctx context.Context, deep bool, fn func(Damage)) error
	// References reports records that no event names, and live definitions that
	// are not the last version. It is called when all rows were read.
	References(ctx context.Context, fn func(Damage)) error
}

// Damage is one thing that verification found.
type Damage struct {
	Table   string
	Key     string // "" when it is about the table
	Message string // a sentence
	// Remedy is the advice about a row that is as it was written and does not count
	// any more, as a sentence; "" where a copy has to be restored.
	Remedy string
	// Note marks what is to be known of a row that is as it was written.
	Note bool
}

// Report is the outcome of a verification.
type Report struct {
	Rows   map[string]int64 // rows read, by table
	Damage []Damage
	Notes  []Damage // what is to be known besides; nothing is damaged
}

// maxDamage bounds a report: who has this much damage restores a copy.
const maxDamage = 1000

// Options are the choices of a verification.
type Options struct {
	// Deep adds the engine's own check of its file, every page, and every index against
	// its table, and what takes long to derive again.
	Deep bool
	// Progress, which may be nil, is called now and then, never twice at once, with a
	// table that is being read and its rows so far.
	Progress func(table string, rows int64)
}

// Verify reads every sealed row, recomputes every seal, follows every chain
// and reports failed checks. Tables are read side by side as far as the
// ledger lets them.
func Verify(ctx context.Context, l Ledger, o Options) (Report, error) {
	report := Report{Rows: map[string]int64{}}
	tables := l.Tables()
	read := make([]reading, len(tables))
	var structure, inconsistencies, all findings
	var readers sync.WaitGroup
	var speaking sync.Mutex
	ofStructure := func(ctx context.Context, fn func(Damage)) error { return l.Structure(ctx, o.Deep, fn) }
	readers.Go(func() { structure.collect(ctx, ofStructure, "The structure of the database cannot be checked") })
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

const incomparable = "The tables cannot be compared with each other"

// findings are pieces of damage and notes, of each of which no more are kept than
// are reported: many notes hide no damage.
type findings struct{ damage, notes []Damage }

// collect adds what a check finds, and failure when it cannot be completed.
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

// join adds the findings of another.
func (f *findings) join(other findings) {
	for _, d := range slices.Concat(other.damage, other.notes) {
		f.add(d)
	}
}

// reading is the outcome of reading one table.
type reading struct {
	rows  int64
	found findings
}

// table reads a table and checks every row of it.
func (r *reading) table(ctx context.Context, l Ledger, table string, progress func(rows int64)) {
	v := verifier{chains: map[string]link{}}
	err := l.Rows(ctx, table, func(row Row) error {
		if r.rows++; r.rows%progressEvery == 0 {
			progress(r.rows)
		}
		for _, message := range v.check(row) {
			r.found.add(Damage{Table: row.Table, Key: row.Key, Message: message})
		}
		if i := slices.IndexFunc(row.Fields, notText); i >= 0 || notText(row.Text) {
			r.found.add(NotText(row.Table, row.Key))
		}
		return nil
	})
	if err != nil {
		r.found.add(Damage{Table: table, Message: fmt.Sprintf("The table cannot be read to its end: %v.", err)})
	}
}

// NotText notes a row with a text that cannot be stored today: an earlier version let
// it in.
func NotText(table, key string) Damage {
	return Damage{Table: table, Key: key, Message: "It has a text that is not valid UTF-8 or contains a NUL character, as an earlier version wrote it.", Note: true}
}

func notText(s string) bool { return plaintext.Problem(s) != "" }

const progressEvery = 1 << 14

// verifier follows the chains of one table.
type verifier struct {
	chains map[string]link // the last row of each
	buf    []byte
}

// link is the end of a chain, which the next row has to continue.
type link struct {
	number int64
	seal   string
}

// check returns the problems of the next row, as sentences.
func (v *verifier) check(r Row) []string {
	var wrong []string
	if r.TextHash != "" && v.textHash(r.Text) != r.TextHash {
		wrong = append(wrong, "Its definition does not match its content hash.")
	}
	if v.sealOf(r.Fields) != r.Seal {
		wrong = append(wrong, "Its content does not match its seal.")
	}
	if r.Contradiction != "" {
		wrong = append(wrong, r.Contradiction)
	}
	if r.Chain == "" {
		return wrong
	}
	last := v.chains[r.Chain]
	if r.Number != last.number+1 {
		wrong = append(wrong, fmt.Sprintf("It follows number %d; there is a gap.", last.number))
	}
	if r.Prev != last.seal {
		wrong = append(wrong, "It does not continue the entry before: the chain is broken here.")
	}
	v.chains[r.Chain] = link{r.Number, r.Seal}
	return wrong
}

// textHash and sealOf hash into a buffer that is used again.
func (v *verifier) textHash(text string) string {
	v.buf = append(v.buf[:0], text...)
	return sum(v.buf)
}

func (v *verifier) sealOf(fields []string) string {
	v.buf = appendFields(v.buf[:0], fields)
	return sum(v.buf)
}
