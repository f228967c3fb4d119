package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolcrib/internal/turns"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/harness"
	"toolcrib/review/impact"
	"toolcrib/review/overlap"
	"toolcrib/review/rules"
)

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

// consult asks the external reviewers about those of ps that wait for the
// chief, outside of any transaction, and brings ps up to date. A proposal that
// somebody else moved on meanwhile is left to them.
func (c *chief) consult(ctx context.Context, ps []proposals.Proposal) error {
	if len(c.policy.Consultants) == 0 || c.policy.ManualChief || c.dryRun {
		return nil
	}
	for i, p := range ps {
		if p.State != proposals.ChiefReview {
			continue
		}
		_, err := c.Reassess(ctx, p.ID)
		if err != nil && !errors.Is(err, proposals.ErrConflict) && !errors.Is(err, proposals.ErrState) {
			return fmt.Errorf("%s was submitted and waits for its assessment: %w", p.Name(), err)
		}
		if ps[i], err = read(ctx, c.office, func(r Reader) (proposals.Proposal, error) { return r.Proposal(ctx, p.ID) }); err != nil {
			return err
		}
	}
	return nil
}

// consulted is consult for one proposal, unless err already says otherwise.
func (c *chief) consulted(ctx context.Context, p proposals.Proposal, err error) (proposals.Proposal, error) {
	if err != nil {
		return p, err
	}
	ps := []proposals.Proposal{p}
	err = c.consult(ctx, ps)
	return ps[0], err
}

// Reassess files a new assessment of the current revision: after the rules, the
// configuration or the registry changed, or when external reviewers are to be
// asked again. What they say is filed together with what the rules find. It is
// no judgement of the caller's, so any actor may ask for it. When the proposal
// is revised meanwhile, the answer is about other content and ErrConflict is
// returned.
func (d *chief) Reassess(ctx context.Context, id proposals.ID) (Assessment, error) {
	req, err := d.request(ctx, id)
	if err != nil {
		return Assessment{}, err
	}
	d.try(ctx, req.Draft)
	o := Opinion{Revision: req.Proposal.Revision, ContentHash: req.Proposal.ContentHash}
	for _, c := range d.policy.Consultants {
		if d.dryRun {
			break // a dry run asks no external reviewer
		}
		back := turns.Outside(ctx)
		said, err := c.Review(ctx, req)
		back()
		if ctx.Err() != nil {
			return Assessment{}, ctx.Err()
		}
		o = o.with(c.Name(), said, err)
	}
	return d.Assess(ctx, proposals.BuiltinChief(), id, o)
}

// request returns the view of a proposal that an external reviewer gets.
func (c *chief) request(ctx context.Context, id proposals.ID) (Request, error) {
	return read(ctx, c.office, func(r Reader) (req Request, err error) {
		p, rev, err := impact.Current(ctx, r, id)
		if err != nil {
			return req, err
		}
		if _, err := proposals.Next(p.State, proposals.ActAssess); err != nil {
			return req, fmt.Errorf("%s: %w", p.Name(), err)
		}
		report, _, err := c.examine(ctx, r, p.ID, rev.Draft)
		if err != nil {
			return req, err
		}
		before, err := impact.Live(ctx, r, p.Subject)
		if err != nil {
			return req, err
		}
		raw, err := source(ctx, r, rev.Draft.Definition)
		req = Request{Proposal: p, Draft: rev.Draft, Source: raw, Findings: report.Findings, Obligation: Obligation}
		if before != nil {
			req.Before = before.Definition
		}
		return req, err
	})
}

// receive is the chief's desk: the built-in reviewer at once, or a wait for
// somebody outside. External reviewers are asked when the transaction is over.
func (c *chief) receive(ctx context.Context, tx Tx, p proposals.Proposal, rev proposals.Revision) (proposals.Proposal, error) {
	if c.elsewhere() {
		return p, nil
	}
	p, _, err := c.assess(ctx, tx, proposals.BuiltinChief(), p, rev, Opinion{})
	return p, err
}

// elsewhere reports whether a submission waits for a reviewer that is not built
// in.
func (c *chief) elsewhere() bool { return c.policy.ManualChief || len(c.policy.Consultants) > 0 }
