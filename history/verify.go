package history

import (
	"context"
	"fmt"
)

// Row is a sealed row as it is stored: nothing of it is decoded, so that what
// can not be decoded any more can still be checked.
type Row struct {
	Table  string   // "versions", "events", "revisions", …
	Key    string   // names the row for people: "tool:user/scene_pacer version 3"
	Fields []string // what the seal covers, the name of its format first
	Seal   string

	// Text is the definition of a version, which enters the seal through its
	// TextHash. Both are "" for other rows.
	Text, TextHash string

	// Chain names the chain the row is part of: the subject of a version,
	// "events" for an event, "" for a row of no chain. Number counts from 1
	// within it, Prev is the seal of the row before.
	Chain  string
	Number int64
	Prev   string
}

// Ledger is what verification reads.
type Ledger interface {
	// Tables lists the sealed tables.
	Tables() []string
	// Rows calls fn for every row of a table. The rows of a chain come in the
	// order of their numbers, those of other chains may stand between them.
	Rows(ctx context.Context, table string, fn func(Row) error) error
	// Contradictions reports rows that are sound by themselves but do not
	// agree with each other: a live definition that is not the last version, a
	// record that no event tells of, a lock that is gone.
	Contradictions(ctx context.Context, fn func(Damage)) error
}

// Damage is one thing that verification found.
type Damage struct {
	Table   string
	Key     string // "" when it is about the table
	Message string // a sentence
}

// Report is the outcome of a verification.
type Report struct {
	Rows   map[string]int64 // rows read, by table
	Damage []Damage
}

// maxDamage bounds a report: who has this much damage restores a copy.
const maxDamage = 1000

// Verify reads every sealed row, recomputes every seal, follows every chain
// and reports what does not hold. progress, which may be nil, is called now
// and then with the table that is being read and its rows so far.
func Verify(ctx context.Context, l Ledger, progress func(table string, rows int64)) (Report, error) {
	report := Report{Rows: map[string]int64{}}
	add := func(d Damage) {
		if len(report.Damage) < maxDamage {
			report.Damage = append(report.Damage, d)
		}
	}
	for _, table := range l.Tables() {
		v := verifier{chains: map[string]link{}}
		err := l.Rows(ctx, table, func(r Row) error {
			report.Rows[table]++
			if progress != nil && report.Rows[table]%progressEvery == 0 {
				progress(table, report.Rows[table])
			}
			for _, message := range v.check(r) {
				add(Damage{Table: r.Table, Key: r.Key, Message: message})
			}
			return nil
		})
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
		if err != nil {
			add(Damage{Table: table, Message: fmt.Sprintf("The table can not be read to its end: %v.", err)})
		}
	}
	if err := l.Contradictions(ctx, add); err != nil {
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
		add(Damage{Message: fmt.Sprintf("The tables can not be held against each other: %v.", err)})
	}
	return report, nil
}

const progressEvery = 1 << 14

// verifier follows the chains of one table.
type verifier struct {
	chains map[string]link // the last row of each
	buf    []byte
}

// link is what the next row of a chain has to continue.
type link struct {
	number int64
	seal   string
}

// check returns what is wrong with the next row, as sentences.
func (v *verifier) check(r Row) []string {
	var wrong []string
	if r.TextHash != "" && v.textHash(r.Text) != r.TextHash {
		wrong = append(wrong, "Its definition is not what its content hash says.")
	}
	if v.sealOf(r.Fields) != r.Seal {
		wrong = append(wrong, "Its content is not what its seal says.")
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
