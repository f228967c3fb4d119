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
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				db.Approved(t, desk, ada, storetest.Prompt(fmt.Sprintf("busy_%d", i)))
			}
		}
	})
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
	close(stop)
	writer.Wait()
}
