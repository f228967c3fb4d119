package linear

import (
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/wording"
)

// simple asks and does what needs no words.
func (s *session) simple(act proposals.Act, verb, consequence string, run func() (string, error)) error {
	if why := s.can(act); why != "" {
		s.out.line(why)
		return nil
	}
	p := s.open.Proposal
	s.out.linef("%s %s, revision %d, content %s.", p.Type, p.Subject, p.Revision, wording.Short(p.ContentHash))
	s.out.line(consequence)
	if !s.agree(verb) {
		return nil
	}
	said, err := run()
	if err != nil {
		return err
	}
	s.out.line(said)
	return s.wrote()
}

func (s *session) doSubmit(string) error {
	return s.simple(proposals.ActSubmit, "submit it", "Sends it to the Chief of Staff and opens an issue.", func() (string, error) {
		p, err := s.cfg.Desk.Submit(s.ctx, s.cfg.Actor, s.open.Proposal.ID)
		return "Submitted as " + wording.Reference(p) + ".", err
	})
}

func (s *session) doAssess(string) error {
	if _, err := proposals.Next(s.open.Proposal.State, proposals.ActAssess); err != nil {
		return err
	}
	a, err := s.cfg.Desk.Reassess(s.ctx, s.open.Proposal.ID)
	if err != nil {
		return err
	}
	s.out.linef("Assessed again: %s.", advice(a.Recommendation))
	return s.wrote()
}

func (s *session) doWithdraw(string) error {
	return s.simple(proposals.ActWithdraw, "withdraw it", "Closes it without a decision.", func() (string, error) {
		_, err := s.cfg.Desk.Withdraw(s.ctx, s.cfg.Actor, s.open.Proposal.ID, "")
		return "Withdrawn.", err
	})
}

func (s *session) doRebase(string) error {
	if !s.open.Proposal.Stale() {
		s.out.line("It is not stale.")
		return nil
	}
	err := s.simple(proposals.ActRevise, "rebase it", "Merges your changes onto the live version as a new revision.", func() (string, error) {
		p, err := s.cfg.Desk.Rebase(s.ctx, s.cfg.Actor, s.open.Proposal.ID)
		return fmt.Sprintf("Rebased: revision %d is against %s.", p.Revision, wording.Against(p.BaseVersion)), err
	})
	var c *review.RebaseConflict
	if errors.As(err, &c) {
		return s.merge(c)
	}
	return err
}
