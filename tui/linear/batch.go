package linear

import (
	"context"
	"errors"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/wording"
)

// batch is proposals that are decided together, as they were read for it.
type batch struct {
	act      proposals.Act
	dossiers []review.Dossier
}

// verbs are what a decision on several is called, by act.
var verbs = map[proposals.Act]struct{ name, verb, consequence string }{
	proposals.ActApprove:        {"Approve", "make all live", "All go live, or none."},
	proposals.ActRequestChanges: {"Send back", "send all back", "Returns each to its author with your reason. No channel prompt changes."},
	proposals.ActReject:         {"Reject", "reject all for good", "Closes each for good. Its author sees your reason. No channel prompt changes."},
}

// decideMarked decides on what is marked, all of it or nothing.
func (s *session) decideMarked(act proposals.Act) error {
	if len(s.marks) == 0 {
		s.out.line("No proposal is open or marked. Say open and a number, or mark and numbers.")
		return nil
	}
	b, err := s.readMarked(act)
	if err != nil {
		return err
	}
	if !s.possible(b) || act == proposals.ActApprove && !s.allRead(b) {
		return nil
	}
	s.tell(b)
	if act == proposals.ActApprove {
		s.shown(b.dossiers...)
	}
	reason := ""
	if act != proposals.ActApprove {
		if reason = s.reason("Your reason, for all of them."); reason == "" {
			s.out.line("A reason is required. Nothing changed.")
			return nil
		}
	}
	if !s.agreeOn(len(b.dossiers), verbs[act].verb) {
		return nil
	}
	return s.decide(b, reason)
}

// readMarked reads what is marked as it is now. Change sets are approved
// together or not at all: their other members come along.
func (s *session) readMarked(act proposals.Act) (batch, error) {
	b := batch{act: act}
	ids := make([]proposals.ID, len(s.marks))
	for i, p := range s.marks {
		ids[i] = p.ID
	}
	for i := 0; i < len(ids); i++ {
		d, err := s.cfg.Desk.Show(s.ctx, s.cfg.Actor, ids[i])
		if err != nil {
			return b, err
		}
		b.dossiers = append(b.dossiers, d)
		if act != proposals.ActApprove {
			continue
		}
		for _, p := range d.Members {
			if !slices.Contains(ids, p.ID) {
				ids = append(ids, p.ID)
			}
		}
	}
	return b, nil
}

// possible says what is in the way of the batch; false when something is.
func (s *session) possible(b batch) bool {
	var away []proposals.Proposal
	for _, d := range b.dossiers {
		why := s.against(b.act, d)
		if why == "" {
			continue
		}
		s.out.linef("Not possible for %s %s: %s", wording.Reference(d.Proposal), d.Proposal.Subject, why)
		away = append(away, d.Proposal)
	}
	if len(away) == 0 {
		return true
	}
	s.out.linef("Nothing changed: %s blocked. Say unmark %s to continue without, or open one and fix it.",
		wording.Count(len(away), "proposal is", "proposals are"), strings.Join(s.markedWith(away), " "))
	return false
}

// against is what keeps a proposal from being decided so, "" for nothing.
func (s *session) against(act proposals.Act, d review.Dossier) string {
	if act == proposals.ActApprove {
		return strings.Join(inTheWay(d), " ")
	}
	return stopped(wording.Cannot(s.cfg.Actor, act, d.Proposal))
}

// markedWith names what is marked of some proposals and of their change sets.
func (s *session) markedWith(away []proposals.Proposal) []string {
	var names []string
	for _, p := range s.marks {
		if slices.ContainsFunc(away, func(a proposals.Proposal) bool {
			return a.ID == p.ID || a.ChangeSet != "" && a.ChangeSet == p.ChangeSet
		}) {
			names = append(names, wording.Reference(p))
		}
	}
	return names
}

// allRead says what of the batch was not read out to its end, as it is now;
// false when something was not.
func (s *session) allRead(b batch) bool {
	locked := false
	for _, d := range b.dossiers {
		r := s.read[d.Proposal.ID]
		missing := r.unread(d.Digest)
		if len(missing) == 0 {
			continue
		}
		locked = true
		changed := ""
		if r != nil && r.diff != "" && r.diff != d.Digest {
			changed = ", as it changed since"
		}
		s.out.linef("Not read yet in %s %s: %s%s.", wording.Reference(d.Proposal), d.Proposal.Subject, strings.Join(missing, " and "), changed)
	}
	if locked {
		s.out.line("Read diff and findings of each to the end before you approve.")
	}
	return !locked
}

// tell reads out what would be decided, and to which digests that is tied.
func (s *session) tell(b batch) {
	n := len(b.dossiers)
	s.out.linef("%s %s. %s", verbs[b.act].name, wording.Count(n, "proposal", "proposals"), verbs[b.act].consequence)
	for i, d := range b.dossiers {
		about := content(d.Proposal) + "."
		if b.act == proposals.ActApprove {
			about = what(d.Proposal)
		}
		s.out.linef("%d. %s, %s Review digest %s. %s", i+1, wording.Reference(d.Proposal), about, wording.Short(d.Digest), strings.Join(openFindings(d), " "))
		if b.act == proposals.ActApprove {
			for _, l := range consequences(d) {
				s.out.line("   " + l)
			}
		}
	}
	if n > 0 && b.act == proposals.ActApprove {
		s.out.linef("Policy: %s.", b.dossiers[0].Policy.Deciding())
	}
}

// decide writes the decision, all of it or nothing.
func (s *session) decide(b batch, words string) error {
	run := map[proposals.Act]func(context.Context, proposals.Actor, []review.Choice, string) ([]review.Decision, error){
		proposals.ActApprove: s.cfg.Desk.Approve, proposals.ActRequestChanges: s.cfg.Desk.RequestChanges, proposals.ActReject: s.cfg.Desk.Reject,
	}[b.act]
	choices := make([]review.Choice, len(b.dossiers))
	for i, d := range b.dossiers {
		choices[i] = review.Choice{ID: d.Proposal.ID, Expect: d.Digest}
	}
	decisions, err := run(s.ctx, s.cfg.Actor, choices, words)
	if err != nil {
		return errors.New("nothing decided: " + sentence(err))
	}
	for _, x := range decisions {
		s.unmark(x.Proposal)
		switch b.act {
		case proposals.ActApprove:
			s.out.linef("Live: %s version %d.", x.Subject, x.Version)
		case proposals.ActReject:
			s.out.linef("Rejected: %s.", x.Subject)
		default:
			s.out.linef("Sent back: %s.", x.Subject)
		}
	}
	return s.wrote()
}
