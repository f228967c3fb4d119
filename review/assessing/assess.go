// Package assessing implements the assessments by the Chief of Staff. The built-in reviewer runs the rules and the test
// cases of a submission. External reviewers and chiefs can add findings.
package assessing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"toolcrib/history"
	"toolcrib/internal/semaphore"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/admission"
	"toolcrib/review/harness"
	"toolcrib/review/impact"
	"toolcrib/review/overlap"
	"toolcrib/review/reach/fact"
	"toolcrib/review/records"
	"toolcrib/review/rules"
	"toolcrib/review/rules/reached"
	"toolcrib/review/rules/ruleset"
)

// Chief assesses submissions. It is safe for concurrent use.
type Chief struct {
	records      *records.Records
	policy       review.Policy
	rules        ruleset.Set
	rulesVersion func() string
	counter      *tokens.Counter
	trials       *Trials
	drafts       []proposals.Draft
	together     map[string]bool // ids of the tools in drafts
}

// New returns a Chief. rulesVersion returns the identifier of the rules and the policy in force. counter counts the
// tokens of prompts. trials caches the results of test cases.
func New(r *records.Records, policy review.Policy, rules ruleset.Set, rulesVersion func() string, counter *tokens.Counter, trials *Trials) *Chief {
	return &Chief{records: r, policy: policy, rules: rules, rulesVersion: rulesVersion, counter: counter, trials: trials}
}

// WithDrafts returns a Chief for drafts that one call proposes and that go live together. When the Chief assesses one
// of the drafts, it considers the other drafts, too.
func (c *Chief) WithDrafts(drafts []proposals.Draft) *Chief {
	with := *c
	with.drafts, with.together = drafts, map[string]bool{}
	for _, d := range drafts {
		if d.Definition.Tool != nil && d.Type != proposals.Deactivate {
			with.together[d.Subject.ID] = true
		}
	}
	return &with
}

// Assess records an assessment by actor, who must be a chief, of the current revision of a proposal. o is the opinion
// of actor.
func (c *Chief) Assess(ctx context.Context, actor proposals.Actor, id proposals.ID, o review.Opinion) (review.Assessment, error) {
	return records.Write(ctx, c.records, func(tx review.Tx) (a review.Assessment, err error) {
		p, rev, err := impact.Current(ctx, tx, id)
		if err != nil {
			return a, err
		}
		if err := proposals.Authorize(actor, proposals.ActAssess, p.Author); err != nil {
			return a, fmt.Errorf("%s: %w", p.Name(), err)
		}
		_, a, err = c.assess(ctx, tx, actor, p, rev, admission.NewSubmission(rev.Draft), o)
		return a, err
	})
}

