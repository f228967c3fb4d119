package service_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/store/storetest"
)

// standing checks the states of a proposal's findings by the beginning of their handles: "open", "waived", or
// "carried".
func (o testDesk) standing(p proposals.Proposal, want map[string]string) {
	o.Helper()
	d := o.show(ada, p)
	got := map[string]string{}
	for handle, how := range handles(d) {
		beginning, _, _ := strings.Cut(handle, "#")
		got[beginning] = how
	}
	if !maps.Equal(got, want) {
		o.Errorf("the findings stand as %v; want %v", got, want)
	}
	blocks := 0
	for _, s := range d.Standing {
		if s.Blocks() {
			blocks++
		}
	}
	if _, err := o.desk.DryRun().Deciding.Approve(o.Context(), ada, choices(p), ""); (err == nil) != (blocks == 0) {
		o.Errorf("with %d blocks an approval ends with %v", blocks, err)
	}
}

// TestWaiverRemainsValid waives one of two findings. The waiver must survive a revision of another field, and the version must
// contain its reason.
func TestWaiverRemainsValid(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	draft := withAlias(storetest.Prompt("scene_pacer"), "get_task", "save_memory")
	p := o.propose(scout, draft)
	first, second := "N103@definition.aliases[0]", "N103@definition.aliases[1]"
	o.standing(p, map[string]string{first: "open", second: "open"})
	o.refused(review.ErrAmbiguous, func() error {
		_, err := o.desk.Deciding.Waive(t.Context(), ada, p.ID, "N103", "Why not.", nil)
		return err
	})
	o.waive(p, first)
	o.standing(p, map[string]string{first: "waived", second: "open"})
	o.refused(review.ErrBlocked, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, choices(p), ""); return err })

	draft.Definition.Tool.Prompt += "\nAnd more."
	p = o.revise(scout, p, draft)
	o.standing(p, map[string]string{first: "waived", second: "open"})
	o.waive(p, second)
	o.standing(p, map[string]string{first: "waived", second: "waived"})
	o.approve(ada, p)
	versions, err := o.Versions(t.Context(), draft.Subject, 0, 1)
	if err != nil || len(versions[0].Waivers) != 2 || versions[0].Waivers[0].Reason != "It is meant so." || versions[0].Waivers[0].By != "user:ada" {
		t.Errorf("the version keeps %+v, %v", versions, err)
	}
	o.sound()
}

// TestWaiverEndsWithItsPassage changes the passage and then restores it.
func TestWaiverEndsWithItsPassage(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.waiting(scout, "scene_pacer")
	at := "N103@definition.aliases[0]"
	o.waive(p, "N103")
	o.standing(p, map[string]string{at: "waived"})
	p = o.revise(scout, p, withAlias(storetest.Prompt("scene_pacer"), "list_schedules"))
	o.standing(p, map[string]string{at: "open"})
	p = o.revise(scout, p, withAlias(storetest.Prompt("scene_pacer"), "scene_pace", "get_task"))
	o.standing(p, map[string]string{"N103@definition.aliases[1]": "open"})
	p = o.revise(scout, p, withAlias(storetest.Prompt("scene_pacer"), "get_task"))
	o.standing(p, map[string]string{at: "waived"})
}

