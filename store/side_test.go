package store_test

import (
	"database/sql"
	"fmt"
	"sync"
	"testing"

	"toolcrib/history"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// TestVerifyWhileOthersWrite verifies a snapshot with several sessions while other connections write and checkpoint. An
// undamaged database must never be reported as damaged.
func TestVerifyWhileOthersWrite(t *testing.T) {
	db := full(t)
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	checkpoints, err := sql.Open("sqlite", db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer checkpoints.Close() //nolint:errcheck // it only moves what is written
	stop := busy(t, db, desk, func(n int) {
		if n%3 == 0 {
			mode := []string{"PASSIVE", "RESTART", "TRUNCATE"}[n/3%3]
			// A checkpoint fails if it would have to wait for a reader.
			_, _ = checkpoints.ExecContext(t.Context(), "PRAGMA wal_checkpoint("+mode+")")
		}
	})
	for range 20 / min(stride, 10) {
		var report history.Report
		err := db.Audit(t.Context(), func(l history.Ledger) error {
			var err error
			report, err = history.Verify(t.Context(), l, history.Options{Deep: true})
			return err
		})
		if err != nil || len(report.Damage) > 0 {
			t.Errorf("%+v, %v", report.Damage, err)
			break
		}
	}
	stop()
}

// busy approves proposals in a loop, and calls also with the number of each, until it is stopped.
func busy(t *testing.T, db *storetest.Database, desk *service.Desk, also func(n int)) (stop func()) {
	t.Helper()
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			default:
				db.Approved(t, desk, ada, storetest.Prompt(fmt.Sprintf("busy_%d", n)))
				also(n)
			}
		}
	})
	return func() {
		close(done)
		writer.Wait()
	}
}
