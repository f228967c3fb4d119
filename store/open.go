// This file opens databases and migrates their schemas.

package store

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/store/catalog"
	"toolcrib/store/engine"
	"toolcrib/store/pg"
	"toolcrib/store/session"
	"toolcrib/store/sqlite"
)

// Open opens the database with the given name, which is the URL of a database on a PostgreSQL
// server or the path of a SQLite file. Unless opts disable it, Open creates a missing file with
// mode 0600 and migrates a file with an older schema. The folder of the file must exist. On a
// server, Migrate must have created the schema. The error wraps proposals.ErrTampered if a core
// tool differs from the shipped definition. It wraps ErrNewer if a newer version of toolcrib wrote the
// database.
func Open(ctx context.Context, name string, opts Options) (*DB, error) {
	if pg.IsURL(name) {
		server, err := pg.Open(name)
		if err != nil {
			return nil, err
		}
		return open(ctx, server, opts)
	}
	db, err := openFile(ctx, name, opts, false)
	if sqlite.UnwritableFolder(err) && !sqlite.HasUncheckpointedLog(name) {
		return openFile(ctx, name, opts, true)
	}
	return db, err
}

// IsURL reports whether name refers to a database on a server.
func IsURL(name string) bool { return pg.IsURL(name) }

// Login returns the PostgreSQL login that toolcrib uses to open the named database, or "" for a
// file.
func Login(name string) (string, error) {
	if !pg.IsURL(name) {
		return "", nil
	}
	return pg.Login(name)
}

// DisplayName returns the name of a database with any password removed.
func DisplayName(name string) string {
	if pg.IsURL(name) {
		return pg.Redacted(name)
	}
	return name
}

func openFile(ctx context.Context, path string, opts Options, frozen bool) (*DB, error) {
	file, err := sqlite.Open(ctx, path, sqlite.Options{Existing: opts.Existing, Frozen: frozen, Readers: session.Readers()})
	if err != nil {
		return nil, err
	}
	return open(ctx, file, opts)
}

func open(ctx context.Context, e session.Engine, opts Options) (*DB, error) {
	db := use(e, opts)
	err := db.prepare(ctx)
	if errors.Is(err, proposals.ErrTampered) && opts.Inspect {
		err = nil
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", e.Name(), err), db.Close())
	}
	return db, nil
}

// Migrate creates the roles and the schema in the PostgreSQL database at url. The login in url must
// have the rights to do so. Migrate returns the numbers of the migrations that it ran.
func Migrate(ctx context.Context, url string, opts Options) (done []int, err error) {
	server, err := pg.Open(url)
	if err != nil {
		return nil, err
	}
	db := use(server, opts)
	defer func() { err = errors.Join(err, db.Close()) }()
	s, err := db.pool.Open(ctx, engine.Write)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	done, err = server.Migrate(ctx, s.Conn, func(ctx context.Context) error { return catalog.Seed(ctx, s, db.seeding) })
	return done, db.pool.Engine.Describe(err)
}

// Errors that concern the database as a whole. Package engine describes them.
var (
	ErrNewer      = engine.ErrNewer
	ErrNumbering  = engine.ErrNumbering
	ErrForeign    = engine.ErrForeign
	ErrNoDatabase = engine.ErrNoDatabase
	ErrBusy       = engine.ErrBusy
	ErrDamaged    = engine.ErrDamaged
	ErrRefused    = engine.ErrRefused
	ErrGone       = engine.ErrGone
	ErrLost       = engine.ErrLost
)

// prepare migrates the schema if necessary and verifies the core tools. If the schema is current,
// prepare only runs two read transactions.
func (db *DB) prepare(ctx context.Context) error {
	version, err := session.Read(ctx, db.pool, func(s *session.Session) (int, error) { return db.pool.Engine.Schema(ctx, s.Conn) })
	if err != nil {
		return err
	}
	steps := db.pool.Engine.Steps(version)
	if len(steps) > 0 && db.pool.DryRun {
		return errors.New("the database has an older schema, which --dry-run does not migrate; run a command without --dry-run first")
	}
	for _, step := range steps {
		if err := db.migrateStep(ctx, step); err != nil {
			return fmt.Errorf("migration %d: %w", step.Number, err)
		}
	}
	return db.pool.View(ctx, func(s *session.Session) error { return catalog.Registry{Session: s}.CheckCore(ctx) })
}

// migrateStep runs a migration unless the database already has it. Another process can run the same
// migrations at the same time.
func (db *DB) migrateStep(ctx context.Context, step engine.Step) error {
	return db.pool.Update(ctx, func(s *session.Session) error {
		version, err := db.pool.Engine.Schema(ctx, s.Conn)
		if err != nil || version >= step.Number {
			return err
		}
		if step.SQL == "" {
			err = catalog.Seed(ctx, s, db.seeding)
		} else {
			err = s.Script(ctx, step.SQL)
		}
		if err != nil {
			return err
		}
		return db.pool.Engine.RecordStep(ctx, s.Conn, step)
	})
}
