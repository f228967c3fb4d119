package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/impact"
	"toolcrib/review/intake"
)

// Propose drafts proposals, and submits them when submit is set: all of them or
// none. The error joins the problems of each. An agent that has an open proposal
// on a subject revises that one instead of opening a second.
func (d *drafting) Propose(ctx context.Context, actor proposals.Actor, drafts []proposals.Draft, submit bool) ([]proposals.Proposal, error) {
	if err := fromOutside(actor); err != nil {
		return nil, err
	}
	return d.proposeEach(ctx, actor, drafts, func(proposals.Draft) bool { return submit })
}

// TakeIn is Propose for imported definitions. It revises what an earlier import
// proposed of the same definition. With submit it submits complete drafts, and keeps
// the others as drafts, for somebody to complete.
func (d *drafting) TakeIn(ctx context.Context, actor proposals.Actor, drafts []proposals.Draft, submit bool) ([]proposals.Proposal, error) {
	if err := fromOutside(actor); err != nil {
		return nil, err
	}
	return d.takeIn(ctx, actor, drafts, submit)
}

// fromOutside refuses toolcrib itself as the author of a draft from outside.
func fromOutside(actor proposals.Actor) error {
	if actor.Kind == proposals.System {
		return fmt.Errorf("%w: nobody acts as toolcrib itself", proposals.ErrAuthority)
	}
	return nil
}

// Observe is TakeIn as toolcrib itself: it proposes what a guarded server lists. The
// limits of agents do not hold for it, since a server lists as many tools as it has;
// the guard sets the pace. The user did not write it, and can approve it.
func (d *drafting) Observe(ctx context.Context, drafts []proposals.Draft) ([]proposals.Proposal, error) {
	return d.takeIn(ctx, proposals.Actor{Kind: proposals.System}, drafts, true)
}

func (d *drafting) takeIn(ctx context.Context, actor proposals.Actor, drafts []proposals.Draft, submit bool) ([]proposals.Proposal, error) {
	importing := drafting{d.office, d.chief, true}
	return importing.proposeEach(ctx, actor, drafts, func(draft proposals.Draft) bool { return submit && len(draft.Problems()) == 0 })
}