// assess records an assessment of a submitted revision and assigns the issue of the proposal to the user. The
// assessment combines the findings of the rules with the findings in o. assess rejects an opinion about other content
// than the current revision. While p waits for a chief, it also rejects an assessment by the built-in reviewer.
func (c *Chief) assess(ctx context.Context, tx review.Tx, reviewer proposals.Actor, p proposals.Proposal, rev proposals.Revision, submission admission.Submission, o review.Opinion) (_ proposals.Proposal, a review.Assessment, _ error) {
	to, err := proposals.Next(p.State, proposals.ActAssess)
	switch {
	case err != nil:
		return p, a, fmt.Errorf("%s: %w", p.Name(), err)
	case reviewer == proposals.BuiltinChief() && c.policy.ManualChief && p.State == proposals.ChiefReview:
		return p, a, proposals.Reason(proposals.ErrState, "%s: the proposal waits for a chief, and the built-in reviewer cannot replace the chief's assessment", p.Name())
	}
	if err := check(o); err != nil {
		return p, a, err
	}
	if o.Revision != 0 && o.Revision != p.Revision || o.ContentHash != "" && o.ContentHash != p.ContentHash {
		return p, a, fmt.Errorf("%w: %s is now at revision %d; assess that revision", proposals.ErrConflict, p.Name(), p.Revision)
	}
	report, change, err := c.Examine(ctx, tx.Reader, p.ID, submission)
	if err != nil {
		return p, a, err
	}
	earlier, err := tx.Assessments(ctx, p.ID, p.Revision)
	if err != nil {
		return p, a, err
	}
	byRules := report.Findings
	report.Findings = addExternal(byRules, change.Bind(append(carried(earlier), o.Findings...)))
	report.Advice, report.Problems = o.Recommendation, o.Problems
	waivers, err := tx.Waivers(ctx, p.ID)
	if err != nil {
		return p, a, err
	}
	at := c.records.Time()
	standing := review.ApplyWaivers(report.Findings, waivers, p.Revision, at)
	open, _ := review.Unwaived(standing)
	recommendation := Recommend(open).Lower(advice(earlier, reviewer)).Lower(o.Recommendation)
	if reviewer == proposals.BuiltinChief() {
		report.Comment = c.comment(report, standing, recommendation, o)
	} else { // a chief writes its own comment
		own := review.ApplyWaivers(byRules, waivers, p.Revision, at)
		open, _ := review.Unwaived(own)
		report.Comment, report.Builtin = o.Comment, c.comment(report, own, Recommend(open), review.Opinion{})
	}
	a = review.Assessment{
		ID: c.records.NewID(), Proposal: p.ID, Revision: p.Revision, ContentHash: rev.ContentHash, Reviewer: reviewer,
		Recommendation: recommendation, Report: report, RulesVersion: c.rulesVersion(), At: at,
	}
	from := p.State
	p.State, p.UpdatedAt = to, a.At
	p.Summary = review.Summarize(recommendation, standing)
	seal, err := tx.AddAssessment(ctx, a)
	if err != nil {
		return p, a, err
	}
	if err := tx.MoveProposal(ctx, p, from); err != nil {
		return p, a, err
	}
	if err := tx.AssignIssue(ctx, p.ID, proposals.AssigneeUser, proposals.IssueOpen); err != nil {
		return p, a, err
	}
	return p, a, c.records.Log(ctx, tx, reviewer, "assess", p, p.UpdatedAt, seal, map[string]any{
		"assessment": a.ID, "recommendation": string(recommendation), "findings": p.Summary.Findings, "blocks": p.Summary.Blocks,
	})
}

// Examine runs the rules over the draft of the proposal with the given id in the context of the live registry and of
// the other proposals. It also returns the input of the rules.
func (c *Chief) Examine(ctx context.Context, r review.Reader, id proposals.ID, submission admission.Submission) (report review.Report, change *rules.Change, err error) {
	draft, change := submission.Draft, submission.Change()
	if change.Before, err = impact.Live(ctx, r, draft.Subject); err != nil {
		return report, change, err
	}
	if change.Before != nil && change.Before.Refused != nil {
		change.Before = nil // all of the text is new, because no valid signature covers the live version
	}
	if change.Prompts, err = records.Snapshot(r).Costs(ctx, draft, c.counter); err != nil {
		return report, change, err
	}
	if change.Source, err = records.Source(ctx, r, draft.Definition); err != nil {
		return report, change, err
	}
	world := records.World{RegistryReader: r}
	if world.Coming, change.Coming, err = c.comingWith(ctx, r, draft); err != nil {
		return report, change, err
	}
	if change.Twins, err = twins(ctx, r, id, draft); err != nil {
		return report, change, err
	}
	change.World, change.Outcomes = world, c.trials.run(ctx, draft, nil)
	findings, err := c.rules.Check(ctx, change)
	report = review.Report{Findings: findings, Harness: change.Outcomes}
	for _, g := range fact.ByKind(reached.Difference(change).Added) {
		report.Reach = append(report.Reach, g.Kind)
	}
	return report, change, err
}

