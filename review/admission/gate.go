// Package admission decides which drafts can be submitted: they must be complete, fit the live version, leave the core
// tools unchanged, and contain only content that reviewers can be shown.
package admission

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review"
	"toolcrib/review/records"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

// CheckSize returns an error for a draft that exceeds the size limits, regardless of its author.
func CheckSize(draft proposals.Draft) error {
	if ps := draft.Excess(); len(ps) > 0 {
		return &review.Incomplete{What: draft.Subject.String(), Problems: ps, Excess: true}
	}
	return nil
}

// Gate returns an error for a submission that is incomplete, does not fit the live version, changes a core tool, or was
// rejected before.
func Gate(ctx context.Context, r review.Reader, set ruleset.Set, actor proposals.Actor, submission Submission) error {
	draft, problems := submission.Draft, submission.Problems()
	for _, find := range []func(context.Context, review.RegistryReader, proposals.Draft) (proposals.Problems, error){Fits, unseen, unknownContents} {
		if len(problems) > 0 {
			break
		}
		var err error
		if problems, err = find(ctx, r, draft); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return &review.Incomplete{What: draft.Subject.String(), Problems: problems}
	}
	if err := wrongExclusion(ctx, r, actor, draft); err != nil {
		return err
	}
	findings, err := set.CheckFamilies(ctx, &rules.Change{Draft: draft, World: records.World{RegistryReader: r}}, "L")
	if err != nil {
		return err
	}
	for _, f := range findings {
		return fmt.Errorf("%w: %s %s", review.ErrLocked, f.Message, f.Suggestion)
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
		review.ErrRepeated, draft.Subject, rejected.By, rejected.At.Format("2006-01-02"), rejected.Note)
}

// Locked returns an error for the id of a core tool, in any layer.
func Locked(s registry.Subject) error {
	if s.Kind != registry.KindTool || !shipped.IsCore(s.ID) {
		return nil
	}
	return fmt.Errorf("%w: %s is a core tool, locked in every layer; make your own copy with `toolcrib fork %s`", review.ErrLocked, s.ID, s.ID)
}
