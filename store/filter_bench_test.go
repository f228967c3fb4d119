package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// BenchmarkFilters reads the first page of the results of filters for 100,000 different proposals, one in a hundred of
// which has a finding. It reports the 95th percentile of all filters and orders in addition to the mean.
func BenchmarkFilters(b *testing.B) {
	size := 100_000
	if testing.Short() {
		size = 5_000
	}
	db := storetest.New(b)
	for from := 0; from < size; from += 5_000 {
		ps := filterableQueue(5_000)
		for i := range ps {
			n := from + i
			ps[i].Title = fmt.Sprintf("Scene pacer number %d", n)
			ps[i].Summary.Blocks, ps[i].BaseVersion = 0, 0
			if n%1_000 == 0 {
				ps[i].Title += " zeppelin"
				ps[i].State, ps[i].Summary.Blocks, ps[i].BaseVersion = proposals.UserReview, 1, 1
				ps[i].Subject.Layer, ps[i].ChangeSet = registry.ProjectLayer("rare"), "rare set"
			}
		}
		enqueue(b, db, ps...)
	}
	store.Exec(b, db.DB, `UPDATE proposals SET issue = seq WHERE state IN ('draft', 'chief_review', 'user_review', 'needs_changes')`)
	store.Exec(b, db.DB, `INSERT INTO proposal_rules SELECT 'S109', seq FROM proposals WHERE seq % 100 = 0`)
	store.Exec(b, db.DB, `INSERT INTO proposal_rules SELECT 'T100', seq FROM proposals WHERE seq % 2 = 0`)
	for _, text := range []string{
		"#7", "7", "zeppelin", "scene pacer", "scene -pacer", "nowhere", "sc", "state:user_review", "state:draft,rejected", "-state:closed", "agent:scout", "author:ada",
		"tool:tool_2", "layer:project/rare", "layer:project/none", "layer:project", `set:"rare set"`, "type:restore", "rule:S109", "rule:T100", "rule:S999", "stale", "-stale state:open",
		"blocked", "rule:T100 agent:scout", "state:user_review rule:T100 -blocked scene", "rule:S109 zeppelin", "rule:T100 author:ada state:draft nowhere", "stale rule:T100 type:new",
		`rule:T100 "number 9"`, "state:draft state:open -agent:scout -user:ada -chief:ada -agent:tool_3",
	} {
		b.Run(text, func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				q := review.Query{Filter: text, Order: review.Orders()[i%5]}
				start := time.Now()
				list(b, db, q)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
		})
	}
}
