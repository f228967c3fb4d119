package service_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestRateLimit checks that an agent at its hourly limit can write nothing to any proposal. Other actors are not affected,
// and the agent can continue after an hour.
func TestRateLimit(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{MaxWrites: 6})
	d := storetest.Prompt("scene_pacer")
	p := o.propose(scout, d)
	other := o.propose(ada, storetest.Prompt("chapter_pacer"))
	say := func(by proposals.Actor, about proposals.Proposal) error {
		_, err := o.desk.Drafting.Comment(t.Context(), by, about.ID, "Why?", review.Anchor{})
		return err
	}
	for i := range 3 {
		p = o.revise(scout, p, withAlias(d, fmt.Sprintf("pace_%d", i)))
	}
	o.Clock.Forward(10 * time.Minute)
	for range 2 {
		if err := say(scout, other); err != nil {
			t.Fatal(err)
		}
	}
	tries := map[string]func() error{
		"comment": func() error { return say(scout, other) },
		"revise": func() error {
			_, err := o.desk.Drafting.Revise(t.Context(), scout, p.ID, withAlias(d, "pace_more"))
			return err
		},
		"draft": func() error {
			_, err := o.desk.Drafting.Propose(t.Context(), scout, []proposals.Draft{storetest.Prompt("book_pacer")}, false)
			return err
		},
		"fork": func() error {
			_, err := o.desk.Drafting.Fork(t.Context(), scout, "file_reader", registry.LayerUser)
			return err
		},
	}
	for name, try := range tries {
		if err := o.refused(review.ErrPace, try); err != nil && !strings.Contains(err.Error(), "the limit is 6 per hour for an agent; continue at 23:42:00 UTC") {
			t.Errorf("%s: %v does not say when to go on", name, err)
		}
	}
	for _, by := range []proposals.Actor{ada, rover, carla} {
		if err := say(by, other); err != nil {
			t.Error(err)
		}
	}
	if _, err := o.desk.Drafting.Withdraw(t.Context(), scout, p.ID, ""); err != nil {
		t.Errorf("what takes something back is stopped too: %v", err)
	}
	o.Clock.Forward(50 * time.Minute)
	for range 4 { // the draft and the revisions are an hour old, the comments are not
		if err := say(scout, other); err != nil {
			t.Error(err)
		}
	}
	o.refused(review.ErrPace, tries["comment"])
}

// TestRateLimitOfAllAgents counts the drafts of one call. If there are too many, none may be stored.
func TestRateLimitOfAllAgents(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{MaxOpen: 1000})
	drafts := make([]proposals.Draft, review.DefaultMaxWrites+1)
	for i := range drafts {
		drafts[i] = storetest.Prompt(fmt.Sprintf("tool_%d", i))
	}
	propose := func(n int) error {
		_, err := o.desk.Drafting.Propose(t.Context(), scout, drafts[:n], false)
		return err
	}
	o.refused(review.ErrPace, func() error { return propose(len(drafts)) })
	if err := propose(len(drafts) - 1); err != nil {
		t.Error(err)
	}
}

// TestRateLimitWhenTheClockGoesBack checks that an agent is not blocked until the clock has caught up.
func TestRateLimitWhenTheClockGoesBack(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{MaxWrites: 2})
	p := o.propose(ada, storetest.Prompt("scene_pacer"))
	say := func() error {
		_, err := o.desk.Drafting.Comment(t.Context(), scout, p.ID, "Why?", review.Anchor{})
		return err
	}
	o.Clock.Forward(24 * time.Hour)
	for range 2 {
		if err := say(); err != nil {
			t.Fatal(err)
		}
	}
	o.refused(review.ErrPace, say)
	o.Clock.Forward(-20 * time.Hour)
	for range 2 {
		if err := say(); err != nil {
			t.Error(err)
		}
	}
	o.refused(review.ErrPace, say)
}

// TestOversizedDraftsAreRefused checks that drafts and revisions above the size limits are rejected for all actors,
// with an error that states the limit.
func TestOversizedDraftsAreRefused(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	good := storetest.Prompt("scene_pacer")
	p := o.draft(scout, good)
	for path, spoil := range map[string]func(*proposals.Draft){
		"definition.name": func(d *proposals.Draft) { d.Definition.Tool.Name = strings.Repeat("long ", 1<<18) },
		"changeSet":       func(d *proposals.Draft) { d.ChangeSet = strings.Repeat("s", 1<<20) },
		"rationale":       func(d *proposals.Draft) { d.Rationale = strings.Repeat("why ", 1<<18) },
		"$":               func(d *proposals.Draft) { d.Definition.Tool.Prompt = strings.Repeat("x", proposals.MaxDraft) },
	} {
		bad := good
		tool := *good.Definition.Tool
		bad.Definition.Tool = &tool
		spoil(&bad)
		for _, by := range []proposals.Actor{scout, ada, carla} {
			fresh := bad
			fresh.Subject.ID = "chapter_pacer"
			for _, submit := range []bool{false, true} {
				err := o.refused(review.ErrExcess, func() error {
					_, err := o.desk.Drafting.Propose(t.Context(), by, []proposals.Draft{fresh}, submit)
					return err
				})
				if err != nil && !strings.Contains(err.Error(), "tool:user/chapter_pacer cannot be stored: "+path) {
					t.Errorf("%v does not name %s", err, path)
				}
			}
		}
		o.refused(review.ErrExcess, func() error { _, err := o.desk.Drafting.Revise(t.Context(), scout, p.ID, bad); return err })
	}
}
