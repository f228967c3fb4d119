package service_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// BenchmarkApproveSet approves a change set of 1,000 new tools that are immediately available to an agent. It reports
// only the time of the approval.
func BenchmarkApproveSet(b *testing.B) {
	image, err := storetest.Image(func(db *storetest.Database) error {
		desk := db.Desk(b, review.Policy{})
		agent := storetest.Agent("keeper")
		agent.Definition.Agent.AllowList = &registry.AllowList{Name: "own", Categories: []string{"web"}}
		db.Approved(b, desk, ada, agent)
		var drafts []proposals.Draft
		for i := range 1_000 {
			d := storetest.Prompt(fmt.Sprintf("scene_pacer_%03d", i))
			d.Definition.Tool.Category, d.ChangeSet = "web", "pacers"
			drafts = append(drafts, d)
		}
		_, err := desk.Drafting.Propose(b.Context(), ada, drafts, true)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		db := storetest.FromImage(b, image)
		desk := db.Desk(b, review.Policy{})
		ids, err := desk.Reading.Resolve(b.Context(), "set:pacers")
		if err != nil {
			b.Fatal(err)
		}
		choices := make([]review.Choice, len(ids))
		for i, id := range ids {
			choices[i] = review.Choice{ID: id, Unseen: true}
		}
		b.StartTimer()
		if decisions, err := desk.Deciding.Approve(b.Context(), ada, choices, ""); err != nil || len(decisions) != 1_000 {
			b.Fatal(len(decisions), err)
		}
	}
}

// BenchmarkApproveMany approves 1,000 independent new tools in one call. It reports only the time of the approval.
func BenchmarkApproveMany(b *testing.B) {
	rules, err := service.New(nil, review.Policy{}, time.Now, nil)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "crowd.db")
	if err := (storetest.Dataset{Tools: 1_000, Waiting: 1_000, Rules: rules.RulesVersion()}).Fill(b.Context(), path); err != nil {
		b.Fatal(err)
	}
	image, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		db := storetest.FromImage(b, image)
		desk := db.Desk(b, review.Policy{})
		page, err := desk.Reading.List(b.Context(), review.Query{State: proposals.UserReview, Limit: 1_000})
		if err != nil {
			b.Fatal(err)
		}
		choices := make([]review.Choice, len(page.Proposals))
		for i, p := range page.Proposals {
			choices[i] = review.Choice{ID: p.ID, Unseen: true}
		}
		b.StartTimer()
		if decisions, err := desk.Deciding.Approve(b.Context(), ada, choices, ""); err != nil || len(decisions) != 1_000 {
			b.Fatal(len(decisions), err)
		}
	}
}

// BenchmarkShown records that a user was shown a proposal that has changed since the last time, and an unchanged one.
func BenchmarkShown(b *testing.B) {
	db := storetest.New(b)
	desk := db.Desk(b, review.Policy{Severities: storetest.BasicSeverities()})
	made, err := desk.Drafting.Propose(b.Context(), scout, []proposals.Draft{storetest.Prompt("scene_pacer")}, true)
	if err != nil {
		b.Fatal(err)
	}
	d, err := desk.Reading.Show(b.Context(), ada, made[0].ID)
	if err != nil {
		b.Fatal(err)
	}
	for name, digest := range map[string]func(i int) string{
		"changed": func(i int) string { return fmt.Sprintf("%064d", i) },
		"same":    func(int) string { return d.Digest },
	} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				d.Digest = digest(i)
				if err := desk.Reading.Shown(b.Context(), ada, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
