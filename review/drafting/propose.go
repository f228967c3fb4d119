// Package drafting writes proposals and their revisions, and submits them to the Chief of Staff.
package drafting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/admission"
	"toolcrib/review/assessing"
	"toolcrib/review/impact"
	"toolcrib/review/intake"
	"toolcrib/review/records"
	"toolcrib/review/rules/ruleset"
)

// Drafter writes proposals. It is safe for concurrent use.
type Drafter struct {
	records  *records.Records
	chief    *assessing.Chief
	policy   review.Policy
	rules    ruleset.Set
	contents func(sha256 string) ([]byte, error)
}

// New returns a drafter. contents returns the bytes of the binary file with the given SHA-256, or nil if it does not
// know the file. contents may be nil.
func New(r *records.Records, chief *assessing.Chief, policy review.Policy, rules ruleset.Set, contents func(sha256 string) ([]byte, error)) *Drafter {
	return &Drafter{r, chief, policy, rules, contents}
}

// Propose atomically writes all drafts as proposals. If submit is true, it also submits them. The error joins the
// problems of all drafts. If an agent already has an open proposal on the same subject, Propose revises that proposal
// instead of opening another one.
func (d *Drafter) Propose(ctx context.Context, actor proposals.Actor, drafts []proposals.Draft, submit bool) ([]proposals.Proposal, error) {
	if err := fromOutside(actor); err != nil {
		return nil, err
	}
	return d.propose(ctx, actor, drafts, submit, false)
}

// Import is like Propose, but for imported definitions. It revises the open proposal of an earlier import of the same
// definition. If submit is true, it submits complete drafts. Incomplete drafts remain in the state draft.
func (d *Drafter) Import(ctx context.Context, actor proposals.Actor, drafts []proposals.Draft, submit bool) ([]proposals.Proposal, error) {
	if err := fromOutside(actor); err != nil {
		return nil, err
	}
	return d.propose(ctx, actor, drafts, submit, true)
}

// Observe proposes the tools of a guarded server. It is like Import with toolcrib itself as the author. A server can
// have any number of tools, so the limits for agents do not apply; the guard limits the rate instead. The user can
// approve these proposals even if the policy requires four eyes, because the user did not write them.
func (d *Drafter) Observe(ctx context.Context, drafts []proposals.Draft) ([]proposals.Proposal, error) {
	return d.propose(ctx, proposals.Actor{Kind: proposals.System}, drafts, true, true)
}

// fromOutside returns an error if actor is toolcrib itself.
func fromOutside(actor proposals.Actor) error {
	if actor.Kind == proposals.System {
		return fmt.Errorf("%w: toolcrib itself cannot do this; act as a user or an agent", proposals.ErrAuthority)
	}
	return nil
}

// propose atomically writes all drafts as proposals. If imports is true, the drafts revise the proposals of earlier
// imports, and only complete drafts are submitted.
func (d *Drafter) propose(ctx context.Context, actor proposals.Actor, drafts []proposals.Draft, submit, imports bool) ([]proposals.Proposal, error) {
	submissions, submits := make([]admission.Submission, len(drafts)), make([]bool, len(drafts))
	for i, draft := range drafts {
		submissions[i] = admission.NewSubmission(draft)
		if submits[i] = submit && (!imports || len(submissions[i].Problems()) == 0); submits[i] {
			d.chief.RunTests(ctx, submissions[i])
		}
	}
	call := *d
	call.chief = d.chief.WithDrafts(drafts)
	made, err := records.Write(ctx, d.records, func(tx review.Tx) ([]proposals.Proposal, error) {
		made := make([]proposals.Proposal, 0, len(drafts))
		var errs []error
		for i, submission := range submissions {
			p, err := call.proposeOne(ctx, tx, actor, submission, submits[i], imports)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			made = append(made, p)
		}
		return made, errors.Join(errs...)
	})
	if err != nil {
		return nil, err
	}
	return made, d.chief.Consult(ctx, made)
}

