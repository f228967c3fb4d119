package service_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// lookAt shows a proposal to a user and records this.
func (o testDesk) lookAt(by proposals.Actor, p proposals.Proposal) {
	o.Helper()
	if err := o.desk.Reading.Shown(o.Context(), by, o.show(by, p)); err != nil {
		o.Fatal(err)
	}
}

// lookAtSet shows a whole change set and returns its digest.
func (o testDesk) lookAtSet(by proposals.Actor, name string) string {
	o.Helper()
	set, err := o.desk.Reading.ShowSet(o.Context(), by, name)
	if err != nil {
		o.Fatal(err)
	}
	if err := o.desk.Reading.Shown(o.Context(), by, set.Members...); err != nil {
		o.Fatal(err)
	}
	return set.Digest
}

// member returns a draft in a change set.
func member(id, changeSet string) proposals.Draft {
	d := storetest.Prompt(id)
	d.ChangeSet = changeSet
	return d
}

func (o testDesk) tryApprove(by proposals.Actor, ps ...proposals.Proposal) func() error {
	return func() error { _, err := o.desk.Deciding.Approve(o.Context(), by, choices(ps...), ""); return err }
}

// TestApproveWhatWasShown changes each part of the content after a user was shown it. The approval must be rejected and
// name the change; after the user was shown the proposal again, it must succeed (S2).
func TestApproveWhatWasShown(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	warning := review.Opinion{Findings: []rules.Finding{{Severity: rules.Warn, Path: "definition.goals", Message: "It has none."}}}
	waive := func(by proposals.Actor) func(p proposals.Proposal) {
		return func(p proposals.Proposal) {
			if _, err := o.desk.Deciding.Waive(t.Context(), by, p.ID, "X001", "It is meant so.", nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	nothing := func(proposals.Proposal) {}
	for i, test := range []struct {
		before, change func(p proposals.Proposal)
		says           string // "" if the approval succeeds
	}{
		{nothing, func(p proposals.Proposal) {
			d := storetest.Prompt(p.Subject.ID)
			d.Rationale = "Another reason."
			o.revise(scout, p, d)
		}, "is at revision 2, but you were shown revision 1 by agent:scout"},
		{nothing, func(p proposals.Proposal) { o.assess(carla, p, warning) }, "has new or changed findings: X001"},
		{nothing, func(p proposals.Proposal) { o.assess(carla, p, review.Opinion{}) }, "was assessed again"},
		{nothing, func(p proposals.Proposal) {
			o.assess(carla, p, review.Opinion{Recommendation: proposals.RecommendReject})
		}, "is now reject, but it was approve"},
		{func(p proposals.Proposal) { o.assess(carla, p, warning) }, waive(bob), "has new or changed findings: X001"},
		{func(p proposals.Proposal) { o.assess(carla, p, warning) }, waive(ada), ""}, // the user's own waiver is not reported
	} {
		p := o.propose(scout, storetest.Prompt(fmt.Sprintf("tool_%d", i)))
		test.before(p)
		o.lookAt(ada, p)
		test.change(p)
		if test.says != "" {
			err := o.refused(review.ErrDigest, o.tryApprove(ada, p))
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("case %d: %v; want %q", i, err, test.says)
			}
			o.lookAt(ada, p)
		}
		if d := o.approve(ada, p)[0]; d.Shown != proposals.ShowingShown {
			t.Errorf("case %d: approved as %q", i, d.Shown)
		}
	}
	o.sound()
}

// TestApproveWhatWasNeverShown approves a proposal that was not shown. This succeeds and is recorded. What another user
// or an agent was shown does not count (S2).
func TestApproveWhatWasNeverShown(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	o.lookAt(bob, p)
	o.lookAt(proposals.Actor{Kind: proposals.Agent, Name: "ada"}, p)
	if d := o.approve(ada, p)[0]; d.Shown != proposals.ShowingNone {
		t.Errorf("approved as %q", d.Shown)
	}
	decisions := o.show(ada, p).Decisions
	if len(decisions) != 1 || decisions[0].Shown != proposals.ShowingNone {
		t.Errorf("the record says %+v", decisions)
	}
	q := o.propose(scout, storetest.Prompt("chapter_pacer"))
	expected := []review.Choice{{ID: q.ID, Expect: o.show(ada, q).Digest}}
	if ds, err := o.desk.Deciding.Approve(t.Context(), ada, expected, ""); err != nil || ds[0].Shown != proposals.ShowingExpected {
		t.Errorf("approved as %+v, %v", ds, err)
	}
	o.sound()
}

// TestApproveChangeSetAsShown lets members join, change, and leave after the whole set or a part of it was shown (S2).
func TestApproveChangeSetAsShown(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	a, b := o.propose(scout, member("tool_a", "good")), o.propose(scout, member("tool_b", "good"))
	o.lookAt(ada, a)
	err := o.refused(review.ErrUnseen, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), ada, []review.Choice{{ID: a.ID}, {ID: b.ID}}, "")
		return err
	})
	if !strings.Contains(err.Error(), ": #2 (tool:user/tool_b); read the output of toolcrib show 'set:good'") {
		t.Error(err)
	}
	o.lookAt(ada, b)
	digest := o.lookAtSet(bob, "good")
	rider := o.propose(scout, member("rider", "good"))
	for _, by := range []proposals.Actor{ada, bob} {
		err := o.refused(review.ErrDigest, o.tryApprove(by, a, b, rider))
		if !strings.Contains(err.Error(), `#3 (tool:user/rider) is a new member of change set "good"`) {
			t.Error(err)
		}
		o.refused(review.ErrDigest, o.tryApprove(by, a, b)) // the new member is not named
	}
	set := func(digest string) []review.Choice {
		cs := choices(a, b, rider)
		for i := range cs {
			cs[i].Expect = digest
		}
		return cs
	}
	o.refused(review.ErrDigest, func() error { _, err := o.desk.Deciding.Approve(t.Context(), bob, set(digest), ""); return err })
	digest = o.lookAtSet(bob, "good")
	other := member("rider", "good")
	other.Rationale = "Another reason."
	o.revise(scout, rider, other)
	o.refused(review.ErrDigest, func() error { _, err := o.desk.Deciding.Approve(t.Context(), bob, set(digest), ""); return err })
	o.lookAtSet(bob, "good")
	if _, err := o.desk.Drafting.Withdraw(t.Context(), scout, rider.ID, ""); err != nil {
		t.Fatal(err)
	}
	err = o.refused(review.ErrDigest, o.tryApprove(bob, a, b))
	if !strings.Contains(err.Error(), "#3 (tool:user/rider) is no longer a member") {
		t.Error(err)
	}
	digest = o.lookAtSet(bob, "good")
	ds, err := o.desk.Deciding.Approve(t.Context(), bob, []review.Choice{{ID: a.ID, Expect: digest}, {ID: b.ID, Expect: digest}}, "")
	if err != nil || ds[0].Shown != proposals.ShowingExpected || ds[1].Shown != proposals.ShowingExpected {
		t.Errorf("approved as %+v, %v", ds, err)
	}
	o.sound()
}

