package store_test

import (
	"fmt"
	"strconv"
	"testing"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// BenchmarkQueue measures the operations of users and scripts with 100, 10,000, and 100,000 stored proposals. Their
// cost must not depend on that number.
func BenchmarkQueue(b *testing.B) {
	for _, size := range []int{100, 10_000, 100_000} {
		if testing.Short() && size > 10_000 {
			continue
		}
		db := storetest.New(b)
		early := dataset(b, db, size)
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.Run("Propose", func(b *testing.B) { benchmarkPropose(b, db) })
			b.Run("Approve", func(b *testing.B) { benchmarkApprove(b, db, 1) })
			b.Run("Approve1000", func(b *testing.B) { benchmarkApprove(b, db, 1000) })
			b.Run("Show", func(b *testing.B) { benchmarkShow(b, db) })
			benchmarkList(b, db, early)
		})
	}
}

// dataset fills a queue with typical old proposals: nine in ten are decided, and one in a thousand has a rare word in its
// title. It returns a proposal that precedes the last page of a list.
func dataset(b *testing.B, db *storetest.Database, size int) (early proposals.ID) {
	b.Helper()
	const batch = 5_000
	for from := 0; from < size; from += batch {
		ps := make([]proposals.Proposal, min(batch, size-from))
		for i := range ps {
			n := from + i
			ps[i] = proposals.Proposal{
				Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: fmt.Sprintf("tool_%d", n%977)},
				Title:   fmt.Sprintf("Scene pacer number %d", n), State: proposals.Approved, Author: ada, ContentHash: strconv.Itoa(n),
			}
			if n%10 == 0 {
				ps[i].State = proposals.UserReview
			}
			if n%7 == 0 {
				ps[i].Author = proposals.Actor{Kind: proposals.Agent, Name: fmt.Sprintf("scout%d", n%50)}
			}
			if n%1000 == 0 {
				ps[i].Title += " zeppelin"
			}
		}
		ps = enqueue(b, db, ps...)
		if from == 0 {
			early = ps[review.DefaultPage].ID
		}
	}
	return early
}

func benchDesk(b *testing.B, db *storetest.Database) *service.Desk {
	b.Helper()
	return db.Desk(b, review.Policy{Severities: storetest.BasicSeverities()})
}

// fresh proposes new tools and returns them as choices.
func fresh(b *testing.B, db *storetest.Database, desk *service.Desk, n int) []review.Choice {
	b.Helper()
	drafts := make([]proposals.Draft, n)
	for i := range drafts {
		id := db.NewID()
		drafts[i] = storetest.Prompt("tool_" + id[len(id)-12:])
	}
	return storetest.ProposeChoices(b, desk, ada, drafts...)
}

func benchmarkPropose(b *testing.B, db *storetest.Database) {
	b.Helper()
	desk := benchDesk(b, db)
	for b.Loop() {
		fresh(b, db, desk, 1)
	}
}

func benchmarkApprove(b *testing.B, db *storetest.Database, together int) {
	b.Helper()
	desk := benchDesk(b, db)
	var waiting []review.Choice
	for b.Loop() {
		if len(waiting) < together {
			b.StopTimer()
			waiting = append(waiting, fresh(b, db, desk, max(together, 100))...)
			b.StartTimer()
		}
		if _, err := desk.Deciding.Approve(b.Context(), ada, waiting[:together], ""); err != nil {
			b.Fatal(err)
		}
		waiting = waiting[together:]
	}
}

func benchmarkShow(b *testing.B, db *storetest.Database) {
	b.Helper()
	desk := benchDesk(b, db)
	p := fresh(b, db, desk, 1)[0]
	for b.Loop() {
		if _, err := desk.Reading.Show(b.Context(), ada, p.ID); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkList(b *testing.B, db *storetest.Database, early proposals.ID) {
	b.Helper()
	desk := benchDesk(b, db)
	for _, q := range []struct {
		name  string
		query review.Query
	}{
		{"first page", review.Query{}},
		{"last page", review.Query{After: string(early)}},
		{"state", review.Query{State: proposals.UserReview}},
		{"author", review.Query{Author: "agent:scout7"}},
		{"agents", review.Query{Author: "agent:"}},
		{"subject", review.Query{Subject: "tool:user/tool_7"}},
		{"filter all", review.Query{Filter: "scene"}},
		{"filter rare", review.Query{Filter: "zeppelin"}},
		{"filter none", review.Query{Filter: "nowhere"}},
		{"filter and state", review.Query{Filter: "scene", State: proposals.UserReview}},
		{"filter and no state", review.Query{Filter: "scene", State: proposals.Withdrawn}},
		{"short", review.Query{Filter: "sc"}},
		{"short none", review.Query{Filter: "qx"}},
	} {
		b.Run("List "+q.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := desk.Reading.List(b.Context(), q.query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen measures the cost of opening a database, which every command has.
func BenchmarkOpen(b *testing.B) {
	db := full(b)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	benchmarkOpen(b, db.Path())
}

func benchmarkOpen(b *testing.B, path string) {
	b.Helper()
	for b.Loop() {
		db, err := store.Open(b.Context(), path, options())
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVerify verifies a database with 1,000 approved tools.
func BenchmarkVerify(b *testing.B) {
	db := storetest.New(b)
	desk := benchDesk(b, db)
	if _, err := desk.Deciding.Approve(b.Context(), ada, fresh(b, db, desk, 1000), ""); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		err := db.Audit(b.Context(), func(l history.Ledger) error {
			report, err := history.Verify(b.Context(), l, history.Options{})
			if len(report.Damage) > 0 {
				b.Fatal(report.Damage)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
