package review

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
)

// Incomplete is everything that keeps a revision from being submitted, or a
// draft from being kept at all. It wraps ErrIncomplete or ErrExcess.
type Incomplete struct {
	What     string // "tool:user/scene_pacer"
	Problems proposals.Problems
	Excess   bool // even for a draft
}

// Head says what can not be done, as the beginning of a sentence.
func (e *Incomplete) Head() string {
	if e.Excess {
		return e.What + " can not be kept"
	}
	return e.What + " can not be submitted"
}

// Error lists the problems.
func (e *Incomplete) Error() string { return e.Head() + ": " + e.Problems.String() }

// Unwrap returns ErrIncomplete or ErrExcess.
func (e *Incomplete) Unwrap() error {
	if e.Excess {
		return ErrExcess
	}
	return ErrIncomplete
}

// kept refuses a draft with more in it than is kept, whoever wrote it.
func kept(draft proposals.Draft) error {
	if ps := draft.Excess(); len(ps) > 0 {
		return &Incomplete{What: draft.Subject.String(), Problems: ps, Excess: true}
	}
	return nil
}

func incomplete(what string, ps proposals.Problems) error {
	if len(ps) == 0 {
		return nil
	}
	return &Incomplete{What: what, Problems: ps}
}

// submit passes a draft through the gate to the Chief of Staff, and through the
// built-in reviewer at once unless the policy has a manual chief.
func (d *Desk) submit(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal, rev proposals.Revision) (proposals.Proposal, error) {
	if err := proposals.Authorize(actor, proposals.ActSubmit, p.Author); err != nil {
		return p, fmt.Errorf("%s: %w", name(p), err)
	}
	to, err := proposals.Next(p.State, proposals.ActSubmit)
	if err != nil {
		return p, fmt.Errorf("%s: %w", name(p), err)
	}
	if err := d.gate(ctx, tx, actor, rev.Draft); err != nil {
		return p, err
	}
	if err := d.foresee(ctx, tx, rev.Draft); err != nil {
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

// receive is the chief's desk: the built-in reviewer at once, or a wait for
// somebody outside. External reviewers are asked when the transaction is over.
func (d *Desk) receive(ctx context.Context, tx Tx, p proposals.Proposal, rev proposals.Revision) (proposals.Proposal, error) {
	if d.elsewhere() {
		return p, nil
	}
	p, _, err := d.assess(ctx, tx, proposals.BuiltinChief(), p, rev, Opinion{})
	return p, err
}

// elsewhere reports whether a submission waits for a reviewer that is not built
// in.
func (d *Desk) elsewhere() bool { return d.policy.ManualChief || len(d.policy.Consultants) > 0 }

// gate refuses what may not even be reviewed: a submission that is not whole,
// does not fit what is live, touches the core, or was rejected before.
func (d *Desk) gate(ctx context.Context, tx Tx, actor proposals.Actor, draft proposals.Draft) error {
	problems := draft.Problems()
	if len(problems) == 0 {
		unfit, err := fits(ctx, tx, draft)
		if err != nil {
			return err
		}
		problems = unfit
	}
	if err := incomplete(draft.Subject.String(), problems); err != nil {
		return err
	}
	findings, err := d.basis().rules.CheckFamilies(ctx, &rules.Change{Draft: draft, World: world{tx}}, "L")
	if err != nil {
		return err
	}
	for _, f := range findings {
		return fmt.Errorf("%w: %s %s", ErrLocked, f.Message, f.Suggestion)
	}
	if actor.Kind != proposals.Agent {
		return nil
	}
	rejected, err := tx.Rejection(ctx, draft.Subject, draft.Definition.Hash())
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: %s with this very content was rejected by %s on %s, because: %s", ErrRepeated, draft.Subject, rejected.By, rejected.At.Format("2006-01-02"), rejected.Note)
}

// fits reports what about a draft does not fit the version it was made
// against. A base that the live version has moved past is not a problem here:
// the proposal is stale and can be rebased.
func fits(ctx context.Context, r RegistryReader, draft proposals.Draft) (proposals.Problems, error) {
	var ps proposals.Problems
	add := func(rule, path, format string, args ...any) {
		ps = append(ps, proposals.Problem{Rule: rule, Problem: jsondoc.Problem{Path: path, Message: fmt.Sprintf(format, args...)}})
	}
	now, err := live(ctx, r, draft.Subject)
	if err != nil {
		return nil, err
	}
	if draft.Type == proposals.New {
		if now != nil {
			add(proposals.RuleSubject, "type", "is new, but %s is there in version %d (%s); propose to modify or reactivate it", draft.Subject, now.Version, now.Definition.Status())
		}
		if draft.Definition.Status() != registry.Active {
			add(proposals.RuleDefinition, "definition.status", "is deactivated; what is new is active")
		}
		return ps, nil
	}
	if now == nil {
		add(proposals.RuleSubject, "type", "is %s, but there is no %s; propose it as new", draft.Type, draft.Subject)
		return ps, nil
	}
	if draft.Base() > now.Version {
		add(proposals.RuleBaseVersion, "baseVersion", "is %d, but the live version is %d", draft.Base(), now.Version)
		return ps, nil
	}
	base := now.Definition
	if draft.Base() < now.Version {
		if base, err = versionDefinition(ctx, r, draft.Subject, draft.Base()); err != nil {
			return nil, err
		}
	}
	want := base
	switch draft.Type {
	case proposals.Modify:
		if draft.Definition.Hash() == base.Hash() {
			add(proposals.RuleDefinition, "definition", "is the same as version %d; change something", draft.Base())
		}
		if draft.Definition.Status() != base.Status() {
			add(proposals.RuleDefinition, "definition.status", "changes; propose to deactivate or reactivate instead")
		}
		return ps, nil
	case proposals.Deactivate:
		want = base.WithStatus(registry.Deactivated)
	case proposals.Reactivate:
		want = base.WithStatus(registry.Active)
	case proposals.Restore:
		want, err = versionDefinition(ctx, r, draft.Subject, draft.RestoreVersion)
		if errors.Is(err, ErrNotFound) {
			add(proposals.RuleRestoreVersion, "restoreVersion", "is %d, but %s has only %d versions", draft.RestoreVersion, draft.Subject, now.Version)
			return ps, nil
		}
		if err != nil {
			return nil, err
		}
	case proposals.New:
	}
	if want.Hash() == base.Hash() {
		add(proposals.RuleSubject, "type", "is %s, but that changes nothing: version %d is %s with the same content", draft.Type, draft.Base(), base.Status())
	}
	if draft.Definition.Hash() != want.Hash() {
		add(proposals.RuleDefinition, "definition", "differs from what a %s leads to; leave it out, or propose to modify", draft.Type)
	}
	return ps, nil
}