// proposeOne writes one draft. If an open proposal of an earlier import or of the same agent exists, the draft becomes
// its next revision. Otherwise, proposeOne creates a proposal. If submit is true, it also submits the proposal.
func (d *Drafter) proposeOne(ctx context.Context, tx review.Tx, actor proposals.Actor, submission admission.Submission, submit, imports bool) (p proposals.Proposal, err error) {
	if submission, err = d.accept(ctx, tx.Reader, actor, submission); err != nil {
		return p, err
	}
	if err := d.keepContents(ctx, tx, submission.Draft.Definition.Folder()); err != nil {
		return p, err
	}
	var open *proposals.Proposal
	if imports {
		if open, err = imported(ctx, tx.Reader, actor, submission.Draft); err != nil {
			return p, err
		}
		if open != nil {
			submission = submission.InChangeSet(cmp.Or(open.ChangeSet, submission.Draft.ChangeSet))
		}
	}
	if open == nil && actor.Kind == proposals.Agent {
		if open, err = openBy(ctx, tx.Reader, actor, submission.Draft.Subject); err != nil {
			return p, err
		}
	}
	if open == nil {
		return d.add(ctx, tx, actor, submission, submit)
	}
	p, rev, err := d.revise(ctx, tx, actor, actor, *open, submission)
	if errors.Is(err, proposals.ErrUnchanged) && actor.Kind == proposals.System {
		return p, nil // another process has proposed the same content
	}
	if errors.Is(err, proposals.ErrUnchanged) && submit && p.State == proposals.Drafted {
		err = nil // the agent drafted the same content earlier and now submits it
	}
	if err != nil || !submit || p.State != proposals.Drafted {
		return p, err
	}
	return d.submit(ctx, tx, actor, p, rev, submission)
}

// add writes a new proposal with the draft in submission as its first revision. If submit is true, add first checks the
// draft and then writes the proposal in the state chief_review. The assessment of the built-in reviewer then moves the
// proposal to the next state.
func (d *Drafter) add(ctx context.Context, tx review.Tx, actor proposals.Actor, submission admission.Submission, submit bool) (p proposals.Proposal, err error) {
	if actor.Kind == proposals.Agent {
		for _, l := range d.limits(actor) {
			n, err := tx.OpenBy(ctx, l.who)
			if err != nil {
				return p, err
			}
			if n >= l.open {
				return p, fmt.Errorf("%w: %s %d; the limit is %d for %s; wait for decisions, or withdraw a proposal", review.ErrLimit, l.holder, n, l.open, l.scope)
			}
		}
		if err := d.checkRate(ctx, tx, actor); err != nil {
			return p, err
		}
	}
	draft, now := submission.Draft, d.records.Time()
	p = proposals.Proposal{
		ID: proposals.ID(d.records.NewID()), Type: draft.Type, Subject: draft.Subject, State: proposals.Drafted, Revision: 1,
		Author: actor, CreatedAt: now, UpdatedAt: now,
	}
	describe(&p, draft)
	rev := proposals.Revision{Proposal: p.ID, Number: 1, Draft: draft, ContentHash: p.ContentHash, Author: actor, CreatedAt: now}
	var issue *proposals.Issue
	if submit {
		if p.State, err = proposals.Permit(actor, proposals.ActSubmit, p); err != nil {
			return p, err
		}
		if err := d.admit(ctx, tx, actor, submission); err != nil {
			return p, err
		}
		p.UpdatedAt, issue = d.records.Time(), new(issueOf(p))
	}
	seal, err := tx.AddProposal(ctx, p, rev, issue)
	if err != nil {
		return p, err
	}
	if err := d.records.Log(ctx, tx, actor, "draft", p, now, seal, nil); err != nil {
		return p, err
	}
	if p, err = tx.Proposal(ctx, p.ID); err != nil || !submit {
		return p, err
	}
	if err := d.logSubmit(ctx, tx, actor, p); err != nil {
		return p, err
	}
	return d.chief.Receive(ctx, tx, p, rev, submission)
}

