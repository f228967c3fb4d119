package store_test

import (
	"fmt"
	"sync"
	"testing"

	"toolcrib/history"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestVerifyWhileOthersWrite looks at one snapshot with several sessions: what
// is written meanwhile never makes a sound database look damaged.
func TestVerifyWhileOthersWrite(t *testing.T) {
	db := full(t)
	desk := db.Desk(t, review.Policy{Severities: storetest.Basics()})
	stop := busy(t, db, desk, func(int) {})
	for range 20 / min(stride, 10) {
		var report history.Report
		err := db.Audit(t.Context(), func(l history.Ledger) error {
			var err error
			report, err = history.Verify(t.Context(), l, nil)
			return err
		})
		if err != nil || len(report.Damage) > 0 {
			t.Errorf("%+v, %v", report.Damage, err)
			break
		}
	}
	stop()
}

// busy approves one proposal after the other, each followed by also with its
// number, until it is stopped.
func busy(t *testing.T, db *storetest.Database, desk *review.Desk, also func(n int)) (stop func()) {
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
