package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"toolcrib/internal/shortrun"
	"toolcrib/review"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
)

// TestWaitHearsOtherProcesses waits for up to an hour. The commit of another process must end the wait, even after its
// connection has ended.
func TestWaitHearsOtherProcesses(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	cluster := pgtest.Private(t, pgtest.Options{})
	db := openOn(t, cluster, nil)
	other := storetest.Open(t, db.Path())
	desk := other.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	told := db.Wait(t.Context(), 0, time.Hour) // waits until it listens
	for _, id := range []string{"first", "second"} {
		other.Approved(t, desk, ada, storetest.Prompt(id))
		told = heard(t, db, told)
	}
	conn, err := pgx.Connect(t.Context(), cluster.URL(pgtest.Superuser, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // nothing is written
	for _, id := range []string{"third", "fourth"} {
		before := listener(t, conn, 0)
		if _, err := conn.Exec(t.Context(), "SELECT pg_terminate_backend($1)", before); err != nil {
			t.Fatal(err)
		}
		listener(t, conn, before)
		for next := db.Wait(t.Context(), told, 0); next != told; next = db.Wait(t.Context(), told, 0) {
			told = next // a delayed earlier notification
		}
		other.Approved(t, desk, ada, storetest.Prompt(id))
		told = heard(t, db, told)
	}
}

// TestWaitHearsOtherFiles waits for up to an hour. The commit of another connection to the same file must end the wait.
func TestWaitHearsOtherFiles(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	other := storetest.Open(t, db.Path())
	desk := other.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	told := db.Wait(t.Context(), 0, time.Hour) // waits until it listens
	other.Approved(t, desk, ada, storetest.Prompt("first"))
	heard(t, db, told)
}

// listener waits until the server process that listens is different from before, and returns it.
func listener(t *testing.T, conn *pgx.Conn, before int) int {
	t.Helper()
	for {
		var pid int
		err := conn.QueryRow(t.Context(), "SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND state = 'idle' AND pid <> $1", before).Scan(&pid)
		if err != nil {
			t.Fatal(err)
		}
		if pid != 0 {
			return pid
		}
	}
}

// heard waits until there is a notification after seen.
func heard(t *testing.T, db *storetest.Database, seen int64) int64 {
	t.Helper()
	told := db.Wait(t.Context(), seen, time.Hour)
	if told == seen {
		t.Fatal("nothing was told within an hour")
	}
	return told
}

// TestWaitEnds checks that Wait returns after the timeout, and when the context is canceled.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	told := db.Wait(t.Context(), 0, time.Millisecond)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	db.Wait(ctx, told, time.Hour)
}
