package admission

import (
	"context"
	"errors"
	"sync"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/records"
	"toolcrib/review/rules"
)

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
