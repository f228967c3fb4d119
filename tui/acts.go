package tui

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// The acts of a user at the desk, for the workbench and for the dialogue. Each
// returns its outcome, as a sentence without its full stop.

// Together reads proposals as they are now, to decide on all of them or none.
// Change sets are approved together or not at all: their other members come
// along. tell reports how many were read.
func (c *Config) Together(ctx context.Context, act proposals.Act, ps []proposals.Proposal, tell func(done, total int)) ([]review.Dossier, error) {
	ids := make([]proposals.ID, len(ps))
	for i, p := range ps {
		ids[i] = p.ID
	}
	var out []review.Dossier
	for i := 0; i < len(ids); i++ {
		tell(i, len(ids))
		d, err := c.Desk.Show(ctx, c.Actor, ids[i])
		if err != nil {
			return out, err
		}
		out = append(out, d)
		if act != proposals.ActApprove {
			continue
		}
		for _, p := range d.Together() {
			if !slices.Contains(ids, p.ID) {
				ids = append(ids, p.ID)
			}
		}
	}
	return out, nil
}

// AsRead ties each proposal to the review digest that was shown of it.
func AsRead(ds []review.Dossier) []review.Choice {
	out := make([]review.Choice, len(ds))
	for i, d := range ds {
		out[i] = review.Choice{ID: d.Proposal.ID, Expect: d.Digest}
	}
	return out
}

// maxNamed is how many decisions are named when several were made.
const maxNamed = 4

// decide decides on proposals: on all of them or on none.
func (c *Config) decide(ctx context.Context, act proposals.Act, choices []review.Choice, reason string) ([]proposals.Decision, error) {
	desk, err := c.decider(ctx, act, choices, reason)
	if err != nil {
		return nil, err
	}
	return desk.Decide(ctx, c.Actor, choices, proposals.VerdictOf(act), reason)
}

// decided reports the outcome of decisions.
func decided(act proposals.Act, decisions []proposals.Decision) string {
	var names, waiting []string
	for _, d := range decisions {
		name := d.Subject.String()
		switch {
		case d.Verdict == proposals.VerdictEndorsed:
			waiting = append(waiting, name+" ("+d.Progress()+")")
			continue
		case act == proposals.ActApprove:
			name += " version " + strconv.Itoa(d.Version)
		}
		names = append(names, name)
	}
	var done []string
	if len(names) > 0 {
		done = append(done, act.Form(len(decisions)).Done+": "+someOf(names))
	}
	if len(waiting) > 0 {
		done = append(done, "Approved, not live yet: "+someOf(waiting))
	}
	return strings.Join(done, ". ")
}

// someOf names the first of several decisions.
func someOf(names []string) string {
	if n := len(names); n > maxNamed {
		names = append(names[:maxNamed], strconv.Itoa(n-maxNamed)+" more")
	}
	return wording.Joined(names)
}

// Waive waives a finding.
func (c *Config) Waive(ctx context.Context, id proposals.ID, s review.Standing, reason string) (string, error) {
	desk, err := c.waiver(ctx, proposals.ActWaive, id, review.Handle(s.Finding), reason)
	if err != nil {
		return "", err
	}
	_, err = desk.Waive(ctx, c.Actor, id, review.Handle(s.Finding), reason, nil)
	return proposals.ActWaive.Form(1).Done + " " + s.Rule + " in " + wording.Place(s.Path), err
}

// Unwaive ends the waiver of a finding.
func (c *Config) Unwaive(ctx context.Context, id proposals.ID, s review.Standing, reason string) (string, error) {
	desk, err := c.waiver(ctx, proposals.ActUnwaive, id, review.Handle(s.Finding), reason)
	if err != nil {
		return "", err
	}
	_, err = desk.Unwaive(ctx, c.Actor, id, review.Handle(s.Finding), reason)
	return proposals.ActUnwaive.Form(1).Done + " " + s.Rule + " in " + wording.Place(s.Path), err
}

// submit submits what was just drafted. What cannot be submitted stays a draft.
func (c *Config) submit(ctx context.Context, draft proposals.Proposal) (p proposals.Proposal, said string) {
	p, err := c.Desk.Submit(ctx, c.Actor, draft.ID)
	if err != nil {
		return draft, "Drafted " + draft.Title + ", not submitted: " + wording.OneLine(err)
	}
	return p, "Proposed " + p.Subject.String() + " as " + wording.Reference(p)
}

// Comment adds to the thread.
func (c *Config) Comment(ctx context.Context, id proposals.ID, body string, at review.Anchor) (string, error) {
	_, err := c.Desk.Comment(ctx, c.Actor, id, body, at)
	return proposals.ActComment.Form(1).Done, err
}

// Simple does an act on a proposal that needs no words.
func (c *Config) Simple(ctx context.Context, act proposals.Act, id proposals.ID) (string, error) {
	done := act.Form(1).Done
	switch act { //nolint:exhaustive // the others need words
	case proposals.ActSubmit:
		p, err := c.Desk.Submit(ctx, c.Actor, id)
		return done + " as " + wording.Reference(p), err
	case proposals.ActRebase:
		p, err := c.Desk.Rebase(ctx, c.Actor, id)
		return done + ": revision " + strconv.Itoa(p.Revision) + " is against " + facts.Against(p.BaseVersion), err
	case proposals.ActAssess:
		a, err := c.Desk.Reassess(ctx, id)
		return done + ": " + wording.Advice(a.Recommendation), err
	}
	_, err := c.Desk.Withdraw(ctx, c.Actor, id, "")
	return done, err
}

