package store

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review"
)

// Exported is a live definition with its canonical JSON and the hash of its
// version.
type Exported struct {
	CatalogEntry
	Hash       string
	Definition json.RawMessage
	CreatedAt  time.Time // when its first version was decided
	UpdatedAt  time.Time // when this one was
}

// Export returns the whole merged catalog of q, in one snapshot, by id. Limit
// and After of q do not count. Where only what is signed counts, the rest is left
// out, or with All has no content.
func (db *DB) Export(ctx context.Context, q CatalogQuery) ([]Exported, error) {
	var out []Exported
	err := db.view(ctx, func(s *session) error {
		p, err := s.proofs(ctx)
		if err != nil {
			return err
		}
		q.Limit, q.After, q.unproven = math.MaxInt, "", true
		page, err := s.catalog(ctx, q)
		if err != nil {
			return err
		}
		out = make([]Exported, 0, len(page.Entries))
		for _, e := range page.Entries {
			x, err := s.exported(ctx, p, e, q.AsOf.IsZero())
			if err != nil {
				return err
			}
			if q.All || x.Refused == nil && x.Status == registry.Active {
				out = append(out, x)
			}
		}
		return nil
	})
	return out, err
}

// exported returns an entry with its definition. p is nil where every version
// counts; current says that the entry is of what is live now.
func (s *session) exported(ctx context.Context, p *review.Proofs, e CatalogEntry, current bool) (Exported, error) {
	x := Exported{CatalogEntry: e}
	newest := "0"
	if p != nil {
		newest = "(SELECT max(number) FROM versions n WHERE n.subject = v.subject)"
	}
	var definition, created, updated string
	var last int
	err := s.row(ctx, "SELECT v.hash, v.definition, f.decided_at, v.decided_at, "+newest+` FROM versions v
		JOIN versions f ON f.subject = v.subject AND f.number = 1 WHERE v.subject = $1 AND v.number = $2`,
		[]any{e.Subject.String(), e.Version}, &x.Hash, &definition, &created, &updated, &last)
	if err != nil {
		return x, err
	}
	if p != nil {
		if x.CatalogEntry, err = s.provenEntry(ctx, p, e, x.Hash, current && e.Version != last); err != nil {
			return x, err
		}
	}
	if x.Refused != nil {
		l := registry.Live{Subject: e.Subject}.Refuse(x.Refused)
		x.Definition = l.Definition.Canonical()
		return x, nil
	}
	x.Definition = json.RawMessage(definition)
	return x, errors.Join(into(&x.CreatedAt, history.ParseTimestamp, created), into(&x.UpdatedAt, history.ParseTimestamp, updated), s.same(e, definition))
}
