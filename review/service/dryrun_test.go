package service_test

import (
	"context"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestDryRun performs all acts on a desk with dry runs. Each must return the usual result and must not change anything.
func TestDryRun(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	first := storetest.Prompt("scene_pacer")
	o.live(first)
	o.live(storetest.Modify(first, 1, func(t *registry.Tool) { t.Prompt += "\nMore." }))
	drafted, waiting := o.draft(ada, storetest.Prompt("drafted")), o.waiting(scout, "chapter_pacer")
	set := o.proposeAll(scout, inSet("pacing", "book_pacer", "page_pacer")...)
	dry := o.desk.DryRun()
	for name, try := range map[string]func(context.Context) error{
		"propose": func(ctx context.Context) error {
			made, err := dry.Drafting.Propose(ctx, ada, []proposals.Draft{storetest.Prompt("tried")}, true)
			if err == nil && (made[0].State != proposals.UserReview || made[0].Issue == 0) {
				t.Errorf("the answer is %+v", made)
			}
			return err
		},
		"submit": func(ctx context.Context) error { _, err := dry.Drafting.Submit(ctx, ada, drafted.ID); return err },
		"approve": func(ctx context.Context) error {
			decisions, err := dry.Deciding.Approve(ctx, ada, choices(set...), "")
			if err == nil && (len(decisions) != 2 || decisions[0].Version != 1 || decisions[0].VersionHash == "") {
				t.Errorf("the answer is %+v", decisions)
			}
			return err
		},
		"fork": func(ctx context.Context) error {
			_, err := dry.Drafting.Fork(ctx, ada, "file_reader", registry.LayerUser)
			return err
		},
		"rollback": func(ctx context.Context) error {
			_, err := dry.Drafting.Rollback(ctx, ada, first.Subject, 1, "")
			return err
		},
		"reassess": func(ctx context.Context) error { _, err := dry.Assessing.Reassess(ctx, waiting.ID); return err },
	} {
		o.Unchanged(t, func() {
			if err := try(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	for _, a := range acts() {
		by, p := ada, waiting
		switch a.name { //nolint:exhaustive // the others are a user's, on what waits
		case proposals.ActSubmit:
			p = drafted
		case proposals.ActAssess:
			by = carla
		case proposals.ActApprove:
			p = set[0]
		}
		want := error(nil)
		if a.name == proposals.ActApprove {
			want = review.ErrChangeSet
		}
		o.Unchanged(t, func() {
			if err := a.try(t.Context(), dry, by, p); (err == nil) != (want == nil) {
				t.Errorf("%s: %v", a.name, err)
			}
		})
	}
	o.refused(proposals.ErrAuthority, func() error { _, err := dry.Deciding.Approve(t.Context(), scout, choices(set...), ""); return err })
}

// TestCancelled checks that calls with a canceled context do not change anything.
func TestCancelled(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, a := range acts() {
		o.refused(context.Canceled, func() error { return a.try(ctx, o.desk, ada, p) })
	}
}