func (d *drafting) proposeEach(ctx context.Context, actor proposals.Actor, drafts []proposals.Draft, submit func(proposals.Draft) bool) ([]proposals.Proposal, error) {
	wanted := make([]bool, len(drafts))
	for i, draft := range drafts {
		if wanted[i] = submit(draft); wanted[i] {
			d.try(ctx, draft)
		}
	}
	call := drafting{d.office, &chief{d.office, drafts}, d.imports}
	made, err := write(ctx, d.office, func(tx Tx) (made []proposals.Proposal, err error) {
		made = make([]proposals.Proposal, 0, len(drafts))
		var errs []error
		for i, draft := range drafts {
			p, err := call.propose(ctx, tx, actor, draft, wanted[i])
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
	return made, d.consult(ctx, made)
}

func (d *drafting) propose(ctx context.Context, tx Tx, actor proposals.Actor, draft proposals.Draft, submit bool) (proposals.Proposal, error) {
	p, rev, err := d.draft(ctx, tx, actor, draft, submit)
	if errors.Is(err, proposals.ErrUnchanged) && actor.Kind == proposals.System {
		return p, nil // somebody proposed it a moment ago
	}
	if errors.Is(err, proposals.ErrUnchanged) && submit && p.State == proposals.Drafted {
		err = d.prefetchSimilar(ctx, tx, draft) // the agent has drafted this very content and now submits it
	}
	if err != nil || !submit || p.State != proposals.Drafted {
		return p, err
	}
	return d.submit(ctx, tx, actor, p, rev)
}

// Submit hands a draft to the Chief of Staff.
func (d *drafting) Submit(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error) {
	if err := fromOutside(actor); err != nil {
		return proposals.Proposal{}, err
	}
	d.tryCurrent(ctx, id)
	p, err := write(ctx, d.office, func(tx Tx) (proposals.Proposal, error) {
		p, rev, err := impact.Current(ctx, tx, id)
		if err != nil {
			return p, err
		}
		if err = d.prefetchSimilar(ctx, tx, rev.Draft); err != nil {
			return p, err
		}
		return d.submit(ctx, tx, actor, p, rev)
	})
	return d.consulted(ctx, p, err)
}

// submit passes a stored draft through the gate to the Chief of Staff, and through
// the built-in reviewer at once unless the policy has a manual chief. Callers call
// prefetchSimilar before.
func (d *drafting) submit(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal, rev proposals.Revision) (proposals.Proposal, error) {
	to, err := permit(actor, proposals.ActSubmit, p)
	if err != nil {
		return p, err
	}
	if err := d.gate(ctx, tx.Reader, actor, rev.Draft); err != nil {
		return p, err
	}
	from := p.State
	p.State, p.UpdatedAt = to, d.stamp()
	if err := tx.MoveProposal(ctx, p, from); err != nil {
		return p, err
	}
	if p.Issue, err = tx.OpenIssue(ctx, issueOf(p)); err != nil {
		return p, err
	}
	if err := d.logSubmit(ctx, tx, actor, p); err != nil {
		return p, err
	}
	return d.receive(ctx, tx, p, rev)
}

func (d *drafting) logSubmit(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal) error {
	return d.log(ctx, tx, actor, "submit", p, p.UpdatedAt, "", map[string]any{"issue": p.Issue, "content_hash": p.ContentHash})
}

// issueOf returns the issue that a submission of p opens.
func issueOf(p proposals.Proposal) proposals.Issue {
	return proposals.Issue{
		Proposal: p.ID, Title: proposals.IssueTitle(p.Subject, p.Title), Assignee: proposals.AssigneeChief,
		Status: proposals.IssueOpen, Labels: proposals.IssueLabels(p),
	}
}

// draft writes the first revision of a new proposal, or the next one of the
// agent's open proposal on the same subject. It submits a new proposal if submit is
// set.
func (d *drafting) draft(ctx context.Context, tx Tx, actor proposals.Actor, draft proposals.Draft, submit bool) (p proposals.Proposal, rev proposals.Revision, err error) {
	if draft, err = d.acceptable(ctx, tx.Reader, actor, draft); err != nil {
		return p, rev, err
	}
	if err := d.keepContents(ctx, tx, draft.Definition.Folder()); err != nil {
		return p, rev, err
	}
	if d.imports {
		open, err := imported(ctx, tx.Reader, actor, draft)
		if err != nil {
			return p, rev, err
		}
		if open != nil {
			draft.ChangeSet = cmp.Or(open.ChangeSet, draft.ChangeSet)
			return d.revise(ctx, tx, actor, *open, draft)
		}
	}
	if actor.Kind == proposals.Agent {
		own, err := openBy(ctx, tx.Reader, actor, draft.Subject)
		if err != nil {
			return p, rev, err
		}
		if own != nil {
			return d.revise(ctx, tx, actor, *own, draft)
		}
		if err := d.withinLimit(ctx, tx, actor); err != nil {
			return p, rev, err
		}
		if err := d.withinPace(ctx, tx, actor); err != nil {
			return p, rev, err
		}
	}
	return d.addProposal(ctx, tx, actor, draft, submit)
}

// addProposal writes a proposal with draft as its first revision. If submit is set,
// the draft passes the gate first, so that the proposal is written once, as one that
// waits for the Chief of Staff; the built-in reviewer's assessment then moves it on.
func (d *drafting) addProposal(ctx context.Context, tx Tx, actor proposals.Actor, draft proposals.Draft, submit bool) (p proposals.Proposal, rev proposals.Revision, err error) {
	now := d.stamp()
	p = proposals.Proposal{
		ID: proposals.ID(d.newID()), Type: draft.Type, Subject: draft.Subject, State: proposals.Drafted, Revision: 1,
		Author: actor, CreatedAt: now, UpdatedAt: now,
	}
	describe(&p, draft)
	rev = proposals.Revision{Proposal: p.ID, Number: 1, Draft: draft, ContentHash: p.ContentHash, Author: actor, CreatedAt: now}
	var issue *proposals.Issue
	if submit {
		if p.State, err = permit(actor, proposals.ActSubmit, p); err != nil {
			return p, rev, err
		}
		if err := d.gate(ctx, tx.Reader, actor, draft); err != nil {
			return p, rev, err
		}
		if err := d.prefetchSimilar(ctx, tx, draft); err != nil {
			return p, rev, err
		}
		p.UpdatedAt, issue = d.stamp(), new(issueOf(p))
	}
	seal, err := tx.AddProposal(ctx, p, rev, issue)
	if err != nil {
		return p, rev, err
	}
	if err := d.log(ctx, tx, actor, "draft", p, now, seal, nil); err != nil {
		return p, rev, err
	}
	if p, err = tx.Proposal(ctx, p.ID); err != nil || !submit {
		return p, rev, err
	}
	if err := d.logSubmit(ctx, tx, actor, p); err != nil {
		return p, rev, err
	}
	p, err = d.receive(ctx, tx, p, rev)
	return p, rev, err
}

// describe copies into a proposal what the queue shows of its draft.
func describe(p *proposals.Proposal, draft proposals.Draft) {
	p.Type, p.BaseVersion, p.ChangeSet = draft.Type, draft.Base(), draft.ChangeSet
	p.ContentHash = draft.Definition.Hash()
	p.Title = draft.Definition.Name()
	if p.Title == "" {
		p.Title = draft.Subject.ID
	}
}

func openBy(ctx context.Context, r Reader, actor proposals.Actor, s registry.Subject) (*proposals.Proposal, error) {
	open, err := r.OpenOn(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, p := range open {
		if p.Author == actor {
			return &p, nil
		}
	}
	return nil, nil //nolint:nilnil // none open is an answer, not an error
}

// imported returns the open proposal that an imported draft of an actor revises: what
// an import proposed in the same place, if the actor may revise it. Once the server has
// changed, nobody could call what it approves. Other proposals about the subject are
// somebody's own wish.
func imported(ctx context.Context, r Reader, actor proposals.Actor, draft proposals.Draft) (*proposals.Proposal, error) {
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
	return nil, nil //nolint:nilnil // none is an answer, not an error
}

// isGenerated reports whether an import wrote all of a revision.
func isGenerated(ctx context.Context, r Reader, rev proposals.Revision) (bool, error) {
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

// sameOrigin reports whether two definitions were imported from the same place.
func sameOrigin(a, b registry.Definition) bool {
	if f, g := a.Folder(), b.Folder(); f != nil && g != nil {
		return f.Path == g.Path
	}
	t, u := a.Tool, b.Tool
	return t != nil && u != nil && t.Source != nil && u.Source != nil && t.Source.Type == u.Source.Type && t.Source.Ref == u.Source.Ref
}

// lockedSubject refuses a core tool's id in any layer.
func lockedSubject(s registry.Subject) error {
	if s.Kind != registry.KindTool || !shipped.IsCore(s.ID) {
		return nil
	}
	return fmt.Errorf("%w: %s is a core tool, locked in every layer; make your own copy with `toolcrib fork %s`", ErrLocked, s.ID, s.ID)
}
