// Package admission decides whether a draft can be submitted. The draft must be complete, fit the live version, and
// leave the core tools unchanged, and reviewers must be able to see all of its content.
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

// CheckSize returns an error if draft exceeds a size limit. The limits apply to all authors.
func CheckSize(draft proposals.Draft) error {
	if ps := draft.Excess(); len(ps) > 0 {
		return &review.Incomplete{What: draft.Subject.String(), Problems: ps, Excess: true}
	}
	return nil
}

// Gate returns an error if a submission is incomplete, does not fit the live version, or changes a core tool. For
// agents, it also returns an error if the same content was rejected before.
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
	return CheckRejected(ctx, r, draft.Subject, draft.Definition.Hash())
}

// CheckRejected returns review.ErrRepeated, with the reason, if a definition of s with the given content hash was
// rejected.
func CheckRejected(ctx context.Context, r review.RecordReader, s registry.Subject, hash string) error {
	d, err := r.Rejection(ctx, s, hash)
	switch {
	case errors.Is(err, proposals.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w as #%d by %s on %s: %s", review.ErrRepeated, d.Issue, d.By, d.At.Format("2006-01-02"), d.Note)
}

// Locked returns an error if s has the id of a core tool, in any layer.
func Locked(s registry.Subject) error {
	if s.Kind != registry.KindTool || !shipped.IsCore(s.ID) {
		return nil
	}
	return fmt.Errorf("%w: %s is a core tool, locked in every layer; create a copy with `toolcrib fork %s`", review.ErrLocked, s.ID, s.ID)
}

// Submission is a draft that is about to be submitted. It computes the problems of the draft at most once.
type Submission struct {
	Draft    proposals.Draft
	problems func() proposals.Problems
}

// NewSubmission returns a submission of draft.
func NewSubmission(draft proposals.Draft) Submission {
	return Submission{draft, sync.OnceValue(draft.Problems)}
}

// Problems returns the reasons why the draft cannot be submitted.
func (s Submission) Problems() proposals.Problems { return s.problems() }

// Change returns the input of the rules. The input contains the problems of the draft, so the rules of family T need
// not compute them again.
func (s Submission) Change() *rules.Change {
	c := &rules.Change{Draft: s.Draft}
	rules.Computed(c, func(*rules.Change) proposals.Problems { return s.problems() })
	return c
}

// InChangeSet returns the submission with the draft moved to changeSet.
func (s Submission) InChangeSet(changeSet string) Submission {
	if s.Draft.ChangeSet == changeSet {
		return s
	}
	s.Draft.ChangeSet = changeSet
	return NewSubmission(s.Draft)
}

// Complete sets the definition of a draft if the type of the draft determines it. A proposal to deactivate or
// reactivate has the base definition with another status, and a proposal to restore has the definition of an earlier
// version. Complete does not replace a definition in the draft.
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
