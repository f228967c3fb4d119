package linear

import (
	"errors"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui"
	"toolcrib/tui/wording"
)

// batch is proposals that are decided together, as they were read for it.
type batch struct {
	act      proposals.Act
	dossiers []review.Dossier
}

// decideMarked decides on the marked proposals, on all or none.
func (s *session) decideMarked(act proposals.Act) error {
	if len(s.marks) == 0 {
		s.out.line("No proposal is open or marked. Say open and a number, or mark and numbers.")
		return nil
	}
	ds, err := s.cfg.Together(s.ctx, act, s.marks)
	if err != nil {
		return err
	}
	b := batch{act, ds}
	if !s.possible(b) || act == proposals.ActApprove && !s.allRead(b) {
		return nil
	}
	s.tell(b)
	if act == proposals.ActApprove {
		s.shown(b.dossiers...)
	}
	form, reason := act.Form(len(ds)), ""
	if form.Reason {
		if reason = s.reason("Your reason, for all of them."); reason == "" {
			return nil
		}
	}
	if !s.agreeOn(len(ds), form.Verb) {
		return nil
	}
	return s.decide(b, reason)
}

// possible reads out why the batch cannot be decided; false when there is a
// reason.
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

// against returns the reason why a proposal cannot be decided so, "" for none.
func (s *session) against(act proposals.Act, d review.Dossier) string {
	if act == proposals.ActApprove {
		return strings.Join(inTheWay(d), " ")
	}
	return stopped(wording.Cannot(s.cfg.Actor, act, d.Proposal))
}

// markedWith names the marked ones of some proposals and of their change sets.
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

// allRead reads out which parts of the batch, as it is now, were not read to their
// end; false when there are any.
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

// tell reads out the batch, and the digests that the decision is tied to.
func (s *session) tell(b batch) {
	n := len(b.dossiers)
	s.out.linef("%s: %s. %s", b.act.Form(n).Title, wording.Count(n, "proposal", "proposals"), b.act.Form(n).Consequence)
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
	done, err := s.cfg.Decide(s.ctx, b.act, tui.AsRead(b.dossiers), words)
	if err != nil {
		return errors.New("nothing decided: " + sentence(err))
	}
	for _, d := range b.dossiers {
		s.unmark(d.Proposal.ID)
	}
	return s.said(done, nil)
}
