package files

import (
	"context"
	"slices"

	"toolcrib/cli/command"
	"toolcrib/gateway/instructions"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/intake"
)

// withdrawal is the proposal of an earlier import that what is on disk has overtaken, and
// why it ends.
type withdrawal struct {
	proposals.Proposal
	note string
}

// overtaken returns the open proposals of imports that nothing on disk asks for any more:
// a file was put back, or it went away, or came again.
func (t taken) overtaken(found []instructions.Found, open []review.Bundle) []withdrawal {
	var back []withdrawal
	for _, b := range open {
		if !intake.Generated(b.Revision.Draft, nil) {
			continue
		}
		if note := t.overtakes(found, b.Proposal); note != "" {
			back = append(back, withdrawal{b.Proposal, note})
		}
	}
	return back
}

// overtakes returns why nothing on disk asks for an open proposal of an import, "" when
// something does.
func (t taken) overtakes(found []instructions.Found, p proposals.Proposal) string {
	const back, gone, again = "It is on disk as it was approved.", "It is gone from the disk.", "It is on disk again."
	there := slices.ContainsFunc(found, func(f instructions.Found) bool { return f.Kind == p.Subject.Kind && f.Path == p.Title })
	at := slices.IndexFunc(t.steps, func(s instructions.Step) bool { return s.Kind == p.Subject.Kind && s.Path == p.Title })
	switch {
	case p.Type == proposals.New && !there:
		return gone
	case p.Type != proposals.Modify && p.Type != proposals.Deactivate:
		return ""
	case at < 0 && there:
		return back
	case at < 0:
		return ""
	case p.Type == proposals.Modify && t.steps[at].Change == instructions.Missing:
		return gone
	case p.Type == proposals.Deactivate && t.steps[at].Change == instructions.Changed:
		return again
	}
	return ""
}

// withdraw ends those of the proposals that the actor may end.
func withdraw(ctx context.Context, b command.Session, list []withdrawal) ([]withdrawal, error) {
	var ended []withdrawal
	for _, w := range list {
		if proposals.Authorize(b.Actor, proposals.ActWithdraw, w.Author) != nil {
			continue
		}
		var err error
		if w.Proposal, err = b.Desk.Drafting.Withdraw(ctx, b.Actor, w.ID, w.note); err != nil {
			return ended, err
		}
		ended = append(ended, w)
	}
	return ended, nil
}
