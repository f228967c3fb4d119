package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Exported is a live definition with its canonical JSON and the hash of its version.
type Exported struct {
	Entry
	Hash       string
	Definition json.RawMessage
	CreatedAt  time.Time // when the first version was decided
	UpdatedAt  time.Time // when this version was decided
}

// Export returns the complete merged catalog of q from one snapshot, ordered by id. It ignores
// Limit and After of q. If signatures are required, it omits entries without a valid signature or,
// if All is set, returns them without content.
func (db Lists) Export(ctx context.Context, q Query) ([]Exported, error) {
	var out []Exported
	err := db.Pool.View(ctx, func(s *session.Session) error {
		q.Limit, q.After = math.MaxInt, ""
		read := map[registry.Subject]Exported{}
		page, err := q.merge(func(fn func(Entry) error) error {
			return listing{Session: s}.eachExported(ctx, q, func(x Exported) error {
				read[x.Subject] = x
				return fn(x.Entry)
			})
		})
		if err != nil {
			return err
		}
		out = make([]Exported, 0, len(page.Entries))
		for _, e := range page.Entries {
			x := read[e.Subject]
			if x.Entry = e; q.All || x.Refused == nil && x.Status == registry.Active {
				out = append(out, x)
			}
		}
		return nil
	})
	return out, err
}

// exportColumns lists the hash and the definition of a version, and the times at which the
// subject's first version and this version were decided.
const exportColumns = `, v.hash, v.definition, CASE v.number WHEN 1 THEN v.decided_at
	ELSE (SELECT f.decided_at FROM versions f WHERE f.subject = v.subject AND f.number = 1) END, v.decided_at`

// eachExported calls fn for each entry with its definition. If signatures are required, the fields
// of the entry come from the verified version.
func (s listing) eachExported(ctx context.Context, q Query, fn func(Exported) error) error {
	p, err := records.Signatures(s).Proofs(ctx)
	if err != nil {
		return err
	}
	list := entryList
	if p != nil {
		list = provenColumns()
	}
	consistent, now := "true", q.AsOf.IsZero()
	if now && p == nil {
		consistent = consistentLive("r")
	}
	query, args := q.rows(" JOIN versions v ON v.subject = r.subject AND v.number = r.version")
	var x Exported
	var created, updated string
	var sound bool
	beside := []any{&x.Hash, (*[]byte)(&x.Definition), &created, &updated, &sound}
	scan := table.Reading(entryColumns, beside...)
	if p != nil {
		scan = func(row table.Scanner) (Entry, error) {
			return s.scanProven(ctx, p, q, &x.Hash, extendedRow{row, beside})
		}
	}
	return s.Each(ctx, "SELECT "+list+exportColumns+", "+consistent+query, args, func(row table.Scanner) (err error) {
		x = Exported{}
		if x.Entry, err = scan(row); err != nil {
			return err
		}
		if x.Refused != nil {
			l := registry.Live{Subject: x.Subject}.Refuse(x.Refused)
			x.Definition = l.Definition.Canonical()
			return fn(x)
		}
		if !sound {
			return changedByHand(x.Subject, x.Version)
		}
		err = errors.Join(table.Into(&x.CreatedAt, history.ParseTimestamp, created), table.Into(&x.UpdatedAt, history.ParseTimestamp, updated), Definitions(s).same(x.Entry, x.Definition, now))
		if err != nil {
			return err
		}
		return fn(x)
	})
}
