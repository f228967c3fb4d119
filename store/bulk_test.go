package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/overlap"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// manyWaiting opens a generated database and returns it with a desk and with choices that approve all waiting
// proposals.
func manyWaiting(t testing.TB, tools, waiting int) (*storetest.Database, *service.Desk, []review.Choice) {
	t.Helper()
	rules, err := service.New(nil, review.Policy{}, storetest.NewClock().Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "crowd.db")
	if err := (storetest.Dataset{Tools: tools, Waiting: waiting, Rules: rules.RulesVersion()}).Fill(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t, path)
	desk := db.Desk(t, review.Policy{})
	page, err := desk.Reading.List(t.Context(), review.Query{State: proposals.UserReview, Limit: waiting})
	if err != nil {
		t.Fatal(err)
	}
	choices := make([]review.Choice, len(page.Proposals))
	for i, p := range page.Proposals {
		choices[i] = review.Choice{ID: p.ID, Unseen: true}
	}
	return db, desk, choices
}

// TestManyAtOnce approves proposals in one call that needs batches of every size, and thereby completes blocks of
// sketches.
func TestManyAtOnce(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	const tools, waiting = 150, 64 + 8 + 8 + 3 + 256
	db, desk, choices := manyWaiting(t, tools, waiting)
	decisions, err := desk.Deciding.Approve(t.Context(), ada, choices, "all of it")
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range decisions {
		if d.Proposal != choices[i].ID || d.Version != 1 || d.Note != "all of it" {
			t.Errorf("decision %d is %+v", i, d)
		}
	}
	if report := verify(t, db); len(report.Damage) > 0 {
		t.Errorf("damage: %+v", report.Damage)
	}
	h, err := db.Health(t.Context())
	if err != nil || len(h.Problems) > 0 || h.Proposals["approved"] != tools+waiting || h.Proposals["user_review"] != 0 {
		t.Errorf("%+v, %v", h, err)
	}
	err = db.View(t.Context(), func(r review.Reader) error {
		for _, d := range decisions {
			live, err := r.Live(t.Context(), d.Subject)
			if err != nil {
				return err
			}
			alike, err := r.Alike(t.Context(), overlap.NewFingerprint(*live.Definition.Tool))
			if err != nil {
				return err
			}
			if len(alike) == 0 || alike[0].Subject != d.Subject {
				return fmt.Errorf("%s is not the likest to itself", d.Subject)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestVerdictsCompareFirst decides on several proposals, one of which was changed in the meantime or does not exist.
// None may change.
func TestVerdictsCompareFirst(t *testing.T) {
	shortrun.OneGoroutine(t)
	db, desk, choices := manyWaiting(t, 2, 3)
	decided := make([]review.DecidedProposal, len(choices))
	for i, c := range choices {
		d, err := desk.Reading.Show(t.Context(), ada, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		decided[i] = review.DecidedProposal{Proposal: d.Proposal, From: proposals.UserReview, Status: proposals.IssueClosed}
		decided[i].Proposal.State = proposals.Rejected
	}
	for what, spoil := range map[string]func(*review.DecidedProposal){
		"another state":    func(s *review.DecidedProposal) { s.From = proposals.ChiefReview },
		"another revision": func(s *review.DecidedProposal) { s.Proposal.Revision++ },
		"another id":       func(s *review.DecidedProposal) { s.Proposal.ID = proposals.ID(db.NewID()) },
	} {
		t.Run(what, func(t *testing.T) {
			before := db.Dump(t)
			spoilt := append([]review.DecidedProposal{}, decided...)
			spoil(&spoilt[1])
			err := db.Update(t.Context(), func(tx review.Tx) error { return tx.ApplyVerdict(t.Context(), spoilt) })
			if !errors.Is(err, proposals.ErrConflict) {
				t.Errorf("got %v", err)
			}
			for _, line := range storetest.Difference(before, db.Dump(t)) {
				t.Errorf("changed: %s", line)
			}
		})
	}
}