// comingWith returns the allow-lists and the ids of the tools that go live together with draft. The draft can refer to
// them. They belong to the change set of draft or were proposed in the same call.
func (c *Chief) comingWith(ctx context.Context, r review.Reader, draft proposals.Draft) (lists []registry.Live, tools map[string]bool, err error) {
	if draft.Subject.Kind == registry.KindTool {
		return nil, c.together, nil
	}
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
	for _, other := range c.drafts {
		if other.ChangeSet == draft.ChangeSet {
			add(other)
		}
	}
	return lists, tools, nil
}

// PrefetchSimilar finds the tools similar to draft and caches them for the assessment. It must be called before the
// first write of the transaction: after a write, the database engine retains every page that it reads, and with 100,000
// tools this search reads many pages.
func (c *Chief) PrefetchSimilar(ctx context.Context, tx review.Tx, draft proposals.Draft) error {
	t := draft.Definition.Tool
	if t == nil || draft.Type == proposals.Deactivate || c.elsewhere() || !c.rules.QueriesSimilar() {
		return nil
	}
	_, err := tx.Alike(ctx, overlap.NewFingerprint(*t))
	return err
}

// mostTwins is the maximum number of proposals with identical text that are read.
const mostTwins = 8

// twins returns the newest open or rejected proposals that have the same text as draft. It omits the proposal with the
// given id. A proposal on another subject is always a twin. A proposal on the same subject is a twin only if its whole
// definition is identical; otherwise, draft is a revision of its content.
func twins(ctx context.Context, r review.Reader, id proposals.ID, draft proposals.Draft) ([]rules.Twin, error) {
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
			for _, d := range decisions { // the last decision is the rejection
				twin.Reason = d.Note
			}
		}
		found = append(found, twin)
	}
	return found, nil
}

// RunTests runs the test cases of a submission and caches the results for the following transaction. It requests
// missing answers from the model if a model is configured, the submission is complete, and the call is not a dry run.
func (c *Chief) RunTests(ctx context.Context, submission admission.Submission) {
	var model harness.Model
	if c.policy.Model != nil && !c.records.DryRun && len(submission.Problems()) == 0 {
		model = &untilUnreachable{model: c.policy.Model}
	}
	c.trials.run(ctx, submission.Draft, model)
}

// untilUnreachable wraps a model. After the model could not be reached once, untilUnreachable sends no further requests
// to it.
type untilUnreachable struct {
	model harness.Model
	gone  error
}

func (m *untilUnreachable) Answer(ctx context.Context, prompt, input string) (string, error) {
	if m.gone != nil {
		return "", m.gone
	}
	back := semaphore.Outside(ctx)
	text, err := m.model.Answer(ctx, prompt, input)
	back()
	if errors.Is(err, harness.ErrNotConnected) {
		m.gone = err
	}
	return text, err
}

// RunCurrentTests is like RunTests, but runs the test cases of the current revision of the proposal with the given id.
// It does nothing if no model is configured. It ignores errors of reading the proposal, because the caller reads the
// proposal again and reports them.
func (c *Chief) RunCurrentTests(ctx context.Context, id proposals.ID) {
	if c.policy.Model == nil {
		return
	}
	rev, err := records.Read(ctx, c.records, func(r review.Reader) (proposals.Revision, error) {
		_, rev, err := impact.Current(ctx, r, id)
		return rev, err
	})
	if err == nil {
		c.RunTests(ctx, admission.NewSubmission(rev.Draft))
	}
}

// Consult has the external reviewers assess each proposal in ps that is in the state chief_review, and updates this
// element of ps. No transaction is open while Consult waits for a reviewer. It skips a proposal that another process
// changes in the meantime.
func (c *Chief) Consult(ctx context.Context, ps []proposals.Proposal) error {
	if len(c.policy.Consultants) == 0 || c.policy.ManualChief || c.records.DryRun {
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
		if ps[i], err = records.Read(ctx, c.records, func(r review.Reader) (proposals.Proposal, error) { return r.Proposal(ctx, p.ID) }); err != nil {
			return err
		}
	}
	return nil
}

