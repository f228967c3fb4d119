package pages_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"toolcrib/store/pages"
)

// tree is a tree that build made: what the engine says is in it.
type tree struct {
	root    uint32
	rowid   bool
	content []string // rows or entries, in order
}

// build writes a database with what the format knows: rows beyond a page, pages
// that became free, numbers of every size, tables without rowids.
func build(tb testing.TB, pageSize, rows int) (path string, trees map[string]tree) {
	tb.Helper()
	path = filepath.Join(tb.TempDir(), "built.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it was read only
	db.SetMaxOpenConns(1)
	do := func(query string, args ...any) {
		tb.Helper()
		if _, err := db.ExecContext(tb.Context(), query, args...); err != nil {
			tb.Fatalf("%s: %v", query, err)
		}
	}
	do(fmt.Sprintf("PRAGMA page_size = %d", pageSize))
	do("CREATE TABLE plain (n INTEGER PRIMARY KEY, a TEXT, b INTEGER, c BLOB)")
	do("CREATE INDEX plain_by_a ON plain (a, b)")
	do("CREATE TABLE keyed (k TEXT, m INTEGER, v TEXT, PRIMARY KEY (m, k)) WITHOUT ROWID")
	random := rand.New(rand.NewPCG(1, uint64(pageSize)))
	do("BEGIN")
	for i := range rows {
		size := random.IntN(60)
		if i%17 == 0 {
			size = random.IntN(3 * pageSize)
		}
		text := strings.Repeat(fmt.Sprintf("%08x ", random.Uint32()), size/9+1)[:size]
		number := int64(random.Uint64()) >> random.IntN(64)
		do("INSERT OR REPLACE INTO plain VALUES (?, ?, ?, ?)", int64(random.Uint32())-1<<20, text, number, []byte(text))
		do("INSERT OR REPLACE INTO keyed VALUES (?, ?, ?)", text, number%100, "x")
	}
	do("DELETE FROM plain WHERE n % 3 = 0")
	do("COMMIT")
	trees = map[string]tree{}
	for name, query := range map[string]string{
		"plain":      "SELECT n || '|' || quote(a) || quote(b) || quote(c) FROM plain NOT INDEXED ORDER BY n",
		"plain_by_a": "SELECT quote(a) || quote(b) || quote(n) FROM plain ORDER BY a, b, n",
		"keyed":      "SELECT quote(m) || quote(k) || quote(v) FROM keyed ORDER BY m, k",
	} {
		t := tree{rowid: name == "plain"}
		if err := db.QueryRowContext(tb.Context(), "SELECT rootpage FROM sqlite_schema WHERE name = ?", name).Scan(&t.root); err != nil {
			tb.Fatal(err)
		}
		t.content = lines(tb, db, query)
		trees[name] = t
	}
	return path, trees
}

func lines(tb testing.TB, db *sql.DB, query string) []string {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), query)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			tb.Fatal(err)
		}
		all = append(all, line)
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return all
}

// open reads a file that has no log.
func open(tb testing.TB, image []byte) (*pages.File, error) {
	tb.Helper()
	size := 1
	if len(image) > 18 {
		size = max(int(image[16])<<8|int(image[17]), 1)
	}
	if size == 1 {
		size = 1 << 16
	}
	return pages.Open(bytes.NewReader(image), uint32(len(image)/size), nil, nil)
}

// read returns what is in a tree, written as build's queries write it.
func read(f *pages.File, root uint32, rowid bool) ([]string, error) {
	what := f.Index
	if rowid {
		what = f.Table
	}
	t, err := what(root)
	if err != nil {
		return nil, err
	}
	var content []string
	r := f.NewReader()
	var record pages.Record
	for _, run := range t.Runs() {
		err := r.Each(run, func(n int64, payload []byte) error {
			if err := record.Parse(payload); err != nil {
				return err
			}
			line := ""
			for i, v := range record.Values {
				if rowid && i == 0 {
					line += fmt.Sprintf("%d|", n)
					continue
				}
				line += quote(v)
			}
			content = append(content, line)
			return nil
		})
		if err != nil {
			return content, err
		}
	}
	return content, nil
}

// quote writes a value as the engine's function of the same name.
func quote(v pages.Value) string {
	switch v.Kind() {
	case pages.Null:
		return "NULL"
	case pages.Integer:
		return fmt.Sprint(v.Int())
	case pages.Blob:
		return fmt.Sprintf("X'%X'", v.Body)
	default:
		return "'" + strings.ReplaceAll(string(v.Body), "'", "''") + "'"
	}
}

func image(tb testing.TB, path string) []byte {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