// Submit submits the draft of the proposal with the given id to the Chief of Staff.
func (d *Drafter) Submit(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error) {
	if err := fromOutside(actor); err != nil {
		return proposals.Proposal{}, err
	}
	d.chief.RunCurrentTests(ctx, id)
	p, err := records.Write(ctx, d.records, func(tx review.Tx) (proposals.Proposal, error) {
		p, rev, err := impact.Current(ctx, tx, id)
		if err != nil {
			return p, err
		}
		return d.submit(ctx, tx, actor, p, rev, admission.NewSubmission(rev.Draft))
	})
	return d.chief.Consulted(ctx, p, err)
}

// submit checks a stored draft and submits it to the Chief of Staff. The built-in reviewer assesses the draft at once,
// unless the policy has external reviewers or requires a chief.
func (d *Drafter) submit(ctx context.Context, tx review.Tx, actor proposals.Actor, p proposals.Proposal, rev proposals.Revision, submission admission.Submission) (proposals.Proposal, error) {
	to, err := proposals.Permit(actor, proposals.ActSubmit, p)
	if err != nil {
		return p, err
	}
	if err := d.admit(ctx, tx, actor, submission); err != nil {
		return p, err
	}
	from := p.State
	p.State, p.UpdatedAt = to, d.records.Time()
	if err := tx.MoveProposal(ctx, p, from); err != nil {
		return p, err
	}
	if p.Issue, err = tx.OpenIssue(ctx, issueOf(p)); err != nil {
		return p, err
	}
	if err := d.logSubmit(ctx, tx, actor, p); err != nil {
		return p, err
	}
	return d.chief.Receive(ctx, tx, p, rev, submission)
}

// admit returns an error if a submission is not acceptable. It also prefetches registry data for the assessment,
// because that must happen before the first write of the transaction.
func (d *Drafter) admit(ctx context.Context, tx review.Tx, actor proposals.Actor, submission admission.Submission) error {
	if err := admission.Gate(ctx, tx.Reader, d.rules, actor, submission); err != nil {
		return err
	}
	return d.chief.PrefetchSimilar(ctx, tx, submission.Draft)
}

func (d *Drafter) logSubmit(ctx context.Context, tx review.Tx, actor proposals.Actor, p proposals.Proposal) error {
	return d.records.Log(ctx, tx, actor, "submit", p, p.UpdatedAt, "", map[string]any{"issue": p.Issue, "content_hash": p.ContentHash})
}

// issueOf returns the issue that is opened when p is submitted.
func issueOf(p proposals.Proposal) proposals.Issue {
	return proposals.Issue{
		Proposal: p.ID, Title: proposals.IssueTitle(p.Subject, p.Title), Assignee: proposals.AssigneeChief,
		Status: proposals.IssueOpen, Labels: proposals.IssueLabels(p),
	}
}

// describe copies from draft to p the fields that the queue shows.
func describe(p *proposals.Proposal, draft proposals.Draft) {
	p.Type, p.BaseVersion, p.ChangeSet = draft.Type, draft.Base(), draft.ChangeSet
	p.ContentHash, p.Title = draft.Definition.Hash(), cmp.Or(draft.Definition.Name(), draft.Subject.ID)
}

// accept completes a draft according to its type. It returns an error if the draft cannot be stored or if actor may not
// write it.
func (d *Drafter) accept(ctx context.Context, r review.Reader, actor proposals.Actor, submission admission.Submission) (admission.Submission, error) {
	if err := proposals.Authorize(actor, proposals.ActDraft, actor); err != nil {
		return submission, err
	}
	draft := submission.Draft
	if draft.Type == "" || draft.Subject == (registry.Subject{}) {
		return submission, &review.Incomplete{What: "a draft", Problems: submission.Problems()}
	}
	if err := admission.Locked(draft.Subject); err != nil {
		return submission, err
	}
	submission, err := admission.Complete(ctx, r, submission)
	if err != nil {
		return submission, err
	}
	if err := admission.CheckSize(submission.Draft); err != nil {
		return submission, err
	}
	return submission, joins(ctx, r, actor, draft.ChangeSet)
}

