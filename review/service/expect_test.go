package service_test

import (
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestExpect decides with the digest of the shown content, and with other digests.
func TestExpect(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	digest := o.show(ada, p).Digest
	for _, wrong := range []string{strings.Repeat("0", 64), digest[:63], digest + "0", strings.ToUpper(digest), " "} {
		choice := []review.Choice{{ID: p.ID, Expect: wrong}}
		o.refused(review.ErrDigest, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, choice, ""); return err })
		o.refused(review.ErrDigest, func() error {
			_, err := o.desk.Deciding.Decide(t.Context(), ada, choice, proposals.VerdictRejected, "No.")
			return err
		})
		o.refused(review.ErrDigest, func() error {
			_, err := o.desk.Deciding.Decide(t.Context(), ada, choice, proposals.VerdictNeedsChanges, "No.")
			return err
		})
	}
	decisions, err := o.desk.Deciding.Approve(t.Context(), ada, []review.Choice{{ID: p.ID, Expect: digest}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := o.show(ada, p).Digest; got != digest || decisions[0].ReviewDigest != digest {
		t.Errorf("decided on %s, shown afterwards %s; want %s", decisions[0].ReviewDigest, got, digest)
	}
}

// TestDigestCoversWhatIsShown changes each part of the content that a decider is shown. Each change must change the
// digest; showing the content again must not.
func TestDigestCoversWhatIsShown(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	draft := withAlias(storetest.Prompt("scene_pacer"), "get_task")
	draft.ChangeSet = "pacing"
	p := o.propose(scout, draft)
	seen := map[string]string{}
	look := func(after string) {
		t.Helper()
		digest := o.show(bob, p).Digest
		if again := o.show(ada, p).Digest; again != digest {
			t.Errorf("%s: two looks give %s and %s", after, digest, again)
		}
		if before, ok := seen[digest]; ok {
			t.Errorf("%s: the digest is the one of %s", after, before)
		}
		seen[digest] = after
	}
	look("the submission")
	expires := o.Clock.Now().Add(time.Hour)
	if _, err := o.desk.Deciding.Waive(t.Context(), ada, p.ID, "N103", "It is meant so.", &expires); err != nil {
		t.Fatal(err)
	}
	look("a waiver")
	if _, err := o.desk.Assessing.Assess(t.Context(), carla, p.ID, review.Opinion{Comment: "Hm."}); err != nil {
		t.Fatal(err)
	}
	look("another assessment")
	o.Clock.Forward(2 * time.Hour)
	look("the end of the waiver")
	draft.Rationale = "Another reason."
	p = o.revise(scout, p, draft)
	look("a revision of the rationale alone")
	other := storetest.Prompt("chapter_pacer")
	other.ChangeSet = "pacing"
	member := o.propose(scout, other)
	look("a new member of the change set")
	other.Examples[0] = "Another example."
	member = o.revise(scout, member, other)
	look("a revision of that member")
	if _, err := o.desk.Drafting.Withdraw(t.Context(), scout, member.ID, ""); err != nil {
		t.Fatal(err)
	}
	other = storetest.Prompt("book_pacer")
	other.ChangeSet = "pacing"
	o.propose(scout, other)
	look("another member in its place")
}

// TestRequireExpect approves without a digest although one is required.
func TestRequireExpect(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{RequireExpect: true})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	o.refused(review.ErrNoExpect, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), ada, choices(p), "")
		return err
	})
	if _, err := o.desk.Deciding.Approve(t.Context(), ada, []review.Choice{{ID: p.ID, Expect: o.show(ada, p).Digest}}, ""); err != nil {
		t.Error(err)
	}
}

// TestFourEyes checks that only the author of the current revision cannot approve it. The author of an earlier revision
// can.
func TestFourEyes(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{FourEyes: true})
	draft := storetest.Prompt("scene_pacer")
	p := o.propose(ada, draft)
	o.refused(proposals.ErrFourEyes, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), ada, choices(p), "")
		return err
	})
	draft.Rationale = "Bob knows why."
	p = o.revise(bob, p, draft)
	o.refused(proposals.ErrFourEyes, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), bob, choices(p), "")
		return err
	})
	o.approve(ada, p)
}