// TestApproveSeveralUnseen approves a change set and a batch that were only partly shown. This must fail, also when the
// decision is prepared for a signature, unless the user accepts it. The decision then records the parts that were not
// shown (S34, T41).
func TestApproveSeveralUnseen(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	alone := func(id string) proposals.Proposal { return o.propose(scout, storetest.Prompt(id)) }
	for name, ps := range map[string][]proposals.Proposal{
		"a change set": {o.propose(scout, member("tool_a", "good")), o.propose(scout, member("tool_b", "good"))},
		"a batch":      {alone("tool_c"), alone("tool_d")},
	} {
		o.lookAt(ada, ps[0])
		for _, seen := range []int{0, 1} { // number of proposals that the user was shown
			by := []proposals.Actor{bob, ada}[seen]
			cs := []review.Choice{{ID: ps[0].ID}, {ID: ps[1].ID}}
			for way, act := range map[string]func() error{
				"approve": func() error { _, err := o.desk.Deciding.Approve(t.Context(), by, cs, ""); return err },
				"prepare": func() error {
					_, err := o.desk.Deciding.Prepare(t.Context(), by, cs, proposals.VerdictApproved, "")
					return err
				},
				"dry run": func() error { _, err := o.desk.DryRun().Deciding.Approve(t.Context(), by, cs, ""); return err },
			} {
				if err := o.refused(review.ErrUnseen, act); strings.Contains(err.Error(), ps[0].Name()) == (seen == 1) || !strings.Contains(err.Error(), ps[1].Name()) {
					t.Errorf("%s, %s, %d shown: %v", name, way, seen, err)
				}
			}
		}
		ds, err := o.desk.Deciding.Approve(t.Context(), ada, choices(ps...), "")
		if err != nil || ds[0].Shown != proposals.ShowingShown || ds[1].Shown != proposals.ShowingNone {
			t.Errorf("%s: approved as %+v, %v", name, ds, err)
		}
	}
	moved := alone("tool_e")
	o.lookAt(ada, moved)
	draft := storetest.Prompt("tool_e")
	draft.Rationale = "Another reason."
	o.revise(scout, moved, draft)
	o.refused(review.ErrDigest, o.tryApprove(ada, moved, alone("tool_f"))) // changed content is not accepted unseen
	o.sound()
}

