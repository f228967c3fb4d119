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

// Backup writes a copy of the database, from one snapshot, to a new file at path with mode 0600. Other processes can
// read and write during the backup. If Backup returns nil, the file is complete and synced; otherwise it does not
// exist. Backup never replaces a file: the error wraps fs.ErrExist if the file exists.
func (f *File) Backup(ctx context.Context, path string) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w; name a new file", path, fs.ErrExist)
	}
	dir := filepath.Dir(path)
	removeUnfinished(dir)
	temporary, err := os.CreateTemp(dir, backupPrefix+"*") // has mode 0600
	if err != nil {
		return fmt.Errorf("create the copy: %w", err)
	}
	unlock, _, err := filelock.Try(temporary.Name() + lockSuffix) // until the process ends
	if err != nil {
		return errors.Join(err, temporary.Close(), os.Remove(temporary.Name()))
	}
	defer func() {
		unlock()
		err = errors.Join(err, os.Remove(temporary.Name()+lockSuffix))
	}()
	defer func() {
		if rest := os.Remove(temporary.Name()); rest != nil && !errors.Is(rest, fs.ErrNotExist) {
			err = errors.Join(err, rest)
		}
	}()
	defer func() { err = errors.Join(err, temporary.Close()) }()
	// The engine writes the snapshot to the empty file (https://www.sqlite.org/lang_vacuum.html#vacuuminto). This
	// requires a separate connection, because read connections cannot write.
	mode := "rw"
	if f.frozen {
		mode = modeFrozen
	}
	source, err := dsn(f.path, mode, defaultBusyTimeout)
	if err != nil {
		return err
	}
	conn, err := sql.Open(Driver, source)
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "VACUUM INTO ?", temporary.Name())
	if err := errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("copy to %s: %w", path, f.Describe(err))
	}
	if err := temporary.Sync(); err != nil {
		return err
	}
	// Unlike a rename, a link does not replace an existing file.
	if err := os.Link(temporary.Name(), path); err != nil {
		return fmt.Errorf("name the copy: %w", err)
	}
	return syncDir(dir)
}

// An unfinished backup has the prefix backupPrefix. The process that writes it locks a file with the additional suffix
// lockSuffix.
const (
	backupPrefix = ".toolcrib-backup-"
	lockSuffix   = ".lock"
)

// removeUnfinished removes the unfinished backups of killed processes from a folder. It ignores other files with such
// names, and files that it cannot remove, because they may belong to another user.
func removeUnfinished(dir string) {
	entries, _ := os.ReadDir(dir) // it may be possible to write to a folder that cannot be listed
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		of, isLock := strings.CutSuffix(name, lockSuffix)
		if !isLock || !strings.HasPrefix(entry.Name(), backupPrefix) {
			continue
		}
		if backup, err := os.Lstat(of); !entry.Type().IsRegular() || err == nil && !backup.Mode().IsRegular() {
			continue
		}
		unlock, held, err := filelock.Try(name)
		if held || err != nil {
			continue // another process is writing it, or it belongs to another user
		}
		if err := os.Remove(of); err == nil || errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(of + "-journal") // of VACUUM
			_ = os.Remove(name)
		}
		unlock()
	}
}

// Copy is a database file that receives the rows of another database. Until it is complete, its name ends in
// copySuffix, and it has no triggers and a table that identifies the source.
type Copy struct {
	*engine.Conn
	pool *sql.DB
	path string // of the final database; "" when complete
}

// copySuffix is the suffix of an unfinished copy.
const copySuffix = ".copy"

// BeginCopy prepares a file to receive the rows of another database, which is identified by the hash of its first
// event. If path already exists, BeginCopy opens it for reading.
func BeginCopy(ctx context.Context, path, genesis string) (*Copy, engine.CopyState, error) {
	_, err := os.Stat(path)
	switch {
	case err == nil:
		c, err := openCopy(ctx, path, "", readerPragmas()...)
		return c, engine.CopyComplete, err
	case !errors.Is(err, fs.ErrNotExist):
		return nil, 0, err
	}
	if err := createFile(path+copySuffix, false); err != nil {
		return nil, 0, err
	}
	c, err := openCopy(ctx, path+copySuffix, path, writerPragmas()...)
	if err != nil {
		return nil, 0, err
	}
	state, err := c.begin(ctx, genesis)
	if err != nil {
		return nil, 0, errors.Join(err, c.Close())
	}
	return c, state, nil
}