// TestWaiverEndsWithANewFinding causes another finding in the same field: by a rule after a change of the registry,
// and by a reviewer.
func TestWaiverEndsWithANewFinding(t *testing.T) {
	shortrun.OneGoroutine(t)
	at := "definition.aliases[0]"
	t.Run("of a rule", func(t *testing.T) {
		o := open(t, review.Policy{})
		p := o.waiting(scout, "scene_pacer")
		o.waive(p, "N103")
		other := o.waiting(ada, "chapter_pacer")
		o.waive(other, "N103")
		o.approve(ada, other)
		o.refused(review.ErrBlocked, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, choices(p), ""); return err })
		if _, err := o.desk.Assessing.Reassess(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
		o.standing(p, map[string]string{"N103@" + at: "open", "N104@" + at: "open"})
		o.waive(p, "N104")
		o.standing(p, map[string]string{"N103@" + at: "open", "N104@" + at: "waived"})
		o.waive(p, "N103")
		o.approve(ada, p)
	})
	t.Run("of a reviewer", func(t *testing.T) {
		o := open(t, review.Policy{})
		p := o.waiting(scout, "scene_pacer")
		o.waive(p, "N103")
		o.assess(carla, p, review.Opinion{Findings: external("definition.prompt", "It lies.")})
		o.standing(p, map[string]string{"N103@" + at: "waived", "X001@definition.prompt": "open"})
		o.assess(carla, p, review.Opinion{Findings: external(at, "It is rude.")})
		o.standing(p, map[string]string{"N103@" + at: "open", "X001@definition.prompt": "open", "X001@" + at: "open"})
	})
	t.Run("of the same words once more", func(t *testing.T) {
		o := open(t, review.Policy{})
		p := o.propose(scout, storetest.Prompt("scene_pacer"))
		lie := rules.Finding{Rule: "X007", Severity: rules.Block, Path: "definition.prompt", Line: 1, Passage: "the scene", Message: "It lies."}
		o.assess(carla, p, review.Opinion{Findings: []rules.Finding{lie}})
		o.waive(p, "X007")
		o.standing(p, map[string]string{"X007@definition.prompt": "waived"})
		again := lie
		again.Line = 2
		o.assess(carla, p, review.Opinion{Findings: []rules.Finding{lie, again}})
		o.standing(p, map[string]string{"X007@definition.prompt": "open"})
	})
}

// TestWaiverOfAWholeField waives a finding without a passage. Because it cannot be recognized in other content, the
// waiver must end with the revision.
func TestWaiverOfAWholeField(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	draft := storetest.Prompt("scene_pacer")
	p := o.propose(scout, draft)
	o.assess(carla, p, review.Opinion{Findings: external("rationale", "It is thin.")})
	o.waive(p, "X001")
	o.standing(p, map[string]string{"X001@rationale": "waived"})
	o.assess(carla, p, review.Opinion{Findings: external("rationale", "It is thin.")})
	o.standing(p, map[string]string{"X001@rationale": "waived"})
	o.assess(carla, p, review.Opinion{Findings: external("rationale", "It tells lies.")})
	o.standing(p, map[string]string{"X001@rationale": "open", "X002@rationale": "open"})

	draft.Rationale = "Ignore all that."
	p = o.revise(scout, p, draft)
	o.assess(carla, p, review.Opinion{Findings: external("rationale", "It is thin.")})
	o.standing(p, map[string]string{"X001@rationale": "open"})
}

// TestWaiverExpires lets a waiver expire before the decision.
func TestWaiverExpires(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.waiting(scout, "scene_pacer")
	for _, past := range []time.Duration{0, -time.Hour} {
		when := o.Clock.Now().Add(past)
		o.refused(review.ErrNotWaivable, func() error {
			_, err := o.desk.Deciding.Waive(t.Context(), ada, p.ID, "N103", "For now.", &when)
			return err
		})
	}
	until := o.Clock.Now().Add(time.Hour)
	if _, err := o.desk.Deciding.Waive(t.Context(), ada, p.ID, "N103", "For now.", &until); err != nil {
		t.Fatal(err)
	}
	at := "N103@definition.aliases[0]"
	o.Clock.Forward(59 * time.Minute)
	o.standing(p, map[string]string{at: "waived"})
	o.queued(p, 0)
	o.Clock.Forward(time.Minute)
	o.standing(p, map[string]string{at: "open"})
	o.queued(p, 1)
	o.refused(review.ErrBlocked, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, choices(p), ""); return err })
	o.sound()
	o.waive(p, "N103")
	o.queued(p, 0)
	o.approve(ada, p)
	o.sound()
}

// queued checks the number of a proposal's blocking findings in the queue, on the proposal's page, and in its change
// set.
func (o testDesk) queued(p proposals.Proposal, want int) {
	o.Helper()
	d := o.show(ada, p)
	open := 0
	for _, s := range d.Standing {
		if s.Blocks() {
			open++
		}
	}
	page, err := o.desk.Reading.List(o.Context(), review.Query{Limit: review.MaxPage})
	if err != nil {
		o.Fatal(err)
	}
	listed := -1
	for _, q := range page.Proposals {
		if q.ID == p.ID {
			listed = q.Summary.Blocks
		}
	}
	if listed != want || d.Proposal.Summary.Blocks != want || open != want {
		o.Errorf("the queue counts %d blocks, the page %d, and %d stand; want %d", listed, d.Proposal.Summary.Blocks, open, want)
	}
}

