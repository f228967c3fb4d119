package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/impact"
	"toolcrib/review/intake"
)

// drafting writes proposals and their revisions, and hands them to the chief.
type drafting struct {
	*office
	*chief
	imports bool // drafts are what an import made of a server's or a file's definitions
}

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

// submit passes a draft through the gate to the Chief of Staff, and through the
// built-in reviewer at once unless the policy has a manual chief. Callers call
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
	p.Issue, err = tx.OpenIssue(ctx, proposals.Issue{
		Proposal: p.ID, Title: proposals.IssueTitle(p.Subject, p.Title), Assignee: proposals.AssigneeChief,
		Status: proposals.IssueOpen, Labels: proposals.IssueLabels(p),
	})
	if err != nil {
		return p, err
	}
	if err := d.log(ctx, tx, actor, "submit", p, p.UpdatedAt, "", map[string]any{"issue": p.Issue, "content_hash": p.ContentHash}); err != nil {
		return p, err
	}
	return d.receive(ctx, tx, p, rev)
}

// draft writes the first revision of a new proposal, or the next one of the
// agent's open proposal on the same subject. submit reports that it is going to be
// submitted at once.
func (d *drafting) draft(ctx context.Context, tx Tx, actor proposals.Actor, draft proposals.Draft, submit bool) (p proposals.Proposal, rev proposals.Revision, err error) {
	if draft, err = d.acceptable(ctx, tx.Reader, actor, draft); err != nil {
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
	if submit {
		if err := d.prefetchSimilar(ctx, tx, draft); err != nil {
			return p, rev, err
		}
	}
	return d.addProposal(ctx, tx, actor, draft)
}

// acceptable completes a draft by its type, and refuses one that cannot even be
// stored.
func (d *drafting) acceptable(ctx context.Context, r Reader, actor proposals.Actor, draft proposals.Draft) (proposals.Draft, error) {
	if err := proposals.Authorize(actor, proposals.ActDraft, actor); err != nil {
		return draft, err
	}
	if draft.Type == "" || draft.Subject == (registry.Subject{}) {
		return draft, incomplete("a draft", draft.Problems())
	}
	if err := lockedSubject(draft.Subject); err != nil {
		return draft, err
	}
	draft, err := complete(ctx, r, draft)
	if err != nil {
		return draft, err
	}
	if err := checkSize(draft); err != nil {
		return draft, err
	}
	return draft, d.joins(ctx, r, actor, draft.ChangeSet)
}

// addProposal writes a proposal with draft as its first revision.
func (d *drafting) addProposal(ctx context.Context, tx Tx, actor proposals.Actor, draft proposals.Draft) (proposals.Proposal, proposals.Revision, error) {
	now := d.stamp()
	p := proposals.Proposal{
		ID: proposals.ID(d.newID()), Type: draft.Type, Subject: draft.Subject, State: proposals.Drafted, Revision: 1,
		Author: actor, CreatedAt: now, UpdatedAt: now,
	}
	describe(&p, draft)
	rev := proposals.Revision{Proposal: p.ID, Number: 1, Draft: draft, ContentHash: p.ContentHash, Author: actor, CreatedAt: now}
	seal, err := tx.AddProposal(ctx, p, rev)
	if err != nil {
		return p, rev, err
	}
	if err := d.log(ctx, tx, actor, "draft", p, p.UpdatedAt, seal, nil); err != nil {
		return p, rev, err
	}
	p, err = tx.Proposal(ctx, p.ID)
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

// limit bounds the writes of one agent, or of all of them together: another name costs an
// agent nothing, so a limit for each alone would hold nobody.
type limit struct {
	who    proposals.Actor // zero for all agents
	open   int
	writes int // in an hour
	holder string
	scope  string
}

// limits returns the limits that an agent is held to.
func (d *drafting) limits(actor proposals.Actor) []limit {
	return []limit{
		{actor, d.policy.MaxOpen, d.policy.MaxWrites, actor.String() + " has", "an agent"},
		{proposals.Actor{}, d.policy.MaxOpenAll, d.policy.MaxWrites * agentsAtOnce, "all agents together have", "all agents together"},
	}
}

// agentsAtOnce sets how many agents can use up what each may write in an hour.
const agentsAtOnce = 10

func (d *drafting) withinLimit(ctx context.Context, tx Tx, actor proposals.Actor) error {
	for _, l := range d.limits(actor) {
		n, err := tx.OpenBy(ctx, l.who)
		if err != nil {
			return err
		}
		if n >= l.open {
			return fmt.Errorf("%w: %s %d, and %d is the limit for %s; wait for decisions or withdraw one", ErrLimit, l.holder, n, l.open, l.scope)
		}
	}
	return nil
}

// withinPace keeps an agent from filling the file with rows that are never deleted:
// drafts, revisions and comments. They are counted where they are recorded, in
// the transaction that would add one more.
func (d *drafting) withinPace(ctx context.Context, tx Tx, actor proposals.Actor) error {
	if actor.Kind != proposals.Agent {
		return nil
	}
	now := d.stamp()
	for _, l := range d.limits(actor) {
		times, err := tx.RecentWrites(ctx, l.who, now.Add(-paceWindow), now, l.writes)
		if err != nil {
			return err
		}
		if len(times) >= l.writes {
			first := times[len(times)-1]
			return fmt.Errorf("%w: %s written %d drafts, revisions and comments since %s, and %d an hour is the limit for %s; go on at %s",
				ErrPace, l.holder, len(times), clock(first), l.writes, l.scope, clock(first.Add(paceWindow)))
		}
	}
	return nil
}

// paceWindow is the time in which an agent's acts are counted.
const paceWindow = time.Hour

func clock(t time.Time) string { return t.Format("15:04:05 UTC") }

// joins keeps everybody but the user, and toolcrib itself, from joining a change set
// that somebody else opened: a stranger in it could hold back or ride along with the
// rest.
func (d *drafting) joins(ctx context.Context, r Reader, actor proposals.Actor, changeSet string) error {
	if changeSet == "" || actor.Kind == proposals.User || actor.Kind == proposals.System {
		return nil
	}
	members, err := r.Members(ctx, changeSet)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Author != actor {
			return fmt.Errorf("%w: change set %q belongs to %s; name one of your own", proposals.ErrAuthority, changeSet, m.Author)
		}
	}
	return nil
}

// lockedSubject refuses a core tool's id in any layer.
func lockedSubject(s registry.Subject) error {
	if s.Kind != registry.KindTool || !shipped.IsCore(s.ID) {
		return nil
	}
	return fmt.Errorf("%w: %s is a core tool, locked in every layer; make your own copy with `toolcrib fork %s`", ErrLocked, s.ID, s.ID)
}
