// This file reads the entries of catalogs. If signatures are required, it verifies the entries.

package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/proof"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

func entryColumns(e *Entry) table.Columns {
	return slices.Concat(table.Columns{table.Col("subject", table.Subject(&e.Subject)), table.Col("locked", &e.Locked)}, liveColumns(&e.Version, &e.ContentHash, &e.Columns))
}

// entryList is the list of entryColumns in SQL. The columns belong to liveRows, which has the alias r.
var entryList = entryColumns(new(Entry)).Of("r")

// entries returns the entries that query selects. See eachEntry.
func (s Registry) entries(ctx context.Context, q Query, query string, args ...any) ([]Entry, error) {
	var found []Entry
	err := s.eachEntry(ctx, q, query, args, func(e Entry) error {
		found = append(found, e)
		return nil
	})
	return found, err
}

// eachEntry calls fn for each entry that query selects. The argument query is a SELECT statement
// without its list of columns. If signatures are required, the fields of an entry come from the
// verified version. The entry is deactivated if the version has no valid signature.
func (s Registry) eachEntry(ctx context.Context, q Query, query string, args []any, fn func(Entry) error) error {
	p, err := records.Signatures(s).Proofs(ctx)
	if err != nil {
		return err
	}
	list, scan := entryList, table.Reading(entryColumns)
	if p != nil {
		list = provenColumns() + ", (SELECT hash FROM versions v WHERE v.subject = r.subject AND v.number = r.version)"
		scan = func(row table.Scanner) (Entry, error) { return s.scanProven(ctx, p, q, row, new(string)) }
	}
	return s.Each(ctx, "SELECT "+list+query, args, func(row table.Scanner) error {
		e, err := scan(row)
		if err != nil {
			return err
		}
		return fn(e)
	})
}

// provenColumns returns the list of columns to read if signatures are required. The other fields of
// an entry come from the verified version.
func provenColumns() string {
	return "r.subject, r.version, r.content_hash, r.locked, (SELECT max(number) FROM versions n WHERE n.subject = r.subject), " +
		records.SignedLater("r.subject", "(SELECT s.signature FROM versions s WHERE s.subject = r.subject AND s.number = r.version)")
}

// scanProven scans provenColumns and the columns that follow: the hash of the version into hash, and
// the other columns into dst. The remaining fields of the entry come from the verified version.
func (s Registry) scanProven(ctx context.Context, p *proof.Proofs, q Query, row table.Scanner, hash *string, dst ...any) (Entry, error) {
	var e Entry
	var subject string
	var newest int
	var signed bool
	err := row.Scan(append([]any{&subject, &e.Version, &e.ContentHash, &e.Locked, &newest, &signed, hash}, dst...)...)
	if err == nil {
		err = table.Into(&e.Subject, registry.ParseSubject, subject)
	}
	if err != nil {
		return e, err
	}
	proof, err := s.proof(ctx, p, e.Subject, e.Version, *hash)
	if err != nil {
		return e, err
	}
	now := q.AsOf.IsZero()
	e.Refused = proof.Err
	if e.Refused == nil && (e.ContentHash != proof.ContentHash || e.Locked != locked(e.Subject) || now && e.Version != newest) {
		e.Refused = fmt.Errorf("version %d of %s: %w: the entry in the live registry was changed", e.Version, e.Subject, proposals.ErrTampered)
	}
	if e.Refused == nil && now {
		if e.Refused, err = s.superseded(ctx, p, proof, signed); err != nil {
			return e, err
		}
	}
	if e.Refused != nil {
		return Entry{Subject: e.Subject, Version: e.Version, ContentHash: e.ContentHash, Columns: registry.Columns{Status: registry.Deactivated}, Refused: e.Refused}, nil
	}
	e.Columns = proof.Columns
	return e, nil
}

// same returns an error unless e matches definition. The argument current is true if e was read from
// the current live registry, which repeats fields of the definition in columns.
func (s Registry) same(e Entry, definition []byte, current bool) error {
	differs := registry.HashBytes(definition) != e.ContentHash
	if current && !differs && !s.Trust.Required() { // in all other cases, the columns of e come from the version itself
		d, err := session.Cached[decoded](s.Session).definition(e.Subject.Kind, string(definition))
		shown, textErr := shownText(e.Columns)
		differs = err != nil || textErr != nil || d.shown != shown || e.Locked != locked(e.Subject)
	}
	if differs {
		return changedByHand(e.Subject, e.Version)
	}
	return nil
}

// changedByHand returns the error for a version that was changed without an approval, either in its
// content or in its row of the live table.
func changedByHand(s registry.Subject, version int) error {
	return fmt.Errorf("version %d of %s: %w: the content or the entry in the live registry was changed; run toolcrib verify", version, s, proposals.ErrTampered)
}