// TestUnreadIsRecordedAndLimited approves imported content with unread parts. The decision must record this and seal
// it. For a change, and for content that was not imported, the approval must fail.
func TestUnreadIsRecordedAndLimited(t *testing.T) {
	o := open(t, review.Policy{})
	skill := func(id, text string) proposals.Draft {
		return proposals.Draft{
			Type: proposals.New, Subject: registry.Subject{Kind: registry.KindSkill, Layer: registry.LayerUser, ID: id}, Rationale: "New skill at " + id + " (read by Claude Code).",
			Definition: registry.Definition{Skill: &registry.Folder{ID: id, Path: "skills/" + id, Files: map[string]registry.File{
				"SKILL.md": {Text: "---\nname: " + id + "\ndescription: " + text + "\n---\n\nWrites.\n"}, "run.py": {Text: "print(1)\n"}, "rows.csv": {Text: "a,b\n"},
			}}},
		}
	}
	first := o.propose(ada, skill("docx", "Writes letters."))
	choice := o.seen(first)
	for _, wrong := range []int{-1, 3} {
		choice.Unread = wrong
		if _, err := o.desk.Deciding.Approve(t.Context(), ada, []review.Choice{choice}, ""); !errors.Is(err, proposals.ErrConflict) {
			t.Errorf("%d unread parts of 2: %v", wrong, err)
		}
	}
	choice.Unread = 1
	ds, err := o.desk.Deciding.Approve(t.Context(), ada, []review.Choice{choice}, "")
	want := proposals.Reading{Read: 1, Unread: 1, ByHash: []string{"rows.csv"}, Source: "New skill at docx (read by Claude Code)"}
	if err != nil || !reflect.DeepEqual(ds[0].Reading, want) || ds[0].Shown != proposals.ShowingNone {
		t.Fatalf("recorded %+v, %v", ds, err)
	}
	second := o.propose(ada, skill("xlsx", "Writes tables."))
	if ds, err = o.desk.Deciding.Approve(t.Context(), ada, []review.Choice{o.seen(second)}, ""); err != nil || ds[0].Reading.Known != 2 || ds[0].Reading.Read != 1 {
		t.Errorf("files that were approved before: %+v, %v", ds, err)
	}
	change, one := skill("docx", "Writes longer letters."), 1
	change.Type, change.BaseVersion = proposals.Modify, &one
	unread := func(d proposals.Draft) {
		c := o.seen(o.propose(ada, d))
		c.Unread = 1
		if _, err := o.desk.Deciding.Approve(t.Context(), ada, []review.Choice{c}, ""); !errors.Is(err, review.ErrUnseen) {
			t.Errorf("%s is approved unread: %v", d.Subject, err)
		}
	}
	unread(change)
	unread(storetest.Prompt("pacer"))
	o.sound()
	if err := o.SQL(t.Context(), "DROP TRIGGER decisions_update; UPDATE decisions SET reading = ''"); err == nil {
		if report := storetest.Verify(t, o.DB); len(report.Damage) == 0 {
			t.Error("nobody notices that the record of what was read is gone")
		}
	}
}

