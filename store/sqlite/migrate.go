// This file numbers and runs the migrations of files.

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

// seedStep is the number of the migration that seeds the shipped definitions: after those that create the tables, and
// before the one that locks the core.
const seedStep = 7

// steps returns the migrations, ordered by number: the SQL files, the seed, and the added columns. They cannot be
// reversed, and each runs in its own transaction. A released migration is never changed or renumbered; a later one
// changes the schema instead.
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

// applicationID marks the file as a toolcrib database in its header ("crib" in ASCII). It distinguishes a foreign
// database from an old one of toolcrib.
const applicationID = 0x63726962

// SchemaVersion returns the number of the last migration.
func SchemaVersion() int {
	list := steps()
	return list[len(list)-1].Number
}

// lastReused is the last number of an abandoned numbering of migrations. Files from development builds of that time
// have numbers up to it with other meanings. New migrations have larger numbers.
const lastReused = 20

// checkNumber returns engine.ErrNumbering unless the migrations up to version produce the schema of the file.
func checkNumber(ctx context.Context, c *engine.Conn, version int) error {
	unknown := fmt.Errorf(`%w: its schema %d is from a development build, which numbered its schemas differently, and cannot be converted; `+
		`run "toolcrib export --output registry.json" with the build that wrote it, then "toolcrib --db NEW import registry.json" with this one; the file was not changed`, engine.ErrNumbering, version)
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

// refuse returns engine.ErrNewer, engine.ErrNumbering, or engine.ErrForeign for an incompatible file that has an
// unchecked log, for example after a crash. Closing a writable connection would checkpoint the log. Other files need no
// check, because opening them changes nothing.
func (f *File) refuse(ctx context.Context) error {
	info, err := os.Stat(f.path + "-wal")
	if err != nil || info.Size() == 0 {
		return nil //nolint:nilerr // there is no log
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
		return 0, fmt.Errorf("%w: it has schema %d, this program supports %d; install a newer toolcrib; the file was not changed", engine.ErrNewer, version, SchemaVersion())
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
		return 0, fmt.Errorf("%w: another program wrote it; name a different file with --db", engine.ErrForeign)
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
