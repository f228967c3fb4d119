package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/harness"
	"toolcrib/review/impact"
	"toolcrib/review/overlap"
	"toolcrib/review/rules"
)

// chief is the Chief of Staff: what reviews a submission before anybody decides about it.
type chief struct {
	*office
	// together holds the drafts of the same call, which go live together.
	together []proposals.Draft
}

// Assess files a chief's assessment of the current revision.
func (c *chief) Assess(ctx context.Context, actor proposals.Actor, id proposals.ID, o Opinion) (Assessment, error) {
	return write(ctx, c.office, func(tx Tx) (a Assessment, err error) {
		p, rev, err := impact.Current(ctx, tx, id)
		if err != nil {
			return a, err
		}
		if err := proposals.Authorize(actor, proposals.ActAssess, p.Author); err != nil {
			return a, fmt.Errorf("%s: %w", p.Name(), err)
		}
		_, a, err = c.assess(ctx, tx, actor, p, rev, o)
		return a, err
	})
}

// assess files what the rules find in a revision, together with an opinion.
func (c *chief) assess(ctx context.Context, tx Tx, reviewer proposals.Actor, p proposals.Proposal, rev proposals.Revision, o Opinion) (proposals.Proposal, Assessment, error) {
	to, err := c.assessable(reviewer, p, o)
	if err != nil {
		return p, Assessment{}, err
	}
	report, change, err := c.examine(ctx, tx.Reader, p.ID, rev.Draft)
	if err != nil {
		return p, Assessment{}, err
	}
	earlier, err := tx.Assessments(ctx, p.ID, p.Revision)
	if err != nil {
		return p, Assessment{}, err
	}
	byRules := report.Findings
	report.Findings = adopt(byRules, change.Bind(append(carried(earlier), o.Findings...)))
	report.Advice, report.Problems = o.Recommendation, o.Problems
	waivers, err := tx.Waivers(ctx, p.ID)
	if err != nil {
		return p, Assessment{}, err
	}
	at := c.stamp()
	standing := stand(report.Findings, waivers, p.Revision, at)
	open, _ := unwaived(standing)
	recommendation := recommend(open).Lower(advice(earlier, reviewer)).Lower(o.Recommendation)
	if reviewer == proposals.BuiltinChief() {
		report.Comment = c.comment(report, standing, recommendation, o)
	} else { // a chief signs what the chief wrote, and nothing else
		own := stand(byRules, waivers, p.Revision, at)
		open, _ := unwaived(own)
		report.Comment, report.Builtin = o.Comment, c.comment(report, own, recommend(open), Opinion{})
	}
	a := Assessment{
		ID: c.newID(), Proposal: p.ID, Revision: p.Revision, ContentHash: rev.ContentHash, Reviewer: reviewer,
		Recommendation: recommendation, Report: report, RulesVersion: c.RulesVersion(), At: at,
	}
	from := p.State
	p.State, p.UpdatedAt = to, a.At
	p.Summary = summarize(recommendation, standing)
	return p, a, c.addAssessment(ctx, tx, p, a, from)
}

// assessable returns the state that an assessment takes p to. It refuses the
// built-in reviewer's while p waits for a chief, and an opinion about other
// content.
func (c *chief) assessable(reviewer proposals.Actor, p proposals.Proposal, o Opinion) (proposals.State, error) {
	to, err := proposals.Next(p.State, proposals.ActAssess)
	if err != nil {
		return to, fmt.Errorf("%s: %w", p.Name(), err)
	}
	if reviewer == proposals.BuiltinChief() && c.policy.ManualChief && p.State == proposals.ChiefReview {
		return to, fmt.Errorf("%s: %w: it waits for the assessment of a chief; the built-in reviewer cannot replace it", p.Name(), proposals.ErrState)
	}
	if err := o.check(); err != nil {
		return to, err
	}
	if o.Revision != 0 && o.Revision != p.Revision || o.ContentHash != "" && o.ContentHash != p.ContentHash {
		return to, fmt.Errorf("%w: %s is now at revision %d; assess that one", proposals.ErrConflict, p.Name(), p.Revision)
	}
	return to, nil
}

// addAssessment writes an assessment of p, which it moves on from a state, and
// hands the issue to the user.
func (c *chief) addAssessment(ctx context.Context, tx Tx, p proposals.Proposal, a Assessment, from proposals.State) error {
	seal, err := tx.AddAssessment(ctx, a)
	if err != nil {
		return err
	}
	if err := tx.MoveProposal(ctx, p, from); err != nil {
		return err
	}
	if err := tx.AssignIssue(ctx, p.ID, proposals.AssigneeUser, proposals.IssueOpen); err != nil {
		return err
	}
	return c.log(ctx, tx, a.Reviewer, "assess", p, p.UpdatedAt, seal, map[string]any{
		"assessment": a.ID, "recommendation": string(a.Recommendation), "findings": p.Summary.Findings, "blocks": p.Summary.Blocks,
	})
}

