package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"toolcrib/history"
	"toolcrib/history/workspace"
	"toolcrib/registry"
	"toolcrib/review/proof"
)

// Workspaces is the database as a workspace needs it.
type Workspaces struct {
	db *DB
	s  *session // set inside Exclusively, which is one write transaction
}

// Workspaces returns the database as a workspace needs it.
func (db *DB) Workspaces() Workspaces { return Workspaces{db: db} }

var _ workspace.Store = Workspaces{}

func (w Workspaces) read(ctx context.Context, fn func(*session) error) error {
	if w.s != nil {
		return fn(w.s)
	}
	return w.db.view(ctx, fn)
}

// readAll returns the rows of a query.
func readAll[T any](ctx context.Context, w Workspaces, scan func(scanner) (T, error), query string, args ...any) (list []T, err error) {
	err = w.read(ctx, func(s *session) error {
		list, err = all(ctx, s, scan, query, args...)
		return err
	})
	return list, err
}

func (w Workspaces) write(ctx context.Context, fn func(*session) error) error {
	if w.s != nil {
		return fn(w.s)
	}
	return w.db.update(ctx, fn)
}

// Attach implements workspace.Store. A folder that is attached already costs a
// read.
func (w Workspaces) Attach(ctx context.Context, dir, project string) error {
	var attached string
	err := w.read(ctx, func(s *session) error {
		return s.Row(ctx, "SELECT coalesce((SELECT project FROM workspaces WHERE dir = $1), '')", []any{dir}, &attached)
	})
	if err != nil || attached == project {
		return err
	}
	return w.write(ctx, func(s *session) error {
		if attached != "" {
			return fmt.Errorf("the workspace %s belongs to project %s, not to %s", dir, attached, project)
		}
		if _, err := s.Exec(ctx, "INSERT INTO workspaces (dir, project, seal) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", dir, project, sealOfWorkspace(dir, project)); err != nil {
			return err
		}
		// Everything live in the project is queued for export from the start.
		_, err := s.Exec(ctx, `INSERT INTO pending_exports (seq, dir, subject, number)
			SELECT (SELECT coalesce(max(seq), 0) FROM pending_exports) + row_number() OVER (ORDER BY subject), CAST($1 AS text), subject, version FROM live WHERE layer = $2`,
			dir, registry.ProjectLayer(project))
		return err
	})
}

// sealOfWorkspace returns the seal over a folder and its project.
func sealOfWorkspace(dir, project string) string {
	return history.Seal("toolcrib workspace 1", dir, project)
}

// PendingExports implements workspace.Store.
func (w Workspaces) PendingExports(ctx context.Context, dir string) ([]workspace.PendingExport, error) {
	var pending []workspace.PendingExport
	err := w.read(ctx, func(s *session) error {
		type key struct {
			seq     int64
			subject string
			number  int
		}
		keys, err := all(ctx, s, func(row scanner) (key, error) {
			var d key
			err := row.Scan(&d.seq, &d.subject, &d.number)
			return d, err
		}, "SELECT seq, subject, number FROM pending_exports WHERE dir = $1 ORDER BY seq", dir)
		if err != nil {
			return err
		}
		pending = make([]workspace.PendingExport, 0, len(keys))
		for _, d := range keys {
			subject, err := registry.ParseSubject(d.subject)
			if err != nil {
				return err
			}
			v, err := versionTables{s}.Version(ctx, subject, d.number)
			if err != nil {
				return err
			}
			if err := (trusted{s}).counts(ctx, v); proof.Refuses(err) {
				continue // it is not written as long as it does not count
			} else if err != nil {
				return err
			}
			pending = append(pending, workspace.PendingExport{Seq: d.seq, Version: v})
		}
		return nil
	})
	return pending, err
}

// Written implements workspace.SnapshotStore.
func (w Workspaces) Written(ctx context.Context, dir string) ([]history.Version, error) {
	return readAll(ctx, w, reading(versionColumns), "SELECT "+versionColumns(new(history.Version)).of("versions")+" FROM history_files JOIN versions USING (subject, number) WHERE dir = $1 ORDER BY versions.seq", dir)
}

// Folders returns the attached folders.
func (w Workspaces) Folders(ctx context.Context) ([]string, error) {
	return readAll(ctx, w, scanValue[string], "SELECT dir FROM workspaces ORDER BY dir")
}

// Current implements workspace.Store.
func (w Workspaces) Current(ctx context.Context, layer registry.Layer) ([]workspace.Dated, error) {
	var current []workspace.Dated
	err := w.read(ctx, func(s *session) error {
		lives, err := trusted{s}.live(ctx, liveFrom+"WHERE l.layer = $1 ORDER BY l.kind DESC, l.id", layer)
		if err != nil {
			return err
		}
		times := map[string][2]string{}
		err = s.Each(ctx, `SELECT l.subject, first.decided_at, v.decided_at `+liveFrom+`
			JOIN versions first ON first.subject = l.subject AND first.number = 1 WHERE l.layer = $1`, []any{layer}, func(row scanner) error {
			var subject, created, updated string
			err := row.Scan(&subject, &created, &updated)
			times[subject] = [2]string{created, updated}
			return err
		})
		if err != nil {
			return err
		}
		current = nil // it may run again
		for _, l := range lives {
			if l.Refused != nil {
				continue
			}
			d, at := workspace.Dated{Live: l}, times[l.Subject.String()]
			if err := errors.Join(into(&d.CreatedAt, history.ParseTimestamp, at[0]), into(&d.UpdatedAt, history.ParseTimestamp, at[1])); err != nil {
				return err
			}
			current = append(current, d)
		}
		return nil
	})
	return current, err
}

