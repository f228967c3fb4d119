package store

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"toolcrib/internal/failpoint"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema. Steps run forward only, in the order of
// their numbers, each in its own transaction. A released step is never changed; a
// later one changes the schema instead.
type migration struct {
	number int
	schema bool // the step is a SQL file that creates the schema, and needs no DB
	run    func(ctx context.Context, db *DB, s *session) error
}

// seedStep is the number of the seed: after the tables, before the core lock,
// which would refuse it.
const seedStep = 7

// migrations lists the steps: the SQL files by their number, and the seed.
func migrations() ([]migration, error) {
	steps := []migration{{number: seedStep, run: seed}}
	files, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		prefix, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		number, err := strconv.Atoi(prefix)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		script, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		steps = append(steps, migration{number: number, schema: true, run: func(ctx context.Context, _ *DB, s *session) error {
			return s.script(ctx, string(script))
		}})
	}
	slices.SortFunc(steps, func(a, b migration) int { return cmp.Compare(a.number, b.number) })
	for i, step := range steps {
		if step.number < 1 || i > 0 && step.number == steps[i-1].number {
			return nil, fmt.Errorf("migration %d is listed twice or below 1", step.number)
		}
	}
	return steps, nil
}

// applicationID marks the file as ours in its header ("crib" in ASCII), so
// that a foreign database is told apart from an old one of ours.
const applicationID = 0x63726962

// schemaVersion is the number of the last migration.
const schemaVersion = 8

// prepareFile brings the schema up to date and makes sure that the core is
// what the program ships. A file that is current costs two reads.
func (db *DB) prepareFile(ctx context.Context) error {
	if err := db.refuse(ctx); err != nil {
		return err
	}
	var version int
	err := db.view(ctx, func(s *session) error {
		var err error
		version, err = s.schema(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if version < schemaVersion {
		if err := db.migrate(ctx); err != nil {
			return err
		}
	}
	return db.view(ctx, func(s *session) error { return s.checkCore(ctx) })
}

// refuse returns ErrNewer or ErrForeign for a file that is none of this
// program's and has a log that was not written back, as a crash leaves it: a
// connection that may write would do so when it is closed. Other files are left
// to the usual connections, which change nothing by looking.
func (db *DB) refuse(ctx context.Context) error {
	info, err := os.Stat(db.path + "-wal")
	if err != nil || info.Size() == 0 {
		return nil //nolint:nilerr // there is no log
	}
	name, err := dsn(db.path, "ro", waits)
	if err != nil {
		return err
	}
	look, err := sql.Open(driver, name)
	if err != nil {
		return err
	}
	defer look.Close() //nolint:errcheck // nothing was written
	s, err := newSession(ctx, look)
	if err != nil {
		return describe(err)
	}
	defer s.close() //nolint:errcheck // nothing was written
	_, err = s.schema(ctx)
	if errors.Is(err, ErrNewer) || errors.Is(err, ErrForeign) {
		return err
	}
	return nil // a connection that writes meets every other error too
}

// schema returns the number of the last migration that the file has, 0 for an
// empty file.
func (s *session) schema(ctx context.Context) (int, error) {
	var application, version, tables int
	if err := s.row(ctx, "PRAGMA application_id", nil, &application); err != nil {
		return 0, err
	}
	if err := s.row(ctx, "PRAGMA user_version", nil, &version); err != nil {
		return 0, err
	}
	switch {
	case application == applicationID && version > schemaVersion:
		return 0, fmt.Errorf("%w: it has schema %d, this program supports %d; install a newer toolcrib; the file was not changed", ErrNewer, version, schemaVersion)
	case application == applicationID:
		return version, nil
	}
	if err := s.row(ctx, "SELECT count(*) FROM sqlite_schema", nil, &tables); err != nil {
		return 0, err
	}
	if application != 0 || version != 0 || tables != 0 {
		return 0, fmt.Errorf("%w: another program wrote it; name a different file with --db", ErrForeign)
	}
	return 0, nil
}

// migrate runs the steps that the file lacks. Another process may do the
// same at once: each step looks again inside its transaction.
func (db *DB) migrate(ctx context.Context) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	for _, step := range steps {
		if err := db.take(ctx, step); err != nil {
			return fmt.Errorf("migration %d: %w", step.number, err)
		}
	}
	return nil
}

// take runs a step unless the file already has it.
func (db *DB) take(ctx context.Context, step migration) error {
	return db.update(ctx, func(s *session) error {
		version, err := s.schema(ctx)
		if err != nil || version >= step.number {
			return err
		}
		if err := step.run(ctx, db, s); err != nil {
			return err
		}
		return s.script(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, step.number))
	})
}

// script runs several statements that are not worth preparing.
func (s *session) script(ctx context.Context, sql string) error {
	failpoint.Here("statement")
	_, err := s.conn.ExecContext(context.WithoutCancel(ctx), sql)
	return err
}