// examine runs the rules over the draft of a proposal as it would meet the live
// registry and the other proposals. It also returns what the rules were given.
func (c *chief) examine(ctx context.Context, r Reader, id proposals.ID, draft proposals.Draft) (Report, *rules.Change, error) {
	before, err := impact.Live(ctx, r, draft.Subject)
	if err != nil {
		return Report{}, nil, err
	}
	costs, err := snapshotOf(r).Costs(ctx, draft, c.Counter())
	if err != nil {
		return Report{}, nil, err
	}
	raw, err := source(ctx, r, draft.Definition)
	if err != nil {
		return Report{}, nil, err
	}
	coming, tools, err := c.comingWith(ctx, r, draft)
	if err != nil {
		return Report{}, nil, err
	}
	same, err := twins(ctx, r, id, draft)
	if err != nil {
		return Report{}, nil, err
	}
	results := c.trials.run(ctx, draft, nil)
	change := &rules.Change{
		Draft: draft, Before: before, Source: raw, World: world{r, coming}, Coming: tools, Twins: same, Prompts: costs, Outcomes: results,
	}
	findings, err := c.rules.Check(ctx, change)
	return Report{Findings: findings, Harness: results}, change, err
}

// comingWith returns the allow-lists and the ids of the tools that go live together
// with a draft that may refer to them: those of its change set, and those that are
// proposed with it in one call.
func (c *chief) comingWith(ctx context.Context, r Reader, draft proposals.Draft) (lists []registry.Live, tools map[string]bool, err error) {
	if draft.ChangeSet == "" || draft.Subject.Kind != registry.KindAgent && draft.Subject.Kind != registry.KindList {
		return nil, nil, nil
	}
	tools = map[string]bool{}
	add := func(other proposals.Draft) {
		switch {
		case other.Definition.Tool != nil && other.Type != proposals.Deactivate:
			tools[other.Subject.ID] = true
		case other.Definition.List != nil && draft.Subject.Kind == registry.KindAgent:
			lists = append(lists, registry.Live{Subject: other.Subject, Version: other.Base() + 1, Definition: other.Definition})
		}
	}
	members, err := r.Members(ctx, draft.ChangeSet)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range members {
		switch {
		case !m.State.Open():
		case m.Subject.Kind == registry.KindTool:
			tools[m.Subject.ID] = m.Type != proposals.Deactivate
		case m.Subject.Kind == registry.KindList && draft.Subject.Kind == registry.KindAgent:
			rev, err := r.Revision(ctx, m.ID, m.Revision)
			if err != nil {
				return nil, nil, err
			}
			add(rev.Draft)
		}
	}
	for _, other := range c.together {
		if other.ChangeSet == draft.ChangeSet {
			add(other)
		}
	}
	return lists, tools, nil
}

// prefetchSimilar looks up the tools similar to a draft before the transaction's
// first write, for the assessment to use. After a write the engine keeps every
// page that it reads, and among 100,000 tools those are many.
func (c *chief) prefetchSimilar(ctx context.Context, tx Tx, draft proposals.Draft) error {
	t := draft.Definition.Tool
	if t == nil || draft.Type == proposals.Deactivate || c.elsewhere() || !c.rules.AsksAlike() {
		return nil
	}
	_, err := tx.Alike(ctx, overlap.NewFingerprint(*t))
	return err
}

// recommend is the policy by which findings that nobody waived become a
// recommendation:
//
//   - reject, when a core tool is touched or something dangerous is certain: a
//     block of family L or S;
//   - needs_changes, when any other finding blocks, or a warning says that
//     the text could turn an agent against its user or its protocol, that
//     there is such a tool already, or that a test case did not come out as
//     expected: a warning of family S, P, O or T;
//   - approve otherwise; other warnings are for the user to weigh.
func recommend(findings []rules.Finding) proposals.Recommendation {
	worst := proposals.RecommendApprove
	for _, f := range findings {
		family := f.Rule[:1]
		switch {
		case f.Severity == rules.Block && (family == "L" || family == "S"):
			worst = worst.Lower(proposals.RecommendReject)
		case f.Severity == rules.Block, f.Severity == rules.Warn && strings.Contains("SPOT", family):
			worst = worst.Lower(proposals.RecommendNeedsChanges)
		}
	}
	return worst
}

