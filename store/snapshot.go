package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"toolcrib/store/audit"
	"toolcrib/store/pages"
)

// snapshot is what a session sees, as pages.
type snapshot struct {
	*audit.Audit
	file  *pages.File
	facts audit.Facts
	asks  bool // pages may be asked of the session
}

// maxKeptPages bounds the pages that are taken from the engine before the others
// are read, 64 MB of them at the usual size. Where the log has more, each is
// asked for when its turn comes.
const maxKeptPages = 1 << 14

// snapshot describes what a session sees, which is in a transaction that has
// read something. Pages that the log beside the file may have newer are the
// engine's to give; pages.Logged says why all others can be read from the file.
func (l Ledger) snapshot(ctx context.Context, s *session) (*snapshot, error) {
	var mode string
	var count, size int64
	err := s.row(ctx, "SELECT journal_mode, page_count, page_size FROM pragma_journal_mode, pragma_page_count, pragma_page_size", nil, &mode, &count, &size)
	if err != nil {
		return nil, err
	}
	if mode != "wal" && !l.db.frozen || count > maxPages {
		return nil, fmt.Errorf("a file of %d pages with journal mode %s is not read by pages", count, mode)
	}
	tables, err := audit.Describe(ctx, s.each)
	if err != nil {
		return nil, err
	}
	found := &snapshot{Audit: audit.New(tables, seals())}
	if found.facts, err = s.facts(ctx); err != nil {
		return nil, err
	}
	logged, err := l.db.logged(int(size))
	if err != nil {
		return nil, err
	}
	handle, err := l.db.shared.open(l.db.path)
	if err != nil {
		return nil, err
	}
	found.asks = len(logged) > maxKeptPages
	engine, err := s.pages(ctx, logged, uint32(count), found.asks)
	if err != nil {
		return nil, err
	}
	found.file, err = pages.Open(handle, uint32(count), logged, engine)
	return found, err
}

// maxPages is how many pages a file can have
// (https://www.sqlite.org/limits.html).
const maxPages = 0xfffffffe

// logged returns the pages that the log beside the file may have.
func (db *DB) logged(pageSize int) (map[uint32]bool, error) {
	if db.frozen {
		return nil, nil
	}
	f, err := os.Open(db.path + "-wal") // no locks are held on a log, so it may be closed again
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	logged, err := pages.Logged(f, pageSize)
	return logged, errors.Join(err, f.Close())
}

// pages returns a function that gives pages as the session sees them. They are
// read beforehand, unless they are to be asked for one by one.
func (s *session) pages(ctx context.Context, logged map[uint32]bool, count uint32, asks bool) (func(uint32) ([]byte, error), error) {
	read := func(page uint32) ([]byte, error) {
		var b []byte
		err := s.row(ctx, "SELECT data FROM sqlite_dbpage WHERE pgno = ?", []any{page}, &b)
		return b, err
	}
	if asks {
		var one sync.Mutex
		return func(page uint32) ([]byte, error) {
			one.Lock()
			defer one.Unlock()
			return read(page)
		}, nil
	}
	kept := map[uint32][]byte{}
	for page := range logged {
		if page == 0 || page > count {
			continue
		}
		b, err := read(page)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, err
		}
		kept[page] = b
	}
	return func(page uint32) ([]byte, error) { return kept[page], nil }, nil
}

// facts reads what an audit compares pages with.
func (s *session) facts(ctx context.Context) (audit.Facts, error) {
	f := audit.Facts{Core: map[string]bool{}, Counters: map[string]int64{}}
	core, err := all(ctx, s, scanString, "SELECT id FROM core")
	if err != nil {
		return f, err
	}
	for _, id := range core {
		f.Core[id] = true
	}
	if f.Imports, err = all(ctx, s, scanString, "SELECT id FROM imports"); err != nil {
		return f, err
	}
	return f, s.each(ctx, "SELECT state, n FROM counters", nil, func(row scanner) error {
		var state string
		var n int64
		err := row.Scan(&state, &n)
		f.Counters[state] = n
		return err
	})
}

// columnsOf takes a list of columns apart.
func columnsOf(list string) []string {
	columns := strings.Split(list, ",")
	for i, c := range columns {
		columns[i] = strings.TrimSpace(c)
	}
	return columns
}