// TestExpiredWaiversInASet counts the blocking findings of the other members as well.
func TestExpiredWaiversInASet(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	drafts := inSet("pacing", "scene_pacer", "chapter_pacer")
	drafts[0] = inSetWith("pacing", withAlias(drafts[0], "get_task"))
	set := o.proposeAll(scout, drafts...)
	until := o.Clock.Now().Add(time.Hour)
	if _, err := o.desk.Deciding.Waive(t.Context(), ada, set[0].ID, "N103", "For now.", &until); err != nil {
		t.Fatal(err)
	}
	for _, blocks := range []int{0, 1} {
		if got := o.show(ada, set[1]).Members[0].Summary.Blocks; got != blocks {
			t.Errorf("the member has %d blocks; want %d", got, blocks)
		}
		o.Clock.Forward(time.Hour)
	}
}

// TestNotWaivable tries to waive findings that cannot be waived, and findings that do not exist.
func TestNotWaivable(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	retired := o.propose(ada, storetest.Prompt("recall"))
	o.standing(retired, map[string]string{"N107@subject": "open"})
	o.refused(review.ErrNotWaivable, func() error {
		_, err := o.desk.Deciding.Waive(t.Context(), ada, retired.ID, "N107", "I know.", nil)
		return err
	})
	p := o.propose(ada, storetest.Prompt("execute_tool"))
	o.standing(p, map[string]string{"N105@subject": "open"})
	o.refused(review.ErrNotWaivable, func() error {
		_, err := o.desk.Deciding.Waive(t.Context(), ada, p.ID, "N105", "I know.", nil)
		return err
	})
	for _, handle := range []string{"", "N", "N10", "N104", "T101", "n105", "N105@definition", "N105@subject#", "N105@subject#0", "@", "#", strings.Repeat("N105", 1000)} {
		_, err := o.desk.Deciding.Waive(t.Context(), ada, p.ID, handle, "I know.", nil)
		if err == nil || handle != "N105@subject#" && !isMissing(err) {
			t.Errorf("%q: %v", handle, err)
		}
	}
}

// TestWaiversOfOthers checks that a waiver only applies to its own proposal.
func TestWaiversOfOthers(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p, q := o.waiting(scout, "scene_pacer"), o.waiting(scout, "chapter_pacer")
	o.waive(p, "N103")
	o.standing(q, map[string]string{"N103@definition.aliases[0]": "open"})
	modified := storetest.Modify(withAlias(storetest.Prompt("scene_pacer"), "get_task"), 1, func(t *registry.Tool) { t.Prompt += "\nMore." })
	o.approve(ada, p)
	again := o.propose(scout, modified)
	o.standing(again, map[string]string{"N103@definition.aliases[0]": "carried"})
}

// TestUnwaive ends a waiver. The finding must block until it is waived again, and both must remain in the history.
func TestUnwaive(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.waiting(scout, "scene_pacer")
	end := func(by proposals.Actor, reason string) error {
		_, err := o.desk.Deciding.Unwaive(t.Context(), by, p.ID, "N103", reason)
		return err
	}
	o.refused(review.ErrNotWaived, func() error { return end(ada, "It was not.") })
	o.waive(p, "N103")
	o.queued(p, 0)
	o.refused(proposals.ErrAuthority, func() error { return end(scout, "I want to.") })
	o.refused(review.ErrNoReason, func() error { return end(ada, " ") })
	if err := end(ada, "A mistake."); err != nil {
		t.Fatal(err)
	}
	at := "N103@definition.aliases[0]"
	o.standing(p, map[string]string{at: "open"})
	o.queued(p, 1)
	o.refused(review.ErrBlocked, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, choices(p), ""); return err })
	o.refused(review.ErrNotWaived, func() error { return end(ada, "Once more.") })
	o.sound()
	o.waive(p, "N103")
	o.standing(p, map[string]string{at: "waived"})
	o.queued(p, 0)
	if d := o.show(ada, p); len(d.Waivers) != 3 || !d.Waivers[1].Ends() || d.Waivers[1].Reason != "A mistake." {
		t.Errorf("the history of waivers is %+v", d.Waivers)
	}
	o.approve(ada, p)
	o.sound()
}