// Consulted calls Consult for p and returns the updated proposal. If err is not nil, Consulted does not call Consult,
// and returns p and err.
func (c *Chief) Consulted(ctx context.Context, p proposals.Proposal, err error) (proposals.Proposal, error) {
	if err != nil {
		return p, err
	}
	ps := []proposals.Proposal{p}
	err = c.Consult(ctx, ps)
	return ps[0], err
}

// Reassess records a new assessment of the current revision of the proposal with the given id. It is used when the
// rules, the configuration, or the registry have changed, and to consult the external reviewers. The assessment
// combines the findings of the external reviewers with the findings of the rules. Any actor can request it, because it
// contains no judgment by the actor. If the proposal is revised in the meantime, Reassess returns
// proposals.ErrConflict.
func (c *Chief) Reassess(ctx context.Context, id proposals.ID) (review.Assessment, error) {
	req, err := records.Read(ctx, c.records, func(r review.Reader) (req review.Request, err error) {
		p, rev, err := impact.Current(ctx, r, id)
		if err != nil {
			return req, err
		}
		if _, err := proposals.Next(p.State, proposals.ActAssess); err != nil {
			return req, fmt.Errorf("%s: %w", p.Name(), err)
		}
		report, change, err := c.Examine(ctx, r, p.ID, admission.NewSubmission(rev.Draft))
		req = review.Request{Proposal: p, Draft: rev.Draft, Source: change.Source, Findings: report.Findings, Obligation: review.Obligation}
		if change.Before != nil {
			req.Before = change.Before.Definition
		}
		return req, err
	})
	if err != nil {
		return review.Assessment{}, err
	}
	c.RunTests(ctx, admission.NewSubmission(req.Draft))
	o := review.Opinion{Revision: req.Proposal.Revision, ContentHash: req.Proposal.ContentHash}
	for _, consultant := range c.policy.Consultants {
		if c.records.DryRun {
			break // a dry run does not consult external reviewers
		}
		back := semaphore.Outside(ctx)
		said, err := consultant.Review(ctx, req)
		back()
		if ctx.Err() != nil {
			return review.Assessment{}, ctx.Err()
		}
		o = add(o, consultant.Name(), said, err)
	}
	return c.Assess(ctx, proposals.BuiltinChief(), id, o)
}

// Receive handles a submitted revision. If no external reviewer or chief must assess it, the built-in reviewer assesses
// it at once.
func (c *Chief) Receive(ctx context.Context, tx review.Tx, p proposals.Proposal, rev proposals.Revision, submission admission.Submission) (proposals.Proposal, error) {
	if c.elsewhere() {
		return p, nil
	}
	p, _, err := c.assess(ctx, tx, proposals.BuiltinChief(), p, rev, submission, review.Opinion{})
	return p, err
}

// elsewhere reports whether submissions wait for external reviewers or for a chief.
func (c *Chief) elsewhere() bool { return c.policy.ManualChief || len(c.policy.Consultants) > 0 }

// Trials caches the results of test cases. A key is a hash of the test cases. If answers are missing, the hash also
// covers the definition. Test cases run before a write transaction begins, because the run may take long and a model
// needs seconds to answer.
type Trials struct {
	mu      sync.Mutex
	results map[string][]harness.Result
}

// maxTrials is the maximum number of entries in the cache. A full cache is cleared.
const maxTrials = 4096

// run returns the results of the test cases of draft, from the cache if possible. It sends each case without a recorded
// answer to model. If model is nil and an earlier run had a model, run returns the results of that run.
func (t *Trials) run(ctx context.Context, draft proposals.Draft, model harness.Model) []harness.Result {
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
