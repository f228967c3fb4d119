//go:build unix

package crash

import (
	"context"
	"database/sql"
	"fmt"

	_ "modernc.org/sqlite" // the engine of toolcrib
)

// unsyncedLoop adds rows to the database at path, one per transaction, without syncing
// the log, and acknowledges each. It is the control of TestPowerCuts: if the test does
// not detect lost rows, it could not detect lost approvals.
func unsyncedLoop(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS acknowledged (n INTEGER PRIMARY KEY)"); err != nil {
		return err
	}
	for n := 1; ; n++ {
		if _, err := db.ExecContext(ctx, "INSERT INTO acknowledged VALUES (?)", n); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// unsyncedRows counts the remaining rows in the control's database.
func unsyncedRows(ctx context.Context, path string) (int, error) {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return 0, err
	}
	defer db.Close() //nolint:errcheck // nothing was written
	var tables, n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil || tables == 0 {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM acknowledged").Scan(&n)
	return n, err
}
