// This file backs up databases, and creates database files that receive the rows of another database.

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/internal/filelock"
	"toolcrib/store/engine"
)

// Backup copies a snapshot of the database to a new file at path, with mode 0600. Other processes can read and write
// the database during the backup. If Backup returns nil, the new file is complete and synced; otherwise, it does not
// exist. Backup never replaces a file: the error wraps fs.ErrExist if the file already exists.
func (f *File) Backup(ctx context.Context, path string) (err error) {
	draft, err := createDraft(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, draft.remove()) }()
	// VACUUM INTO writes the snapshot to the empty file (https://www.sqlite.org/lang_vacuum.html#vacuuminto). It needs
	// a separate connection, because read connections reject writes.
	mode := "rw"
	if f.frozen {
		mode = modeFrozen
	}
	conn, err := openDB(f.path, mode, defaultBusyTimeout)
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "VACUUM INTO ?", draft.Name())
	if err := errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("copy to %s: %w", path, f.Describe(err))
	}
	return draft.publish(path)
}

// draft is an unfinished database file with a temporary name. The process that writes it holds a lock. Other processes
// can therefore recognize the drafts of killed processes. Close all connections to a draft before publishing or
// removing it.
type draft struct {
	*os.File
	unlock func()
}

// The name of a draft begins with draftPrefix. The process that writes the draft locks a second file. The name of this
// file is the name of the draft followed by lockSuffix.
const (
	draftPrefix = ".toolcrib-backup-"
	lockSuffix  = ".lock"
)

// createDraft creates a draft of a new database with mode 0600, in the folder of path. The error wraps fs.ErrExist if
// path already exists.
func createDraft(path string) (*draft, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s: %w; choose a new file", path, fs.ErrExist)
	}
	dir := filepath.Dir(path)
	removeUnfinished(dir)
	file, err := os.CreateTemp(dir, draftPrefix+"*")
	if err != nil {
		return nil, fmt.Errorf("create the copy: %w", err)
	}
	unlock, _, err := filelock.Try(file.Name() + lockSuffix) // held until the process ends or unlock is called
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return &draft{file, unlock}, nil
}

// publish syncs the finished file and links it to path. Unlike a rename, a link never replaces an existing file.
func (d *draft) publish(path string) error {
	if err := d.Sync(); err != nil {
		return err
	}
	if err := os.Link(d.Name(), path); err != nil {
		return fmt.Errorf("rename the copy: %w", err)
	}
	return syncDir(filepath.Dir(path))
}

// remove removes the draft and its lock file. If the draft was published, the published file remains.
func (d *draft) remove() error {
	err := errors.Join(d.Close(), removeFiles(d.Name()))
	d.unlock()
	return errors.Join(err, os.Remove(d.Name()+lockSuffix))
}

// removeFiles removes a database and the files that the engine creates beside it.
func removeFiles(name string) (err error) {
	for _, suffix := range []string{"-journal", "-wal", "-shm", ""} {
		if removed := os.Remove(name + suffix); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	return err
}

// removeUnfinished removes the drafts of killed processes from a folder. It ignores errors, because the files can
// belong to another user.
func removeUnfinished(dir string) {
	entries, _ := os.ReadDir(dir) // a folder can be writable without being readable
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		of, isLock := strings.CutSuffix(name, lockSuffix)
		if !isLock || !strings.HasPrefix(entry.Name(), draftPrefix) {
			continue
		}
		if backup, err := os.Lstat(of); !entry.Type().IsRegular() || err == nil && !backup.Mode().IsRegular() {
			continue
		}
		unlock, held, err := filelock.Try(name)
		if held || err != nil {
			continue // another process is writing the draft, or the draft belongs to another user
		}
		if removeFiles(of) == nil {
			_ = os.Remove(name)
		}
		unlock()
	}
}

// Copy is a database file that receives the rows of another database in a single transaction. Until Finish is
// called, the file is a draft without triggers.
type Copy struct {
	*engine.Conn
	pool  *sql.DB
	path  string // path of the finished database
	draft *draft // nil if the file is an existing database
}

// BeginCopy creates a draft that can receive the rows of another database. The result complete reports whether path
// already exists. In this case, BeginCopy opens the existing file for reading instead.
func BeginCopy(ctx context.Context, path string) (_ *Copy, complete bool, err error) {
	_, err = os.Stat(path)
	switch {
	case err == nil:
		c, err := openCopy(ctx, path, readerPragmas()...)
		return c, true, err
	case !errors.Is(err, fs.ErrNotExist):
		return nil, false, err
	}
	d, err := createDraft(path)
	if err != nil {
		return nil, false, err
	}
	c, err := openCopy(ctx, d.Name(), writerPragmas()...)
	if err != nil {
		return nil, false, errors.Join(err, d.remove())
	}
	c.path, c.draft = path, d
	if err := c.begin(ctx); err != nil {
		return nil, false, errors.Join(err, c.Close())
	}
	return c, false, nil
}

func openCopy(ctx context.Context, file string, pragmas ...string) (*Copy, error) {
	pool, err := openDB(file, "rw", pragmas...)
	if err != nil {
		return nil, err
	}
	conn, err := engine.Connect(ctx, pool)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return &Copy{Conn: conn, pool: pool}, nil
}

// begin begins the transaction and creates the tables, without triggers and without shipped definitions.
func (c *Copy) begin(ctx context.Context) error {
	all := steps()
	if err := c.Script(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, step := range all {
		if step.Number == seedStep {
			continue // the rows come from the source
		}
		if err := c.Script(ctx, step.SQL); err != nil {
			return fmt.Errorf("migration %d: %w", step.Number, err)
		}
	}
	triggers, err := c.Strings(ctx, "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
	if err != nil {
		return err
	}
	for _, name := range triggers {
		if err := c.Script(ctx, "DROP TRIGGER "+name); err != nil {
			return err
		}
	}
	return nil
}

// Finish completes the copy and links the file to its final path. It also fills the text index of proposals, the
// subjects of statements, and the sizes of live definitions. In databases that are not copies, triggers and
// migrations fill these tables.
func (c *Copy) Finish(ctx context.Context) error {
	schema, err := freshSchema()
	if err != nil {
		return err
	}
	for _, fill := range []string{
		`INSERT INTO proposals_text (rowid, body)
			SELECT seq, subject || char(10) || title || char(10) || author || char(10) || change_set || char(10, 10) FROM proposals ORDER BY seq`,
		"INSERT OR IGNORE INTO signed_subjects (signature, about) SELECT signature, about FROM signed_about WHERE about IS NOT NULL",
		"UPDATE live SET size = (SELECT octet_length(definition) FROM versions v WHERE v.subject = live.subject AND v.number = live.version)",
	} {
		if err := c.Script(ctx, fill); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schema)) {
		if !strings.HasPrefix(name, "trigger ") {
			continue
		}
		if err := c.Script(ctx, schema[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	err = c.Script(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)", applicationID, SchemaVersion()))
	if err := errors.Join(err, c.closePool()); err != nil {
		return err
	}
	return c.draft.publish(c.path)
}

func (c *Copy) closePool() error {
	if c.pool == nil {
		return nil
	}
	err := errors.Join(c.Conn.Close(), c.pool.Close())
	c.pool = nil
	return err
}

// Close closes the file. It removes a copy that was not finished.
func (c *Copy) Close() error {
	err := c.closePool()
	if c.draft != nil {
		err = errors.Join(err, c.draft.remove())
	}
	return err
}
