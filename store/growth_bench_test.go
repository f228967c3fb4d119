package store_test

import (
	"fmt"
	"path/filepath"
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

// BenchmarkGrowth measures each act on one proposal or subject among 100, 10,000, and 100,000 live tools and the same
// number of proposals. With the largest number, no act may cost more than twice as much.
func BenchmarkGrowth(b *testing.B) {
	policy := review.Policy{Severities: storetest.BasicSeverities()}
	rules := storetest.New(b).Desk(b, policy).RulesVersion()
	for _, size := range []int{100, 10_000, 100_000} {
		if testing.Short() && size > 10_000 {
			continue
		}
		path := filepath.Join(b.TempDir(), "crowd.db")
		crowd := storetest.Dataset{Tools: size, Waiting: 100, Versions: size / 2, Rules: rules}
		if err := crowd.Fill(b.Context(), path); err != nil {
			b.Fatal(err)
		}
		db := storetest.Open(b, path)
		desk := db.Desk(b, policy)
		blocked := storetest.Prompt("blocked_tool")
		blocked.Definition.Tool.Aliases = []string{"get_task"}
		waived := proposed(b, desk, blocked)
		talked := proposed(b, desk, storetest.Prompt("talked_about"))
		subject := registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "crowd_tool_7"}
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.Run("Open", func(b *testing.B) { benchmarkOpen(b, path) })
			b.Run("Propose", func(b *testing.B) { benchmarkPropose(b, db) })
			b.Run("ProposeFirst", func(b *testing.B) { benchmarkProposeFirst(b, db) })
			b.Run("Approve", func(b *testing.B) { benchmarkApprove(b, db, 1) })
			b.Run("Show", func(b *testing.B) { benchmarkShow(b, db) })
			b.Run("Comment", func(b *testing.B) {
				for b.Loop() {
					if _, err := desk.Drafting.Comment(b.Context(), ada, talked, "Why?", review.Anchor{}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("Waive", func(b *testing.B) {
				for b.Loop() {
					if _, err := desk.Deciding.Waive(b.Context(), ada, waived, "N103", "It is meant so.", nil); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("History", func(b *testing.B) {
				for b.Loop() {
					if _, err := db.Versions(b.Context(), subject, 0, 50); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("Blame", func(b *testing.B) {
				for b.Loop() {
					blame := history.NewBlame("prompt")
					if err := db.EachVersion(b.Context(), subject, blame.Add); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// benchmarkProposeFirst proposes with all rules in a new process: it opens the database, proposes once, and closes it.
// The proposal is similar to all existing tools, which is the most expensive case.
func benchmarkProposeFirst(b *testing.B, db *storetest.Database) {
	b.Helper()
	for n := 0; b.Loop(); n++ {
		again, err := store.Open(b.Context(), db.Path(), store.Options{Now: db.Clock.Now, NewID: db.NewID})
		if err != nil {
			b.Fatal(err)
		}
		desk, err := service.New(again, review.Policy{}, db.Clock.Now, db.NewID)
		if err != nil {
			b.Fatal(err)
		}
		proposed(b, desk, storetest.Prompt(fmt.Sprintf("first_tool_%d_%d", b.N, n)))
		if err := again.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func proposed(b *testing.B, desk *service.Desk, d proposals.Draft) proposals.ID {
	b.Helper()
	made, err := desk.Drafting.Propose(b.Context(), ada, []proposals.Draft{d}, true)
	if err != nil {
		b.Fatal(fmt.Errorf("propose %s: %w", d.Subject, err))
	}
	return made[0].ID
}
