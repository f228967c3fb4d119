package storetest

import (
	"database/sql"
	"errors"
	"slices"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/store/pg/pgtest"
)

// TestRowsAreShuffled reads rows through the proxy of a compatible server. Without ORDER BY, their order must differ
// from the server's.
func TestRowsAreShuffled(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	f, err := front()
	if errors.Is(err, pgtest.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	server, err := cluster()
	if err != nil {
		t.Fatal(err)
	}
	address, err := f.before(server.URL(serverLogin, server.New(t, "")))
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // nothing was written
	for statement, shuffled := range map[string]bool{
		"SELECT n FROM generate_series(1, 100) n":                                                     true,
		"SELECT n FROM (SELECT n FROM generate_series(1, 100) n ORDER BY n) s WHERE 'ORDER BY' <> ''": true,
		"SELECT n FROM generate_series(1, 100) n WHERE n <> $1 ORDER BY n":                            false,
	} {
		var args []any
		if !shuffled {
			args = append(args, 1000)
		}
		for range 3 { // the statement is prepared once
			numbers := readNumbers(t, db, statement, args)
			if slices.IsSorted(numbers) == shuffled {
				t.Errorf("%s: the rows are %v", statement, numbers)
			}
			if slices.Sort(numbers); len(numbers) != 100 || numbers[0] != 1 || numbers[99] != 100 {
				t.Errorf("%s: not each row once: %v", statement, numbers)
			}
		}
		if _, err := db.ExecContext(t.Context(), "SELECT 1/0"); err == nil {
			t.Error("no error for 1/0")
		}
	}
}

func readNumbers(t *testing.T, db *sql.DB, statement string, args []any) (numbers []int) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), statement, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return numbers
}