// Fork drafts a tool of the user's own from a core tool.
func (c *Config) Fork(ctx context.Context, id string) (proposals.Proposal, string, error) {
	p, err := c.Desk.Fork(ctx, c.Actor, id, c.Layer)
	return p, "Drafted " + p.Subject.String(), err
}

// Restore proposes to make an earlier version live again.
func (c *Config) Restore(ctx context.Context, s registry.Subject, version int, reason string) (proposals.Proposal, string, error) {
	p, err := c.Desk.Rollback(ctx, c.Actor, s, version, reason)
	if err != nil {
		return p, "", err
	}
	p, said := c.submit(ctx, p)
	return p, said + "; a approves it", nil
}

// Send proposes an edited text, or revises a proposal with it.
func (c *Config) Send(ctx context.Context, w Manuscript, draft proposals.Draft, submit bool) (proposals.Proposal, string, error) {
	if w.ID != "" {
		p, err := c.Desk.Revise(ctx, c.Actor, w.ID, draft)
		return p, "Saved revision " + strconv.Itoa(p.Revision) + " of " + p.Subject.String(), err
	}
	ps, err := c.Desk.Propose(ctx, c.Actor, []proposals.Draft{draft}, submit)
	if err != nil {
		return proposals.Proposal{}, "", err
	}
	return ps[0], "Proposed " + ps[0].Subject.String() + " as " + wording.Reference(ps[0]), nil
}

// RunCall runs a call that waits, with the arguments that were shown.
func (c *Config) RunCall(ctx context.Context, p gateway.Pending) (string, error) {
	calls, err := c.answerer(ctx, p, true, "")
	if err != nil {
		return "", err
	}
	res, err := calls.Approve(ctx, c.Actor, p.ID, p.Digest)
	return strings.Join(append([]string{proposals.ActApproveCall.Form(1).Done + " " + p.Tool.String()}, res.Warnings...), "; "), err
}

// RefuseCall refuses a call that waits.
func (c *Config) RefuseCall(ctx context.Context, p gateway.Pending, reason string) (string, error) {
	calls, err := c.answerer(ctx, p, false, reason)
	if err != nil {
		return "", err
	}
	_, err = calls.Refuse(ctx, c.Actor, p.ID, reason)
	return proposals.ActRefuseCall.Form(1).Done + " " + p.Tool.String(), err
}

// maxWaiting is how many calls that wait are listed.
const maxWaiting = 200

// CallState returns where a call stands.
func (c *Config) CallState(p gateway.Pending) gateway.PendingState { return c.Calls.State(p) }

// PendingCalls lists the calls that wait for the user, then the last of the
// others, and returns how many wait.
func (c *Config) PendingCalls(ctx context.Context, last int) (calls []gateway.Pending, waiting int, err error) {
	calls, err = c.Calls.Pending(ctx, gateway.PendingQuery{Waiting: true, Limit: maxWaiting})
	if err != nil {
		return nil, 0, err
	}
	waiting = len(calls)
	all, err := c.Calls.Pending(ctx, gateway.PendingQuery{Limit: last})
	for _, p := range all {
		if c.Calls.State(p) != gateway.PendingWaiting {
			calls = append(calls, p)
		}
	}
	return calls, waiting, err
}

// Decision decides on proposals: on all of them or on none. draft names the kept text
// of the reason.
func (c *Config) Decision(act proposals.Act, choices []review.Choice, reason, draft string) screen.Write {
	about := screen.Wrote{Draft: draft, Undone: act.Form(len(choices)).Undone}
	for _, choice := range choices {
		about.Decided = append(about.Decided, choice.ID)
	}
	return func(ctx context.Context) screen.Wrote {
		decisions, err := c.decide(ctx, act, choices, reason)
		if errors.Is(err, review.ErrDigest) && len(choices) > 1 {
			err = errors.New("nothing decided: " + wording.OneLine(err))
		}
		if about.Err = err; err == nil {
			about.Text, about.Undo = decided(act, decisions), c.undo(act, decisions)
		}
		return about
	}
}

var errNotSigned = errors.New("not signed, so nothing was decided")

// decider returns the desk for a decision, signed where that is needed.
func (c *Config) decider(ctx context.Context, act proposals.Act, choices []review.Choice, note string) (Decider, error) {
	if c.Signer == nil {
		return c.Desk, nil
	}
	return c.Signer.Decide(ctx, act, choices, note, c.Ask)
}

// waiver is decider for the waiver of a finding, or its end.
func (c *Config) waiver(ctx context.Context, act proposals.Act, id proposals.ID, handle, reason string) (Decider, error) {
	if c.Signer == nil {
		return c.Desk, nil
	}
	return c.Signer.Waive(ctx, act, id, handle, reason, c.Ask)
}

// answerer returns who answers a call, signed where that is needed.
func (c *Config) answerer(ctx context.Context, p gateway.Pending, approve bool, reason string) (Answerer, error) {
	if c.Signer == nil {
		return c.Calls, nil
	}
	return c.Signer.Answer(ctx, p, approve, reason, c.Ask)
}
