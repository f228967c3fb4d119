package review

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/review/rules"
)

// Incomplete is everything that keeps a revision from being submitted, or a
// draft from being kept at all. It wraps ErrIncomplete or ErrExcess.
type Incomplete struct {
	What     string // "tool:user/scene_pacer"
	Problems proposals.Problems
	Excess   bool // even for a draft
}

// Head returns what cannot be done, as the beginning of a sentence.
func (e *Incomplete) Head() string {
	if e.Excess {
		return e.What + " cannot be kept"
	}
	return e.What + " cannot be submitted"
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

// checkSize refuses a draft that exceeds the size limits, of any author.
func checkSize(draft proposals.Draft) error {
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
// built-in reviewer at once unless the policy has a manual chief. Callers call
// prefetchSimilar before.
func (d *Desk) submit(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal, rev proposals.Revision) (proposals.Proposal, error) {
	to, err := permit(actor, proposals.ActSubmit, p)
	if err != nil {
		return p, err
	}
	if err := d.gate(ctx, tx, actor, rev.Draft); err != nil {
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

// gate refuses a submission that is incomplete, does not fit the live version,
// touches the core, or was rejected before.
func (d *Desk) gate(ctx context.Context, r Reader, actor proposals.Actor, draft proposals.Draft) error {
	problems := draft.Problems()
	if len(problems) == 0 {
		unfit, err := fits(ctx, r, draft)
		if err != nil {
			return err
		}
		if problems = unfit; len(problems) == 0 {
			if problems, err = unseen(ctx, r, draft); err != nil {
				return err
			}
		}
	}
	if err := incomplete(draft.Subject.String(), problems); err != nil {
		return err
	}
	findings, err := d.rules.CheckFamilies(ctx, &rules.Change{Draft: draft, World: world{RegistryReader: r}}, "L")
	if err != nil {
		return err
	}
	for _, f := range findings {
		return fmt.Errorf("%w: %s %s", ErrLocked, f.Message, f.Suggestion)
	}
	if actor.Kind != proposals.Agent {
		return nil
	}
	rejected, err := r.Rejection(ctx, draft.Subject, draft.Definition.Hash())
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: %s with the same content was rejected by %s on %s, because: %s",
		ErrRepeated, draft.Subject, rejected.By, rejected.At.Format("2006-01-02"), rejected.Note)
}
