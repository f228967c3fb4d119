// Package admission decides which drafts can be submitted: they must be complete, fit the live version, leave the core
// tools unchanged, and contain only content that reviewers can be shown.
package admission

import (
	"context"
	"errors"
	"fmt"
	"sync"

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

// Submission is a draft to be submitted. Its completeness is checked only once.
type Submission struct {
	Draft    proposals.Draft
	problems func() proposals.Problems
}

// NewSubmission returns the submission of a draft.
func NewSubmission(draft proposals.Draft) Submission {
	return Submission{draft, sync.OnceValue(draft.Problems)}
}

// Problems returns the reasons why the draft cannot be submitted.
func (s Submission) Problems() proposals.Problems { return s.problems() }

// Change returns the input of the rules. It includes the known problems, which the rules of the T family report.
func (s Submission) Change() *rules.Change {
	c := &rules.Change{Draft: s.Draft}
	rules.Computed(c, func(*rules.Change) proposals.Problems { return s.problems() })
	return c
}

// InChangeSet returns the submission of the draft in another change set.
func (s Submission) InChangeSet(changeSet string) Submission {
	if s.Draft.ChangeSet == changeSet {
		return s
	}
	s.Draft.ChangeSet = changeSet
	return NewSubmission(s.Draft)
}

// Complete fills in the definition that the type of a draft implies: the live definition with another status, or the
// definition of an earlier version.
func Complete(ctx context.Context, r review.RegistryReader, s Submission) (Submission, error) {
	draft := s.Draft
	if !draft.Definition.IsZero() || draft.Type == proposals.New || draft.Type == proposals.Modify {
		return s, nil
	}
	from := draft.Base()
	if draft.Type == proposals.Restore {
		from = draft.RestoreVersion
	}
	definition, err := records.Definition(ctx, r, draft.Subject, from)
	switch {
	case errors.Is(err, proposals.ErrNotFound):
		return s, nil // the gate reports the problem at submission
	case err != nil:
		return s, err
	}
	draft.Definition = Implied(draft.Type, definition)
	return NewSubmission(draft), nil
}