// mostTwins sets how many proposals with the text of another one are looked at.
const mostTwins = 8

// twins returns the latest proposals, open or rejected, that have the text of a
// draft: those on other subjects, and those that say the same of its own subject
// in everything. Of its own subject, a text that stays while something else
// changes counts as a revision, not as a twin.
func twins(ctx context.Context, r Reader, id proposals.ID, draft proposals.Draft) ([]rules.Twin, error) {
	hash := draft.TextHash()
	if hash == "" {
		return nil, nil
	}
	same, err := r.SameText(ctx, hash, id, mostTwins)
	if err != nil {
		return nil, err
	}
	var found []rules.Twin
	for _, p := range same {
		if p.Subject == draft.Subject && p.ContentHash != draft.Definition.Hash() {
			continue
		}
		rev, err := r.Revision(ctx, p.ID, p.Revision)
		if err != nil {
			return nil, err
		}
		twin := rules.Twin{Name: p.Name(), Tool: rev.Draft.Definition.Tool, Rejected: p.State == proposals.Rejected}
		if twin.Rejected {
			decisions, err := r.Decisions(ctx, p.ID)
			if err != nil {
				return nil, err
			}
			for _, d := range decisions { // the last one is the rejection
				twin.Reason = d.Note
			}
		}
		found = append(found, twin)
	}
	return found, nil
}

// trials caches the results of test cases, by the hashes of the cases and of the
// definition. Running them can take a while, and asking a model takes seconds, so
// they run before a write transaction begins.
type trials struct {
	mu      sync.Mutex
	results map[string][]harness.Result
}

// maxTrials limits the cache; a full one is emptied.
const maxTrials = 4096

// run returns how the test cases of a draft come out: on their recorded answers,
// and on those of a model, or without one on those that an earlier run got.
func (t *trials) run(ctx context.Context, draft proposals.Draft, model harness.Model) []harness.Result {
	if len(draft.TestCases) == 0 {
		return nil
	}
	suite := harness.Suite{Cases: draft.TestCases, Model: model}
	text, err := jsondoc.Marshal(draft.TestCases)
	if err != nil {
		return suite.Run(ctx)
	}
	fields := []string{string(text)}
	if slices.ContainsFunc(draft.TestCases, func(c proposals.TestCase) bool { return c.Output == nil }) {
		fields = append(fields, draft.Definition.Hash())
		if model != nil {
			suite.Prompt = impact.Instruction(draft.Definition)
		}
	}
	key := history.Seal(fields...)
	t.mu.Lock()
	results, known := t.results[key]
	t.mu.Unlock()
	if known && (model == nil || !slices.ContainsFunc(results, func(r harness.Result) bool { return r.Outcome == harness.NotRun })) {
		return results
	}
	results = suite.Run(ctx)
	if ctx.Err() != nil {
		return results
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.results == nil || len(t.results) >= maxTrials {
		t.results = map[string][]harness.Result{}
	}
	t.results[key] = results
	return results
}

// try runs the test cases of a draft ahead of the transaction that needs the
// results. What has no recorded answer is asked of the model, if one is
// connected and the run is to be kept.
func (c *chief) try(ctx context.Context, draft proposals.Draft) {
	var model harness.Model
	if c.policy.Model != nil && !c.dryRun {
		model = impact.UntilGone(c.policy.Model)
	}
	if model != nil && len(draft.Problems()) > 0 {
		model = nil // it is not submitted as it is
	}
	c.trials.run(ctx, draft, model)
}

// tryCurrent is try for the current revision of a proposal, when there is a
// model to ask. What cannot be read is reported by the act that follows.
func (c *chief) tryCurrent(ctx context.Context, id proposals.ID) {
	if c.policy.Model == nil {
		return
	}
	rev, err := read(ctx, c.office, func(r Reader) (proposals.Revision, error) {
		_, rev, err := impact.Current(ctx, r, id)
		return rev, err
	})
	if err == nil {
		c.try(ctx, rev.Draft)
	}
}

// world is a rules.World that answers from a snapshot.
type world struct {
	RegistryReader
	coming []registry.Live // lists that go live together with the draft
}

func (w world) Lists(ctx context.Context) ([]registry.Live, error) {
	lists, err := w.RegistryReader.Lists(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range w.coming {
		lists = append(slices.DeleteFunc(lists, func(other registry.Live) bool { return other.Subject == l.Subject }), l)
	}
	return lists, nil
}

func (w world) Alike(ctx context.Context, t *rules.Peer) ([]*rules.Peer, error) {
	found, err := w.RegistryReader.Alike(ctx, t.Fingerprint())
	return rules.Peers(found), err
}
