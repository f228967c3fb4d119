// This file defines the migrations of SQLite files and checks the schema number of a file.

package sqlite

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"toolcrib/internal/lists"
	"toolcrib/store/engine"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// seedStep is the number of the migration that seeds the shipped definitions. It follows the migrations that create the
// tables and precedes the migration that locks the core tools.
const seedStep = 7

// steps returns the migrations, ordered by number: the SQL files, the seed, and the added columns. Each migration runs
// in a separate transaction and cannot be reversed. Never change or renumber a released migration; add a new migration
// instead.
var steps = sync.OnceValue(func() []engine.Step {
	list := engine.ReadSteps(migrationFiles, func(a engine.Added) engine.Step {
		return engine.Step{Number: a.Step, SQL: a.Statement("TEXT", "INTEGER")}
	})
	list = append(list, engine.Step{Number: seedStep})
	slices.SortFunc(list, func(a, b engine.Step) int { return cmp.Compare(a.Number, b.Number) })
	for i, step := range list {
		if step.Number < 1 || i > 0 && step.Number == list[i-1].Number {
			panic(fmt.Sprintf("migration %d is listed twice or below 1", step.Number))
		}
	}
	return list
})

// applicationID is the application id in the header of a toolcrib database ("crib" in ASCII). It distinguishes an old
// toolcrib database from a database of another program.
const applicationID = 0x63726962

// SchemaVersion returns the number of the last migration.
func SchemaVersion() int {
	list := steps()
	return list[len(list)-1].Number
}

// lastReused is the largest schema number that development builds used before the migrations were renumbered. In files
// of these builds, numbers up to lastReused have different meanings. New migrations must have larger numbers.
const lastReused = 20

// checkNumber returns engine.ErrNumbering unless the file contains exactly the tables that the migrations up to version
// create.
func checkNumber(ctx context.Context, c *engine.Conn, version int) error {
	unknown := fmt.Errorf(`%w: a development build with different schema numbers wrote schema %d, which cannot be converted; `+
		`run "toolcrib export --output registry.json" with that build, then "toolcrib --db NEW import registry.json" with this program; the file was not changed`, engine.ErrNumbering, version)
	list := steps()
	if !slices.ContainsFunc(list, func(s engine.Step) bool { return s.Number == version }) {
		return unknown
	}
	want, err := makeSchema(ctx, version)
	if err != nil {
		return err
	}
	have, err := objects(ctx, c)
	if err != nil {
		return err
	}
	for name, text := range want {
		if strings.HasPrefix(name, "table ") && have[name] != text {
			return unknown
		}
	}
	return nil
}

// refuse returns engine.ErrNewer, engine.ErrNumbering, or engine.ErrForeign if the file is incompatible and has a log,
// for example after a crash. It uses a read-only connection, because closing a writable connection would write the log
// into the file. A file without a log needs no check here, because opening the file does not change it.
func (f *File) refuse(ctx context.Context) error {
	info, err := os.Stat(f.path + "-wal")
	if err != nil || info.Size() == 0 {
		return nil //nolint:nilerr // the log does not exist
	}
	look, err := openDB(f.path, "ro", defaultBusyTimeout)
	if err != nil {
		return err
	}
	defer look.Close() //nolint:errcheck // nothing was written
	c, err := engine.Connect(ctx, look)
	if err != nil {
		return f.Describe(err)
	}
	defer c.Close() //nolint:errcheck // nothing was written
	_, err = f.Schema(ctx, c)
	if errors.Is(err, engine.ErrNewer) || errors.Is(err, engine.ErrNumbering) || errors.Is(err, engine.ErrForeign) {
		return err
	}
	return nil // a write connection reports all other errors
}

// Schema implements session.Engine.
func (f *File) Schema(ctx context.Context, c *engine.Conn) (int, error) {
	var application, version, tables int
	if err := c.Row(ctx, "PRAGMA application_id", nil, &application); err != nil {
		return 0, err
	}
	if err := c.Row(ctx, "PRAGMA user_version", nil, &version); err != nil {
		return 0, err
	}
	switch {
	case application == applicationID && version > max(SchemaVersion(), lastReused):
		return 0, fmt.Errorf("%w: the database has schema %d, but this program only supports schema %d; install a newer toolcrib; the file was not changed", engine.ErrNewer, version, SchemaVersion())
	case application == applicationID && version == SchemaVersion():
		return version, nil
	case application == applicationID && int64(version) == f.numbered.Load():
		return version, nil
	case application == applicationID:
		if err := checkNumber(ctx, c, version); err != nil {
			return 0, err
		}
		f.numbered.Store(int64(version))
		return version, nil
	}
	if err := c.Row(ctx, "SELECT count(*) FROM sqlite_schema", nil, &tables); err != nil {
		return 0, err
	}
	if application != 0 || version != 0 || tables != 0 {
		return 0, fmt.Errorf("%w: another program wrote the file; choose a different file with --db", engine.ErrForeign)
	}
	return 0, nil
}

// Steps implements session.Engine.
func (f *File) Steps(version int) []engine.Step {
	return lists.Filter(steps(), func(s engine.Step) bool { return s.Number > version })
}

// RecordStep implements session.Engine.
func (f *File) RecordStep(ctx context.Context, c *engine.Conn, step engine.Step) error {
	err := c.Script(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, step.Number))
	if err == nil {
		f.numbered.Store(int64(step.Number))
	}
	return err
}