// Expect implements workspace.Store.
func (w Workspaces) Expect(ctx context.Context, dir, hash string) error {
	return w.write(ctx, func(s *session) error {
		_, err := s.Exec(ctx, "INSERT INTO live_files (dir, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING", dir, hash)
		return err
	})
}

// Known implements workspace.Store.
func (w Workspaces) Known(ctx context.Context, dir string) ([]string, error) {
	return readAll(ctx, w, scanValue[string], "SELECT hash FROM live_files WHERE dir = $1", dir)
}

// Exclusively implements workspace.Store by the write lock of the database.
func (w Workspaces) Exclusively(ctx context.Context, dir string, fn func(context.Context, workspace.Store) ([]int64, string, error)) error {
	return w.write(ctx, func(s *session) error {
		written, hash, err := fn(ctx, Workspaces{db: w.db, s: s})
		if err != nil {
			return err
		}
		for _, seq := range written {
			_, err := s.Exec(ctx, `INSERT INTO history_files (dir, subject, number) SELECT dir, subject, number FROM pending_exports WHERE seq = $1 ON CONFLICT DO NOTHING`, seq)
			if err != nil {
				return err
			}
			if _, err := s.Exec(ctx, "DELETE FROM pending_exports WHERE seq = $1", seq); err != nil {
				return err
			}
		}
		if hash == "" {
			return nil
		}
		_, err = s.Exec(ctx, "DELETE FROM live_files WHERE dir = $1 AND hash <> $2", dir, hash)
		return err
	})
}

// Exported is a live definition with its canonical JSON and the hash of its
// version.
type Exported struct {
	CatalogEntry
	Hash       string
	Definition json.RawMessage
	CreatedAt  time.Time // when its first version was decided
	UpdatedAt  time.Time // when this one was
}

// Export returns the whole merged catalog of q, in one snapshot, by id. Limit and
// After of q do not count. Where signatures are required, unsigned entries are
// left out, or with All have no content.
func (db catalogPages) Export(ctx context.Context, q CatalogQuery) ([]Exported, error) {
	var out []Exported
	err := db.view(ctx, func(s *session) error {
		q.Limit, q.After = math.MaxInt, ""
		read := map[registry.Subject]Exported{}
		page, err := q.merge(func(fn func(CatalogEntry) error) error {
			return catalog{s}.eachExported(ctx, q, func(x Exported) error {
				read[x.Subject] = x
				return fn(x.CatalogEntry)
			})
		})
		if err != nil {
			return err
		}
		out = make([]Exported, 0, len(page.Entries))
		for _, e := range page.Entries {
			x := read[e.Subject]
			if x.CatalogEntry = e; q.All || x.Refused == nil && x.Status == registry.Active {
				out = append(out, x)
			}
		}
		return nil
	})
	return out, err
}

// exportColumns are of an entry's version: its hash, its definition, and when the
// first one of its subject and it were decided.
const exportColumns = `, v.hash, v.definition, CASE v.number WHEN 1 THEN v.decided_at
	ELSE (SELECT f.decided_at FROM versions f WHERE f.subject = v.subject AND f.number = 1) END, v.decided_at`

// eachExported calls fn for every entry with its definition. Where signatures are
// required, the columns of an entry are those of its checked version.
func (s catalog) eachExported(ctx context.Context, q CatalogQuery, fn func(Exported) error) error {
	p, err := trusted(s).proofs(ctx)
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
	query, args := q.rows(list+exportColumns+", "+consistent, " JOIN versions v ON v.subject = r.subject AND v.number = r.version")
	var x Exported
	var created, updated string
	var sound bool
	beside := []any{&x.Hash, (*[]byte)(&x.Definition), &created, &updated, &sound}
	scan := reading(entryColumns, beside...)
	if p != nil {
		scan = func(row scanner) (CatalogEntry, error) {
			return s.scanProven(ctx, p, q, &x.Hash, extendedRow{row, beside})
		}
	}
	return s.Each(ctx, query, args, func(row scanner) (err error) {
		x = Exported{}
		if x.CatalogEntry, err = scan(row); err != nil {
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
		err = errors.Join(into(&x.CreatedAt, history.ParseTimestamp, created), into(&x.UpdatedAt, history.ParseTimestamp, updated), trusted(s).same(x.CatalogEntry, x.Definition, now))
		if err != nil {
			return err
		}
		return fn(x)
	})
}
