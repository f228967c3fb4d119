// Package sqlite keeps toolcrib's data in one SQLite file. It implements
// store.Engine: connections and their settings, locking, the schema, the searches
// that use functions of SQLite, and copies of the file. All other SQL is the
// store's.
//
// Writes go through one connection, in BEGIN IMMEDIATE transactions with
// synchronous=FULL; reads through a few query_only connections on snapshots of
// the write-ahead log. Statements are prepared once per connection. Whoever finds
// the file busy waits for half a minute (busy.go) before giving up with
// engine.ErrBusy.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"toolcrib/store/engine"
)

// Driver is the name under which the engine registers itself.
const Driver = "sqlite"

// File is a database file. It is safe for concurrent use.
type File struct {
	Search

	path        string
	info        fs.FileInfo // of the file when it was opened
	frozen      bool        // opened as a file that nobody changes
	busyTimeout time.Duration
	write       *sql.DB
	log         *sql.DB // writes what a power cut may take back
	read        *sql.DB
	audit       *sql.DB
}

// Options are the options for opening a file.
type Options struct {
	Existing bool // open a file that is there, and make none
	Frozen   bool // open a file that nobody changes
	Readers  int  // connections that read, at most
}

// Open makes the file, with mode 0600, if there is none. It is looked into when the
// first connection is opened.
func Open(ctx context.Context, path string, opts Options) (*File, error) {
	if err := errors.Join(registerNear(), createFile(path, opts.Existing)); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, info: info, frozen: opts.Frozen, busyTimeout: busyTimeout}
	if err := f.openPools(opts.Readers); err != nil {
		return nil, err
	}
	if err := f.refuse(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return f, nil
}

// Name returns the path of the file.
func (f *File) Name() string { return f.path }

// Frozen reports whether the file was opened as one that nobody changes.
func (f *File) Frozen() bool { return f.frozen }

// Conn implements store.Engine.
func (f *File) Conn(ctx context.Context, use engine.Use) (c *engine.Conn, err error) {
	switch use {
	case engine.Read:
		return engine.Connect(ctx, f.read)
	case engine.Audit:
		return engine.Connect(ctx, f.audit)
	case engine.Write, engine.Log:
	}
	pool := f.write
	if use == engine.Log {
		pool = f.log
	}
	err = f.retryBusy(ctx, func() error {
		c, err = engine.Connect(ctx, pool)
		return err
	})
	return c, err
}

// Begin implements store.Engine.
func (f *File) Begin(ctx context.Context, c *engine.Conn, use engine.Use) error {
	if use == engine.Read || use == engine.Audit {
		_, err := c.Exec(ctx, "BEGIN")
		return err
	}
	return f.retryBusy(ctx, func() error {
		_, err := c.Exec(ctx, "BEGIN IMMEDIATE")
		return err
	})
}

// Commit implements store.Engine. Other processes look at the file.
func (f *File) Commit(ctx context.Context, c *engine.Conn, _ int64) error {
	_, err := c.Exec(ctx, "COMMIT")
	return err
}

// Promote implements store.Engine: reading the schema is the largest cost of a
// connection, and a command that reads and then writes should pay it once. The
// connection may write last: until then it is a reader.
func (f *File) Promote(ctx context.Context, c *engine.Conn, use engine.Use) (bool, error) {
	if f.frozen {
		return false, nil
	}
	pragmas := writerPragmas()
	if use == engine.Log {
		pragmas = loggerPragmas()
	}
	err := f.retryBusy(ctx, func() error {
		return c.Script(ctx, "PRAGMA "+strings.Join(pragmas, "; PRAGMA ")+"; PRAGMA query_only(0)")
	})
	if err != nil {
		return false, errors.Join(err, c.Script(ctx, "PRAGMA "+waits)) // it stays a reader, which waits
	}
	return true, nil
}

// WhileAudited implements store.Engine: the connection reads the file through
// mapped memory.
func (f *File) WhileAudited(ctx context.Context, c *engine.Conn, fn func() error) error {
	if err := c.Script(ctx, "PRAGMA "+mapped); err != nil {
		return err
	}
	return errors.Join(fn(), c.Script(ctx, "PRAGMA "+unmapped))
}
