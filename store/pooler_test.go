package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"toolcrib/review"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
)

// TestPooler uses a database through pgbouncer in transaction mode, which rejects search_path as a startup parameter
// and prepared statements, and uses a different server connection for each transaction (C69). 60 users of the database
// share five connections.
func TestPooler(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Shared(t)
	through := cluster.Pooler(t, 5)
	db := openOn(t, cluster, through)
	policy := review.Policy{Severities: storetest.BasicSeverities()}
	desk := db.Desk(t, policy)
	db.Approved(t, desk, ada, storetest.Prompt("first"))
	var all errgroup.Group
	for i := range 60 {
		other := storetest.Open(t, db.Path())
		all.Go(func() error {
			for range 3 {
				if err := other.View(t.Context(), func(r review.Reader) error {
					_, err := r.List(t.Context(), review.Query{Limit: 1})
					return err
				}); err != nil {
					return fmt.Errorf("process %d: %w", i, err)
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	db.Wait(ctx, 0, time.Millisecond) // the pooler does not forward notifications, so this polls
	if ctx.Err() != nil {
		t.Error("Wait waits for a notification")
	}
	db.Approved(t, desk, ada, storetest.Prompt("second"))
	if report := verify(t, db); len(report.Damage) > 0 {
		t.Errorf("damage: %+v", report.Damage)
	}
}