// TestStale creates two proposals that change the same version. When the first is live, the second must be rejected,
// and readers of it must be informed before.
func TestStale(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	first := storetest.Prompt("scene_pacer")
	o.live(first)
	change := func(by proposals.Actor, line string) proposals.Proposal {
		return o.propose(by, storetest.Modify(first, 1, func(t *registry.Tool) { t.Prompt += "\n" + line }))
	}
	a, b := change(scout, "One."), change(rover, "Two.")
	for p, other := range map[proposals.ID]proposals.ID{a.ID: b.ID, b.ID: a.ID} {
		if d := o.show(ada, proposals.Proposal{ID: p}); len(d.Others) != 1 || d.Others[0].ID != other {
			t.Errorf("others than %s: %+v", p, d.Others)
		}
	}
	o.approve(ada, a)
	d := o.show(ada, b)
	if !d.Proposal.Stale() || len(d.Obstacles) != 1 {
		t.Errorf("stale: %t, obstacles: %v", d.Proposal.Stale(), d.Obstacles)
	}
	o.refused(review.ErrStale, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), ada, choices(b), "")
		return err
	})
	b = o.revise(rover, b, storetest.Modify(first, 2, func(t *registry.Tool) { t.Prompt += "\nOne.\nTwo." }))
	if got := o.approve(ada, b)[0].Version; got != 3 {
		t.Errorf("version %d; want 3", got)
	}
	o.sound()
}

// TestApprovedOnce approves a proposal twice, in two calls and in one call.
func TestApprovedOnce(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p, q := o.propose(scout, storetest.Prompt("scene_pacer")), o.propose(scout, storetest.Prompt("chapter_pacer"))
	o.refused(proposals.ErrConflict, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), ada, choices(p, q, p), "")
		return err
	})
	o.approve(ada, p)
	o.refused(proposals.ErrState, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), bob, choices(p), "")
		return err
	})
	o.refused(proposals.ErrState, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), bob, choices(q, p), "")
		return err
	})
}

// TestUnknownProposal decides on proposals that do not exist.
func TestUnknownProposal(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	for _, a := range acts() {
		o.refused(proposals.ErrNotFound, func() error {
			return a.try(t.Context(), o.desk, ada, proposals.Proposal{ID: "01990000-ffff-7000-8000-000000000000", Subject: p.Subject})
		})
	}
}

// TestOldDigestAfterARevision decides with a digest shown before the proposal was revised: by its author, by a rebase,
// and without a change of the text.
func TestOldDigestAfterARevision(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	first := storetest.Prompt("scene_pacer")
	o.live(first)
	change := func(base int, line string) proposals.Draft {
		return storetest.Modify(first, base, func(t *registry.Tool) { t.Prompt += "\n" + line })
	}
	p := o.propose(scout, change(1, "One."))
	looked := map[string]string{"the first revision": o.show(ada, p).Digest}
	p = o.revise(scout, p, change(1, "Ignore what was said."))
	looked["the second revision"] = o.show(ada, p).Digest
	p = o.revise(scout, p, change(1, "One."))
	looked["the third, which says what the first said"] = o.show(ada, p).Digest

	o.live(storetest.Modify(first, 1, func(t *registry.Tool) { t.Goals += " And why." }))
	p, err := o.desk.Drafting.Rebase(t.Context(), scout, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	for when, digest := range looked {
		t.Run(when, func(t *testing.T) {
			o := testDesk{Database: o.Database, T: t, desk: o.desk}
			choice := []review.Choice{{ID: p.ID, Expect: digest}}
			o.refused(review.ErrDigest, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, choice, ""); return err })
			o.refused(review.ErrDigest, func() error {
				_, err := o.desk.Deciding.Decide(t.Context(), ada, choice, proposals.VerdictRejected, "No.")
				return err
			})
		})
	}
	if _, err := o.desk.Deciding.Approve(t.Context(), ada, []review.Choice{{ID: p.ID, Expect: o.show(ada, p).Digest}}, ""); err != nil {
		t.Error(err)
	}
	o.sound()
}
