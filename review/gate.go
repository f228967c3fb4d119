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

// gate refuses a submission that is incomplete, does not fit the live version,
// touches the core, or was rejected before.
func (c *chief) gate(ctx context.Context, r Reader, actor proposals.Actor, draft proposals.Draft) error {
	problems := draft.Problems()
	if len(problems) == 0 {
		unfit, err := fits(ctx, r, draft)
		if err != nil {
			return err
		}
		if problems = unfit; len(problems) == 0 {
			if problems, err = unseen(ctx, r, draft); err == nil && len(problems) == 0 {
				problems, err = unknownContents(ctx, r, draft)
			}
			if err != nil {
				return err
			}
		}
	}
	if err := incomplete(draft.Subject.String(), problems); err != nil {
		return err
	}
	findings, err := c.rules.CheckFamilies(ctx, &rules.Change{Draft: draft, World: world{RegistryReader: r}}, "L")
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
	case errors.Is(err, proposals.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: %s with the same content was rejected by %s on %s, because: %s",
		ErrRepeated, draft.Subject, rejected.By, rejected.At.Format("2006-01-02"), rejected.Note)
}

// permit returns the state that an act of actor takes a proposal to. The error
// wraps proposals.ErrAuthority when the actor may not do it, and
// proposals.ErrState when nobody may while the proposal is where it is.
func permit(actor proposals.Actor, act proposals.Act, p proposals.Proposal) (proposals.State, error) {
	if err := proposals.Authorize(actor, act, p.Author); err != nil {
		return "", fmt.Errorf("%s: %w", p.Name(), err)
	}
	to, err := proposals.Next(p.State, act)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.Name(), err)
	}
	return to, nil
}
