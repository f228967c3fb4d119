// Package workspaces stores the folders to which the files of projects are exported. For each folder, it stores the
// versions that were written and the versions that are pending.
package workspaces

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/history"
	"toolcrib/history/workspace"
	"toolcrib/registry"
	"toolcrib/review/proof"
	"toolcrib/store/catalog"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Store implements workspace.Store.
type Store struct {
	Pool *session.Pool
	s    *session.Session // write transaction inside Exclusively
}

var _ workspace.Store = Store{}

func (w Store) read(ctx context.Context, fn func(*session.Session) error) error {
	if w.s != nil {
		return fn(w.s)
	}
	return w.Pool.View(ctx, fn)
}

// readAll returns the rows that query selects.
func readAll[T any](ctx context.Context, w Store, scan func(table.Scanner) (T, error), query string, args ...any) (list []T, err error) {
	err = w.read(ctx, func(s *session.Session) error {
		list, err = table.All(ctx, s, scan, query, args...)
		return err
	})
	return list, err
}

func (w Store) write(ctx context.Context, fn func(*session.Session) error) error {
	if w.s != nil {
		return fn(w.s)
	}
	return w.Pool.Update(ctx, fn)
}

// Attach implements workspace.Store. If the folder is already attached, Attach only runs one read transaction.
func (w Store) Attach(ctx context.Context, dir, project string) error {
	var attached string
	err := w.read(ctx, func(s *session.Session) error {
		return s.Row(ctx, "SELECT coalesce((SELECT project FROM workspaces WHERE dir = $1), '')", []any{dir}, &attached)
	})
	if err != nil || attached == project {
		return err
	}
	return w.write(ctx, func(s *session.Session) error {
		if attached != "" {
			return fmt.Errorf("the workspace %s belongs to the project %s, not to the project %s", dir, attached, project)
		}
		if _, err := s.Exec(ctx, "INSERT INTO workspaces (dir, project, seal) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", dir, project, SealOfWorkspace(dir, project)); err != nil {
			return err
		}
		// At first, all live definitions of the project are pending.
		_, err := s.Exec(ctx, `INSERT INTO pending_exports (seq, dir, subject, number)
			SELECT (SELECT coalesce(max(seq), 0) FROM pending_exports) + row_number() OVER (ORDER BY subject), CAST($1 AS text), subject, version FROM live WHERE layer = $2`,
			dir, registry.ProjectLayer(project))
		return err
	})
}

// SealOfWorkspace returns the seal of a folder and its project.
func SealOfWorkspace(dir, project string) string {
	return history.Seal("toolcrib workspace 1", dir, project)
}

// PendingExports implements workspace.Store.
func (w Store) PendingExports(ctx context.Context, dir string) ([]workspace.PendingExport, error) {
	var pending []workspace.PendingExport
	err := w.read(ctx, func(s *session.Session) error {
		type key struct {
			seq     int64
			subject string
			number  int
		}
		keys, err := table.All(ctx, s, func(row table.Scanner) (key, error) {
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
			v, err := catalog.Registry{Session: s}.Version(ctx, subject, d.number)
			if err != nil {
				return err
			}
			if err := (records.Signatures{Session: s}).Counts(ctx, v); proof.Refuses(err) {
				continue // a version without a valid signature is not written
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
func (w Store) Written(ctx context.Context, dir string) ([]history.Version, error) {
	return readAll(ctx, w, table.Reading(catalog.VersionTable.Columns), "SELECT "+catalog.VersionTable.Columns(new(history.Version)).Of("versions")+" FROM history_files JOIN versions USING (subject, number) WHERE dir = $1 ORDER BY versions.seq", dir)
}

// Folders returns the paths of the attached folders.
func (w Store) Folders(ctx context.Context) ([]string, error) {
	return readAll(ctx, w, table.ScanValue[string], "SELECT dir FROM workspaces ORDER BY dir")
}

// Current implements workspace.Store.
func (w Store) Current(ctx context.Context, layer registry.Layer) ([]workspace.Dated, error) {
	var current []workspace.Dated
	err := w.read(ctx, func(s *session.Session) error {
		lives, err := catalog.Registry{Session: s}.Find(ctx, catalog.LiveFrom+"WHERE l.layer = $1 ORDER BY l.kind DESC, l.id", layer)
		if err != nil {
			return err
		}
		times := map[string][2]string{}
		err = s.Each(ctx, `SELECT l.subject, first.decided_at, v.decided_at `+catalog.LiveFrom+`
			JOIN versions first ON first.subject = l.subject AND first.number = 1 WHERE l.layer = $1`, []any{layer}, func(row table.Scanner) error {
			var subject, created, updated string
			err := row.Scan(&subject, &created, &updated)
			times[subject] = [2]string{created, updated}
			return err
		})
		if err != nil {
			return err
		}
		current = nil // read may run this function again
		for _, l := range lives {
			if l.Refused != nil {
				continue
			}
			d, at := workspace.Dated{Live: l}, times[l.Subject.String()]
			if err := errors.Join(table.Into(&d.CreatedAt, history.ParseTimestamp, at[0]), table.Into(&d.UpdatedAt, history.ParseTimestamp, at[1])); err != nil {
				return err
			}
			current = append(current, d)
		}
		return nil
	})
	return current, err
}

// Expect implements workspace.Store.
func (w Store) Expect(ctx context.Context, dir, hash string) error {
	return w.write(ctx, func(s *session.Session) error {
		_, err := s.Exec(ctx, "INSERT INTO live_files (dir, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING", dir, hash)
		return err
	})
}

// Known implements workspace.Store.
func (w Store) Known(ctx context.Context, dir string) ([]string, error) {
	return readAll(ctx, w, table.ScanValue[string], "SELECT hash FROM live_files WHERE dir = $1", dir)
}

// Exclusively implements workspace.Store. The function fn runs in a write transaction.
func (w Store) Exclusively(ctx context.Context, dir string, fn func(context.Context, workspace.Store) ([]int64, string, error)) error {
	return w.write(ctx, func(s *session.Session) error {
		written, hash, err := fn(ctx, Store{Pool: w.Pool, s: s})
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
