package store

import (
	"database/sql"
	"errors"
)

// openPools makes the pools of connections: one that writes, one that writes
// what a power cut may take back, and readers. No connection is opened yet.
func (db *DB) openPools(readers int) error {
	write, log := writerPragmas(), []string{asks, "journal_mode(WAL)", "synchronous(NORMAL)"}
	if db.frozen {
		write, log = readerPragmas(), readerPragmas()
	}
	var errs [3]error
	db.write, errs[0] = db.openPool(1, write)
	db.log, errs[1] = db.openPool(1, log)
	db.read, errs[2] = db.openReaders(readers + 1) // one may become the writer
	if err := errors.Join(errs[:]...); err != nil {
		return errors.Join(err, db.closePools())
	}
	return nil
}

// openReaders makes a pool of reading connections, most of them at a time.
func (db *DB) openReaders(most int) (*sql.DB, error) {
	return db.openPool(most, readerPragmas())
}

func (db *DB) openPool(most int, pragmas []string) (*sql.DB, error) {
	mode := "rw"
	if db.frozen {
		mode = modeFrozen
	}
	name, err := dsn(db.path, mode, pragmas...)
	if err != nil {
		return nil, err
	}
	pool, err := sql.Open(driver, name)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(most)
	return pool, nil
}

// closePools closes those of the pools that there are.
func (db *DB) closePools() error {
	var errs []error
	for _, pool := range []*sql.DB{db.read, db.log, db.write} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}
