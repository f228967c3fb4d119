package store

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/review"
	"toolcrib/store/engine"
	"toolcrib/store/pg"
	"toolcrib/store/sqlite"
)

// Open opens the database that a name means: the URL of a PostgreSQL server, or the
// path of a SQLite file. A file is migrated as needed and created, with mode 0600,
// unless opts say otherwise; its folder has to be there. A server has its schema
// from Migrate. Open returns an error that wraps review.ErrTampered when a core
// tool is not what the program ships, and ErrNewer when a newer toolcrib wrote the
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
	if sqlite.UnwritableFolder(err) && !sqlite.Unread(name) {
		return openFile(ctx, name, opts, true)
	}
	return db, err
}

// IsURL reports whether a name is that of a database on a server.
func IsURL(name string) bool { return pg.IsURL(name) }

// Login returns the login by which toolcrib connects to a database, "" for a file,
// which has none.
func Login(name string) (string, error) {
	if !pg.IsURL(name) {
		return "", nil
	}
	return pg.Login(name)
}

// DisplayName returns the name of a database as it may be shown, without a
// password.
func DisplayName(name string) string {
	if pg.IsURL(name) {
		return pg.Redacted(name)
	}
	return name
}

func openFile(ctx context.Context, path string, opts Options, frozen bool) (*DB, error) {
	file, err := sqlite.Open(ctx, path, sqlite.Options{Existing: opts.Existing, Frozen: frozen, Readers: readers()})
	if err != nil {
		return nil, err
	}
	return open(ctx, file, opts)
}

func open(ctx context.Context, e Engine, opts Options) (*DB, error) {
	db := use(e, opts)
	err := db.prepare(ctx)
	if errors.Is(err, review.ErrTampered) && opts.Inspect {
		err = nil
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", e.Name(), err), db.Close())
	}
	return db, nil
}

// Migrate creates the roles and the schema of toolcrib on the PostgreSQL server of a
// URL, whose login has to be allowed to, and returns the numbers of the steps that
// were missing.
func Migrate(ctx context.Context, url string, opts Options) (done []int, err error) {
	server, err := pg.Open(url)
	if err != nil {
		return nil, err
	}
	db := use(server, opts)
	defer func() { err = errors.Join(err, db.Close()) }()
	s, err := db.newSession(ctx, engine.Write)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	done, err = server.Migrate(ctx, s.Conn, func(ctx context.Context) error { return seed(ctx, db, s) })
	return done, db.engine.Describe(err)
}