// Group identifies the entries in a layer that were imported from the same server or file.
type Group struct {
	Layer  registry.Layer
	Source string // "" for definitions that were not imported
}

// GroupCount is a group with the number of its entries.
type GroupCount struct {
	Group
	Count int
}

func groupOf(e Entry) Group { return Group{e.Subject.Layer, e.Source} }

// CatalogGroups returns the groups of a catalog and the number of entries in each. It orders the
// groups by layer, weakest first, and then by source. It ignores the fields Limit, After, and Group
// of q.
func (db Lists) CatalogGroups(ctx context.Context, q Query) ([]GroupCount, error) {
	q.After, q.Group = "", nil
	counts := map[Group]int{}
	err := db.Pool.View(ctx, func(s *session.Session) error {
		clear(counts) // View may run this function again
		query, args := q.rows("")
		return q.eachMerged(func(fn func(Entry) error) error { return Registry{Session: s}.eachEntry(ctx, q, query, args, fn) }, func(es []Entry) error {
			for _, e := range es {
				counts[groupOf(e)]++
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	groups := slices.SortedFunc(maps.Keys(counts), func(a, b Group) int {
		return cmp.Or(cmp.Compare(slices.Index(q.View, a.Layer), slices.Index(q.View, b.Layer)), cmp.Compare(a.Source, b.Source))
	})
	return lists.Map(groups, func(g Group) GroupCount { return GroupCount{g, counts[g]} }), nil
}

// Exported is a live definition with its canonical JSON and the hash of its version.
type Exported struct {
	Entry
	Hash       string
	Definition json.RawMessage
	CreatedAt  time.Time // when the first version was approved
	UpdatedAt  time.Time // when this version was approved
}

// Export returns all entries of the merged catalog that q selects, read from one snapshot and ordered
// by id. It ignores the fields Limit and After of q. If signatures are required, entries without a
// valid signature are omitted or, if q.All is set, returned without content.
func (db Lists) Export(ctx context.Context, q Query) ([]Exported, error) {
	return session.Read(ctx, db.Pool, func(s *session.Session) ([]Exported, error) {
		q.Limit, q.After = math.MaxInt, ""
		read := map[registry.Subject]Exported{}
		page, err := q.merge(func(fn func(Entry) error) error {
			return Registry{Session: s}.eachExported(ctx, q, func(x Exported) error {
				read[x.Subject] = x
				return fn(x.Entry)
			})
		})
		if err != nil {
			return nil, err
		}
		out := make([]Exported, 0, len(page.Entries))
		for _, e := range page.Entries {
			x := read[e.Subject]
			if x.Entry = e; q.All || x.Refused == nil && x.Status == registry.Active {
				out = append(out, x)
			}
		}
		return out, nil
	})
}

// Untrusted returns the active definitions without a valid signature, ordered by subject. It returns nil unless
// signatures are required.
func (db Lists) Untrusted(ctx context.Context) ([]registry.Live, error) {
	return session.Read(ctx, db.Pool, func(s *session.Session) ([]registry.Live, error) {
		if !s.Trust.Required() {
			return nil, nil
		}
		live, err := Registry{Session: s}.Find(ctx, LiveFrom+"WHERE l.status = $1 ORDER BY l.subject", string(registry.Active))
		return lists.Filter(live, func(l registry.Live) bool { return l.Refused != nil }), err
	})
}

// exportColumns lists the hash of a version, its definition, and the times at which the first version
// of the subject and this version were decided.
const exportColumns = `, v.hash, v.definition, CASE v.number WHEN 1 THEN v.decided_at
	ELSE (SELECT f.decided_at FROM versions f WHERE f.subject = v.subject AND f.number = 1) END, v.decided_at`

// eachExported calls fn for each entry, together with its definition. If signatures are required, the
// fields of the entry come from the verified version.
func (s Registry) eachExported(ctx context.Context, q Query, fn func(Exported) error) error {
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
	beside := []any{(*[]byte)(&x.Definition), &created, &updated, &sound}
	scan := table.Reading(entryColumns, append([]any{&x.Hash}, beside...)...)
	if p != nil {
		scan = func(row table.Scanner) (Entry, error) { return s.scanProven(ctx, p, q, row, &x.Hash, beside...) }
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
		err = errors.Join(table.Into(&x.CreatedAt, history.ParseTimestamp, created), table.Into(&x.UpdatedAt, history.ParseTimestamp, updated), s.same(x.Entry, x.Definition, now))
		if err != nil {
			return err
		}
		return fn(x)
	})
}
