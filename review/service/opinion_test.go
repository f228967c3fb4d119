package service_test

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/store/storetest"
)

// external returns a blocking finding of an external reviewer.
func external(path, message string) []rules.Finding {
	return []rules.Finding{{Severity: rules.Block, Path: path, Message: message}}
}

// messages returns the messages of an assessment, in order.
func messages(a review.Assessment) []string {
	var all []string
	for _, f := range a.Report.Findings {
		all = append(all, f.Message)
	}
	slices.Sort(all)
	return all
}

func (o testDesk) assess(by proposals.Actor, p proposals.Proposal, opinion review.Opinion) review.Assessment {
	o.Helper()
	a, err := o.desk.Assessing.Assess(o.Context(), by, p.ID, opinion)
	if err != nil {
		o.Fatal(err)
	}
	return a
}

// TestOpinionAddsAndNeverRemoves adds several opinions. Each assessment must contain all earlier findings.
func TestOpinionAddsAndNeverRemoves(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.waiting(scout, "scene_pacer")
	want := messages(*o.show(ada, p).Assessment())
	if len(want) != 1 {
		t.Fatalf("the rules say %v", want)
	}
	for i, opinion := range []review.Opinion{
		{Findings: external("definition.prompt", "It lies.")},
		{Findings: external("definition.prompt", "It is rude.")},
		{Findings: nil},
		{Findings: external("", "It is about everything.")},
		{Findings: []rules.Finding{{Rule: "N103", Severity: rules.Info, Path: "definition.aliases[0]", Passage: "get_task", Message: "This is fine.", Waivable: true}}},
		{Findings: external("definition.prompt", "It lies.")},
		{},
	} {
		for _, f := range opinion.Findings {
			if !slices.Contains(want, f.Message) {
				want = append(want, f.Message)
			}
		}
		slices.Sort(want)
		by := proposals.Actor{Kind: proposals.Chief, Name: "c" + string(rune('0'+i))}
		if got := messages(o.assess(by, p, opinion)); !slices.Equal(got, want) {
			t.Errorf("after opinion %d the findings are\n%s\nwant\n%s", i, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	a, err := o.desk.Assessing.Reassess(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := messages(a); !slices.Equal(got, want) {
		t.Errorf("looked at again, the findings are %q; want %q", got, want)
	}
	for _, s := range o.show(ada, p).Standing {
		if s.Message == "This is fine." && s.Rule == "N103" {
			t.Errorf("a finding from outside passes for one of a rule: %+v", s.Finding)
		}
	}
	if blocks := o.show(ada, p).Proposal.Summary.Blocks; blocks != 4 {
		t.Errorf("%d blocks; want 4", blocks)
	}
}

// TestOpinionLowersAndNeverRaises adds opinions with every recommendation to every recommendation of the rules.
func TestOpinionLowersAndNeverRaises(t *testing.T) {
	shortrun.OneGoroutine(t)
	order := []proposals.Recommendation{proposals.RecommendApprove, proposals.RecommendNeedsChanges, proposals.RecommendReject}
	o := open(t, review.Policy{})
	clean, bad := o.propose(scout, storetest.Prompt("scene_pacer")), o.waiting(scout, "chapter_pacer")
	for p, own := range map[proposals.ID]int{clean.ID: 0, bad.ID: 1} {
		worst := own
		for i, said := range append([]proposals.Recommendation{""}, order...) {
			worst = max(worst, i-1)
			by := proposals.Actor{Kind: proposals.Chief, Name: "c" + string(rune('0'+i))}
			if got := o.assess(by, proposals.Proposal{ID: p}, review.Opinion{Recommendation: said}).Recommendation; got != order[worst] {
				t.Errorf("the rules say %s, %q was said, it became %s; want %s", order[own], said, got, order[worst])
			}
		}
		for _, said := range order {
			if got := o.assess(carla, proposals.Proposal{ID: p}, review.Opinion{Recommendation: said}).Recommendation; got != proposals.RecommendReject {
				t.Errorf("after a reject, %q made it %s", said, got)
			}
		}
		if a, err := o.desk.Assessing.Reassess(t.Context(), p); err != nil || a.Recommendation != proposals.RecommendReject {
			t.Errorf("looked at again it is %s, %v", a.Recommendation, err)
		}
	}
}

// TestChiefRevisesItsAssessment checks that a reviewer can withdraw its own advice, which affects neither findings nor the
// advice of others.
func TestChiefRevisesItsAssessment(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	o.assess(carla, p, review.Opinion{Recommendation: proposals.RecommendReject, Findings: external("definition.goals", "It has none.")})
	a := o.assess(carla, p, review.Opinion{Recommendation: proposals.RecommendApprove})
	if a.Recommendation != proposals.RecommendNeedsChanges || len(a.Report.Findings) != 1 {
		t.Errorf("the assessment is %+v", a)
	}
}

// TestOpinionOfOtherContent adds opinions on content that the reviewer has not seen, and invalid opinions.
func TestOpinionOfOtherContent(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	draft := storetest.Prompt("scene_pacer")
	p := o.propose(scout, draft)
	old := p.ContentHash
	tool := *draft.Definition.Tool
	tool.Prompt += "\nAnd more."
	draft.Definition.Tool = &tool
	p = o.revise(scout, p, draft)
	for _, opinion := range []review.Opinion{{Revision: 1}, {Revision: 3}, {Revision: -1}, {ContentHash: old}, {ContentHash: old, Revision: 2}} {
		o.refused(proposals.ErrConflict, func() error { _, err := o.desk.Assessing.Assess(t.Context(), carla, p.ID, opinion); return err })
	}
	o.assess(carla, p, review.Opinion{Revision: 2, ContentHash: p.ContentHash})
	long := strings.Repeat("x", 1<<20)
	for _, opinion := range []review.Opinion{
		{Recommendation: "aprove"},
		{Findings: []rules.Finding{{Severity: "fatal", Message: "It lies."}}},
		{Findings: []rules.Finding{{Severity: rules.Off, Message: "It lies."}}},
		{Findings: []rules.Finding{{Severity: rules.Block}}},
		{Findings: []rules.Finding{{Severity: rules.Block, Message: long}}},
		{Findings: []rules.Finding{{Severity: rules.Block, Message: "m", Path: long}}},
		{Findings: []rules.Finding{{Severity: rules.Block, Message: "m", Passage: long}}},
		{Findings: []rules.Finding{{Severity: rules.Block, Message: "m", Suggestion: long}}},
		{Findings: slices.Repeat(external("", "m"), 100_000)},
		{Comment: long},
		{Comment: "bad \xff bytes"},
		{Findings: external("", "bad \xff bytes")},
	} {
		o.refused(review.ErrOpinion, func() error { _, err := o.desk.Assessing.Assess(t.Context(), carla, p.ID, opinion); return err })
	}
}

// TestManualChief checks that a submission waits for a chief. Until then, no other actor can assess it, and nobody can
// decide on it.
func TestManualChief(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{ManualChief: true})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	o.stands(p, proposals.ChiefReview, o.show(ada, p).Issue)
	o.refused(proposals.ErrState, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, choices(p), ""); return err })
	o.refused(proposals.ErrState, func() error { _, err := o.desk.Assessing.Reassess(t.Context(), p.ID); return err })
	if d := o.show(ada, p); d.Digest != "" || len(d.Obstacles) == 0 {
		t.Errorf("before there is an assessment the digest is %q, the obstacles %v", d.Digest, d.Obstacles)
	}
	o.assess(carla, p, review.Opinion{Recommendation: proposals.RecommendNeedsChanges})
	draft := storetest.Prompt("scene_pacer")
	draft.Rationale = "A better reason."
	p = o.revise(scout, p, draft)
	o.refused(proposals.ErrState, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, choices(p), ""); return err })
	o.assess(carla, p, review.Opinion{})
	if _, err := o.desk.Assessing.Reassess(t.Context(), p.ID); err != nil {
		t.Error(err)
	}
	o.approve(ada, p)
}

// TestOtherRules checks that a proposal assessed with another configuration cannot be approved until it is assessed
// again.
func TestOtherRules(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	severities := storetest.BasicSeverities()
	severities["N101"] = rules.Block
	o.desk = o.Desk(t, review.Policy{Severities: severities})
	o.refused(proposals.ErrConflict, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, choices(p), ""); return err })
	if _, err := o.desk.Assessing.Reassess(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	o.approve(ada, p)
}