// keepContents stores the binary files in f. It skips a file if the file is already stored or its bytes are not
// available. f may be nil.
func (d *Drafter) keepContents(ctx context.Context, tx review.Tx, f *registry.Folder) error {
	if f == nil || d.contents == nil {
		return nil
	}
	for _, name := range f.Paths() {
		file := f.Files[name]
		if !file.Binary() {
			continue
		}
		_, stored, err := tx.Content(ctx, file.SHA256)
		var data []byte
		if err == nil && !stored {
			data, err = d.contents(file.SHA256)
		}
		switch {
		case err != nil:
			return err
		case data == nil:
		case registry.HashBytes(data) != file.SHA256:
			return fmt.Errorf("%w: %s changed while it was proposed; try again", proposals.ErrConflict, jsondoc.Quote(name))
		default:
			if err := tx.AddContent(ctx, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// openBy returns the open proposal of actor on s, or nil if there is none.
func openBy(ctx context.Context, r review.Reader, actor proposals.Actor, s registry.Subject) (*proposals.Proposal, error) {
	open, err := r.OpenOn(ctx, s)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(open, func(p proposals.Proposal) bool { return p.Author == actor }); i >= 0 {
		return &open[i], nil
	}
	return nil, nil //nolint:nilnil // nil means that actor has no open proposal on s
}

// imported returns the open proposal that this import should revise instead of opening a new one. An earlier import of
// the same definition wrote the proposal, and actor is allowed to revise it. After a change of the server, the tool of
// the earlier import can be called only if that proposal is revised. imported never returns a proposal that a person or
// an agent wrote.
func imported(ctx context.Context, r review.Reader, actor proposals.Actor, draft proposals.Draft) (*proposals.Proposal, error) {
	open, err := r.OpenOn(ctx, draft.Subject)
	if err != nil {
		return nil, err
	}
	for _, p := range open {
		if p.Type != draft.Type || p.State == proposals.Drafted && p.Author != actor || proposals.Authorize(actor, proposals.ActRevise, p.Author) != nil {
			continue
		}
		rev, err := r.Revision(ctx, p.ID, p.Revision)
		if err != nil {
			return nil, err
		}
		if p.Author == actor && actor.Kind == proposals.System || p.Type == proposals.New && sameOrigin(rev.Draft.Definition, draft.Definition) {
			return &p, nil
		}
		generated, err := isGenerated(ctx, r, rev)
		if err != nil {
			return nil, err
		}
		if generated {
			return &p, nil
		}
	}
	return nil, nil //nolint:nilnil // nil means that there is no such proposal
}

// isGenerated reports whether an import generated the whole content of rev.
func isGenerated(ctx context.Context, r review.Reader, rev proposals.Revision) (bool, error) {
	if rev.Author.Kind == proposals.System {
		return true, nil
	}
	if rev.Draft.Base() == 0 {
		return intake.Generated(rev.Draft, nil), nil
	}
	v, err := r.Version(ctx, rev.Draft.Subject, rev.Draft.Base())
	if err != nil {
		return false, err
	}
	base, err := v.Decode()
	return err == nil && intake.Generated(rev.Draft, &base), err
}

// sameOrigin reports whether a and b were imported from the same place: the same folder, or the same tool of the same
// server or file.
func sameOrigin(a, b registry.Definition) bool {
	if f, g := a.Folder(), b.Folder(); f != nil && g != nil {
		return f.Path == g.Path
	}
	t, u := a.Tool, b.Tool
	return t != nil && u != nil && t.Source != nil && u.Source != nil && t.Source.Type == u.Source.Type && t.Source.Ref == u.Source.Ref
}

// limit is the maximum number of open proposals and of writes of one agent, or of all agents together. A limit for each
// agent alone would have no effect, because an agent can choose a new name.
type limit struct {
	who    proposals.Actor // zero for all agents
	open   int
	writes int // per hour
	holder string
	scope  string
}

// limits returns the limits that apply to actor: the limit for each agent, and the limit for all agents together.
func (d *Drafter) limits(actor proposals.Actor) []limit {
	return []limit{
		{actor, d.policy.MaxOpen, d.policy.MaxWrites, actor.String() + " has", "an agent"},
		{proposals.Actor{}, d.policy.MaxOpenAll, d.policy.MaxWrites * agentsAtOnce, "all agents together have", "all agents together"},
	}
}

// agentsAtOnce is the number of agents that can use their whole hourly limit at the same time.
const agentsAtOnce = 10

// checkRate returns an error if actor is an agent that has reached an hourly limit. The limits apply to drafts,
// revisions, and comments, because these are never deleted. checkRate must run in the transaction of the next write.
func (d *Drafter) checkRate(ctx context.Context, tx review.Tx, actor proposals.Actor) error {
	if actor.Kind != proposals.Agent {
		return nil
	}
	now := d.records.Time()
	for _, l := range d.limits(actor) {
		times, err := tx.RecentWrites(ctx, l.who, now.Add(-rateWindow), now, l.writes)
		if err != nil {
			return err
		}
		if len(times) >= l.writes {
			first := times[len(times)-1]
			return fmt.Errorf("%w: %s written %d drafts, revisions, and comments since %s; the limit is %d per hour for %s; continue at %s",
				review.ErrPace, l.holder, len(times), clock(first), l.writes, l.scope, clock(first.Add(rateWindow)))
		}
	}
	return nil
}

// rateWindow is the period that the hourly limits apply to.
const rateWindow = time.Hour

func clock(t time.Time) string { return t.Format("15:04:05 UTC") }

// joins returns an error if an agent would add a proposal to a change set with members by other authors. Such a
// proposal could block the change set or be approved along with it.
func joins(ctx context.Context, r review.Reader, actor proposals.Actor, changeSet string) error {
	if changeSet == "" || actor.Kind == proposals.User || actor.Kind == proposals.System {
		return nil
	}
	members, err := r.Members(ctx, changeSet)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Author != actor {
			return fmt.Errorf("%w: change set %q belongs to %s; choose another name for your change set", proposals.ErrAuthority, changeSet, m.Author)
		}
	}
	return nil
}

// Lint runs the rules over draft as if actor submitted it, in the context of the live registry and of the other
// proposals. It returns the same errors as a submission. It writes nothing and does not count toward any limit.
func (d *Drafter) Lint(ctx context.Context, actor proposals.Actor, draft proposals.Draft) (review.Lint, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (review.Lint, error) {
		var p proposals.Proposal
		submission, err := d.accept(ctx, r, actor, admission.NewSubmission(draft))
		if err != nil {
			return review.Lint{}, err
		}
		if actor.Kind == proposals.Agent {
			own, err := openBy(ctx, r, actor, draft.Subject)
			if err != nil {
				return review.Lint{}, err
			}
			if own != nil {
				p = *own
				p.Revision++
			}
		}
		return d.lint(ctx, r, actor, p, submission)
	})
}

// LintProposal is like Lint, but checks the current revision of the proposal with the given id.
func (d *Drafter) LintProposal(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Lint, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (review.Lint, error) {
		p, rev, err := impact.Current(ctx, r, id)
		if err != nil {
			return review.Lint{}, err
		}
		return d.lint(ctx, r, actor, p, admission.NewSubmission(rev.Draft))
	})
}

// lint runs the rules over submission as a revision of p, which may be stored already. p is zero for a new proposal.
func (d *Drafter) lint(ctx context.Context, r review.Reader, actor proposals.Actor, p proposals.Proposal, submission admission.Submission) (out review.Lint, err error) {
	if err := admission.Gate(ctx, r, d.rules, actor, submission); err != nil {
		return out, err
	}
	report, _, err := d.chief.Examine(ctx, r, p.ID, submission)
	if err != nil {
		return out, err
	}
	var waivers []history.Waiver
	if p.ID != "" {
		if waivers, err = r.Waivers(ctx, p.ID); err != nil {
			return out, err
		}
	}
	out.Standing = review.ApplyWaivers(report.Findings, waivers, p.Revision, d.records.Time())
	open, _ := review.Unwaived(out.Standing)
	out.Recommendation = assessing.Recommend(open)
	return out, nil
}