func openCopy(ctx context.Context, file, path string, pragmas ...string) (*Copy, error) {
	name, err := dsn(file, "rw", pragmas...)
	if err != nil {
		return nil, err
	}
	pool, err := sql.Open(Driver, name)
	if err != nil {
		return nil, err
	}
	conn, err := engine.Connect(ctx, pool)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return &Copy{Conn: conn, pool: pool, path: path}, nil
}

// begin creates the tables in one transaction, unless they already exist.
func (c *Copy) begin(ctx context.Context, genesis string) (engine.CopyState, error) {
	var tables int
	if err := c.Row(ctx, "SELECT count(*) FROM sqlite_schema", nil, &tables); err != nil {
		return 0, err
	}
	if tables > 0 {
		var of string
		if err := c.Row(ctx, "SELECT genesis FROM unfinished_copy", nil, &of); err != nil {
			return 0, fmt.Errorf("%s%s: %w", c.path, copySuffix, err)
		}
		if of != genesis {
			return 0, fmt.Errorf("%w: remove %s%s, or name another file", engine.ErrOtherCopy, c.path, copySuffix)
		}
		return engine.CopyResumed, nil
	}
	all, err := steps()
	if err != nil {
		return 0, err
	}
	return engine.CopyBegun, c.within(ctx, func() error {
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
		if err := c.Script(ctx, "CREATE TABLE unfinished_copy (genesis TEXT NOT NULL) STRICT"); err != nil {
			return err
		}
		_, err = c.Exec(ctx, "INSERT INTO unfinished_copy VALUES ($1)", genesis)
		return err
	})
}

// within runs fn in a transaction.
func (c *Copy) within(ctx context.Context, fn func() error) error {
	if err := c.Script(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := fn(); err != nil {
		return errors.Join(err, c.Script(ctx, "ROLLBACK"))
	}
	return c.Script(ctx, "COMMIT")
}

// Add inserts rows with a statement, in a separate transaction.
func (c *Copy) Add(ctx context.Context, statement string, rows [][]any) error {
	return c.within(ctx, func() error {
		for _, row := range rows {
			if _, err := c.Exec(ctx, statement, row...); err != nil {
				return err
			}
		}
		return nil
	})
}

// Finish completes the copy and renames it to its final path. It fills the text index of the queue, the subjects of
// statements, and the sizes of live definitions, which triggers and migrations fill in other databases.
func (c *Copy) Finish(ctx context.Context) error {
	schema, err := freshSchema()
	if err != nil {
		return err
	}
	err = c.within(ctx, func() error {
		_, err := c.Exec(ctx, `INSERT INTO proposals_text (rowid, body)
			SELECT seq, subject || char(10) || title || char(10) || author || char(10) || change_set || char(10, 10) FROM proposals ORDER BY seq`)
		if err != nil {
			return err
		}
		if _, err := c.Exec(ctx, "INSERT OR IGNORE INTO signed_subjects (signature, about) SELECT signature, about FROM signed_about WHERE about IS NOT NULL"); err != nil {
			return err
		}
		if _, err := c.Exec(ctx, "UPDATE live SET size = (SELECT octet_length(definition) FROM versions v WHERE v.subject = live.subject AND v.number = live.version)"); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(schema)) {
			if !strings.HasPrefix(name, "trigger ") {
				continue
			}
			if err := c.Script(ctx, schema[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return c.Script(ctx, fmt.Sprintf("DROP TABLE unfinished_copy; PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, SchemaVersion()))
	})
	if err != nil {
		return err
	}
	if err := c.Script(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return err
	}
	file, path := c.path+copySuffix, c.path
	if err := c.Close(); err != nil {
		return err
	}
	if err := os.Link(file, path); err != nil { // unless the file was created in the meantime
		return fmt.Errorf("the copy is complete in %s: %w", file, err)
	}
	return errors.Join(os.Remove(file), syncDir(filepath.Dir(path)))
}

// Abandon closes and removes the copy.
func (c *Copy) Abandon() error {
	file := c.path + copySuffix
	err := c.Close()
	for _, name := range []string{file + "-wal", file + "-shm", file} {
		if removed := os.Remove(name); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	return err
}

// Close closes an unfinished copy.
func (c *Copy) Close() error {
	if c.pool == nil {
		return nil
	}
	err := errors.Join(c.Conn.Close(), c.pool.Close())
	c.pool = nil
	return err
}
