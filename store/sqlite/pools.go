package sqlite

import (
	"database/sql"
	"errors"
)

// openPools makes the pools of connections: one that writes, one that writes
// what a power cut may take back, and readers. No connection is opened yet.
func (f *File) openPools(readers int) error {
	write, log := writerPragmas(), loggerPragmas()
	if f.frozen {
		write, log = readerPragmas(), readerPragmas()
	}
	var errs [4]error
	f.write, errs[0] = f.openPool(1, write)
	f.log, errs[1] = f.openPool(1, log)
	f.read, errs[2] = f.openPool(readers+2, readerPragmas()) // one may become the writer, one the logger
	f.audit, errs[3] = f.openPool(readers+1, append(readerPragmas(), mapped))
	if err := errors.Join(errs[:]...); err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

func (f *File) openPool(most int, pragmas []string) (*sql.DB, error) {
	mode := "rw"
	if f.frozen {
		mode = modeFrozen
	}
	name, err := dsn(f.path, mode, pragmas...)
	if err != nil {
		return nil, err
	}
	pool, err := sql.Open(Driver, name)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(most)
	return pool, nil
}

// writerPragmas returns what the writing connection is set to.
func writerPragmas() []string {
	return []string{asks, "journal_mode(WAL)", "synchronous(FULL)", "temp_store(MEMORY)", "cache_size(-16384)"}
}

// loggerPragmas returns what the connection is set to that writes what a power cut may
// take back.
func loggerPragmas() []string {
	return []string{asks, "journal_mode(WAL)", "synchronous(NORMAL)"}
}

// readerPragmas returns what a reading connection is set to.
func readerPragmas() []string { return []string{waits, "query_only(1)"} }

// mapped has a connection read the file through mapped memory, up to the 2 GB that
// the engine allows. Verification reads every page several times, and a system
// call for a read takes longer than most work on the page. The price is that a
// disk that fails under it ends the process (https://sqlite.org/mmap.html).
const (
	mapped   = "mmap_size(2147418112)"
	unmapped = "mmap_size(0)"
)

// Close closes the pools.
func (f *File) Close() error {
	var errs []error
	for _, pool := range []*sql.DB{f.audit, f.read, f.log, f.write} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}
