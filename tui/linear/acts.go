package linear

import (
	"errors"

	"toolcrib/proposals"
	"toolcrib/review"
)

// simple asks about an act that needs no words, and does it.
func simple(act proposals.Act) func(*session, string) error {
	return func(s *session, _ string) error {
		if why := s.can(act); why != "" {
			s.out.line(capital(why))
			return nil
		}
		s.out.line(content(s.open.Proposal) + ".")
		s.out.line(act.Form(1).Consequence)
		if !s.agree(act.Form(1).Verb) {
			return nil
		}
		err := s.said(s.cfg.Simple(s.ctx, act, s.open.Proposal.ID))
		if c := (*review.RebaseConflict)(nil); errors.As(err, &c) {
			return s.merge(c)
		}
		return err
	}
}

// said reads out the outcome of an act, and reads the proposal again.
func (s *session) said(done string, err error) error {
	if err != nil {
		return err
	}
	delete(s.unsent, s.where())
	s.out.line(stopped(done))
	return s.wrote()
}

func (s *session) doAssess(string) error {
	if _, err := proposals.Next(s.open.Proposal.State, proposals.ActAssess); err != nil {
		return err
	}
	return s.said(s.cfg.Simple(s.ctx, proposals.ActAssess, s.open.Proposal.ID))
}
