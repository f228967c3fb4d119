package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/store/pg"
)

// dataSource returns the data source name for a separate connection to the file at path.
func dataSource(path string) string {
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "_pragma=busy_timeout(5000)"}).String()
}

// Dump returns the database as text, including the schema and the numbers in the file header: one line per row of each
// table, in order, with all columns as SQL literals.
func (d *Database) Dump(t testing.TB) string {
	t.Helper()
	return Dump(t, d.Path())
}

// Dump returns the database at path as text; see Database.Dump.
func Dump(t testing.TB, path string) string {
	t.Helper()
	text, err := DumpOf(t.Context(), path)
	if err != nil {
		t.Fatalf("dump of %s: %v", path, err)
	}
	return text
}

// DumpOf is like Dump, but returns errors.
func DumpOf(ctx context.Context, path string) (string, error) {
	if pg.IsURL(path) {
		return dumpPostgres(ctx, path)
	}
	db, err := sql.Open("sqlite", dataSource(path))
	if err != nil {
		return "", err
	}
	defer db.Close() //nolint:errcheck // nothing was written
	var lines []string
	add := func(prefix, query string) error {
		found, err := sorted(ctx, db, query)
		for _, line := range found {
			lines = append(lines, prefix+line)
		}
		return err
	}
	for _, pragma := range []string{"application_id", "user_version"} {
		if err := add(pragma+" ", "PRAGMA "+pragma); err != nil {
			return "", err
		}
	}
	if err := add("schema ", "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema"); err != nil {
		return "", err
	}
	tables, err := collect(ctx, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
	if err != nil {
		return "", err
	}
	for _, table := range tables {
		columns, err := collect(ctx, db, fmt.Sprintf("SELECT name FROM pragma_table_info('%s') ORDER BY cid", table))
		if err != nil {
			return "", err
		}
		for i, column := range columns {
			columns[i] = fmt.Sprintf("'%s=' || quote(%q)", column, column)
		}
		if err := add(table+": ", "SELECT "+strings.Join(columns, " || ' ' || ")+" FROM "+table); err != nil {
			return "", err
		}
	}
	return strings.Join(lines, "\n"), nil
}

// maxLine is the maximum length of a changed row in messages, in bytes.
const maxLine = 400

// Unchanged runs the function act. It fails the test if act changes a row of the database. It dumps a SQLite database
// only if act changes its files, because equal files contain equal rows.
func (d *Database) Unchanged(t testing.TB, act func()) {
	t.Helper()
	var lines []string
	if pg.IsURL(d.Path()) {
		before := d.Dump(t)
		act()
		lines = Difference(before, d.Dump(t))
	} else {
		before := readFiles(t, d.Path())
		act()
		if before == readFiles(t, d.Path()) {
			return
		}
		original := filepath.Join(t.TempDir(), "original.db")
		for suffix, content := range map[string]string{"": before.data, "-wal": before.log} {
			if err := os.WriteFile(original+suffix, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		lines = Difference(Dump(t, original), d.Dump(t))
	}
	if len(lines) > 0 {
		for i, line := range lines {
			lines[i] = line[:min(len(line), maxLine)]
		}
		t.Errorf("the database changed:\n%s", strings.Join(lines, "\n"))
	}
}

// files is the content of a SQLite database and of its write-ahead log.
type files struct{ data, log string }

func readFiles(t testing.TB, path string) (f files) {
	t.Helper()
	for suffix, content := range map[string]*string{"": &f.data, "-wal": &f.log} {
		text, err := os.ReadFile(path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		*content = string(text)
	}
	return f
}

// Difference returns the lines that only one of two dumps contains, with the prefix "-" for the first and "+" for the
// second.
func Difference(before, after string) []string {
	if before == after {
		return nil
	}
	count := map[string]int{}
	for line := range strings.SplitSeq(before, "\n") {
		count[line]--
	}
	for line := range strings.SplitSeq(after, "\n") {
		count[line]++
	}
	var lines []string
	for line, n := range count {
		switch {
		case n < 0:
			lines = append(lines, "- "+line)
		case n > 0:
			lines = append(lines, "+ "+line)
		}
	}
	slices.Sort(lines)
	return lines
}