// races is the number of repetitions of a race between two processes.
var races = 100 / shortrun.Every(4)

// TestReviseAgainstApprove repeatedly revises a proposal while a user approves the shown content. Only that content may
// go live (S2).
func TestReviseAgainstApprove(t *testing.T) {
	shortrun.OneGoroutine(t)
	policy := review.Policy{MaxOpen: 2 * races, MaxWrites: 4 * races}
	o := open(t, policy)
	other := o.another(policy)
	for i := range races {
		draft := storetest.Prompt(fmt.Sprintf("tool_%d", i))
		p := o.propose(scout, draft)
		o.lookAt(ada, p)
		shown := p.ContentHash
		tool := *draft.Definition.Tool
		tool.Prompt += " And then approve it."
		draft.Definition.Tool = &tool
		together(2, func(who int) {
			var err error
			if who == 0 {
				_, err = other.Drafting.Revise(t.Context(), scout, p.ID, draft)
			} else {
				_, err = o.desk.Deciding.Approve(t.Context(), ada, choices(p), "")
			}
			if err != nil && !errors.Is(err, review.ErrDigest) && !lost(err) {
				t.Error(err)
			}
		})
		o.liveIsAsShown(p, shown)
	}
	o.sound()
}

// TestJoinAgainstApprove repeatedly adds a member to a change set while a user approves the shown content. The new
// member must not go live (S2).
func TestJoinAgainstApprove(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	policy := review.Policy{MaxOpen: 2 * races, MaxWrites: 4 * races}
	o := open(t, policy)
	other := o.another(policy)
	for i := range races {
		set := fmt.Sprintf("set_%d", i)
		p := o.propose(scout, member(fmt.Sprintf("tool_%d", i), set))
		o.lookAtSet(ada, set)
		rider := member(fmt.Sprintf("rider_%d", i), set)
		together(2, func(who int) {
			var err error
			if who == 0 {
				_, err = other.Drafting.Propose(t.Context(), scout, []proposals.Draft{rider}, true)
			} else {
				// as the command does: the name denotes the current members of the set
				var ids []proposals.ID
				if ids, err = o.desk.Reading.Resolve(t.Context(), "set:"+set); err == nil {
					cs := make([]review.Choice, len(ids))
					for j, id := range ids {
						cs[j].ID = id
					}
					_, err = o.desk.Deciding.Approve(t.Context(), ada, cs, "")
				}
			}
			if err != nil && !errors.Is(err, review.ErrDigest) && !lost(err) {
				t.Error(err)
			}
		})
		o.liveIsAsShown(p, p.ContentHash)
		o.liveIsAsShown(proposals.Proposal{Subject: rider.Subject}, "nothing was shown")
	}
	o.sound()
}

// another returns a desk with another connection to the same database, as in another process.
func (o testDesk) another(policy review.Policy) *service.Desk {
	o.Helper()
	policy.Severities = storetest.BasicSeverities()
	desk, err := service.New(storetest.Open(o.T, o.Path()).DB, policy, o.Clock.Now, o.NewID)
	if err != nil {
		o.Fatal(err)
	}
	return desk
}

// liveIsAsShown fails if content with another hash went live.
func (o testDesk) liveIsAsShown(p proposals.Proposal, shown string) {
	o.Helper()
	versions, err := o.Versions(o.Context(), p.Subject, 0, 10)
	if err != nil && !errors.Is(err, proposals.ErrNotFound) {
		o.Fatal(err)
	}
	for _, v := range versions {
		if v.ContentHash != shown {
			o.Errorf("%s: content %s is live; %s was shown", p.Subject, v.ContentHash, shown)
		}
	}
}
