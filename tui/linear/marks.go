package linear

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/tui/wording"
)

// doMark marks proposals to decide on them together: those that are named, all
// of the list that wait for the user, or the open one.
func (s *session) doMark(args string) error {
	ps, err := s.named(args)
	if err != nil {
		return err
	}
	n := 0
	for _, p := range ps {
		switch {
		case s.marked(p.ID):
		case p.State != proposals.UserReview:
			s.out.linef("%s %s cannot be marked: it is %s.", wording.Reference(p), p.Subject, s.stateWord(p))
		default:
			s.marks, n = append(s.marks, p), n+1
		}
	}
	if len(ps) > 0 {
		s.out.linef("Marked %d more.", n)
	}
	s.tellMarks()
	return nil
}

// doUnmark takes marks away: of those that are named, or all.
func (s *session) doUnmark(args string) error {
	if strings.EqualFold(args, "all") {
		s.marks = nil
		s.tellMarks()
		return nil
	}
	ps, err := s.named(args)
	if err != nil {
		return err
	}
	if len(ps) == 0 {
		s.out.line("Say unmark and numbers of the list, or all.")
		return nil
	}
	for _, p := range ps {
		s.unmark(p.ID)
	}
	s.tellMarks()
	return nil
}

// named finds the proposals that are called by numbers of the list, issues or
// ids; all is those of the list that wait for the user, nothing is the open one.
func (s *session) named(args string) ([]proposals.Proposal, error) {
	words := strings.Fields(strings.ReplaceAll(args, ",", " "))
	switch {
	case len(words) == 0 && s.open != nil:
		return []proposals.Proposal{s.open.Proposal}, nil
	case len(words) == 1 && strings.EqualFold(words[0], "all"):
		return slices.DeleteFunc(slices.Clone(s.list), func(p proposals.Proposal) bool { return p.State != proposals.UserReview }), nil
	}
	var out []proposals.Proposal
	for _, w := range words {
		id, err := s.called(w)
		if err != nil {
			return nil, err
		}
		d, err := s.cfg.Desk.Show(s.ctx, s.cfg.Actor, id)
		if err != nil {
			return nil, err
		}
		out = append(out, d.Proposal)
	}
	return out, nil
}

func (s *session) marked(id proposals.ID) bool {
	return slices.ContainsFunc(s.marks, func(p proposals.Proposal) bool { return p.ID == id })
}

func (s *session) unmark(id proposals.ID) {
	s.marks = slices.DeleteFunc(s.marks, func(p proposals.Proposal) bool { return p.ID == id })
}

// tellMarks reads out the marked proposals, and how to decide on them.
func (s *session) tellMarks() {
	if len(s.marks) == 0 {
		s.out.line("Nothing is marked. Say mark and numbers, or mark all.")
		return
	}
	names := make([]string, len(s.marks))
	for i, p := range s.marks {
		names[i] = wording.Reference(p) + " " + p.Subject.String()
	}
	s.out.linef("%s marked: %s.", wording.Count(len(s.marks), "proposal is", "proposals are"), strings.Join(names, ", "))
	if s.open == nil {
		s.out.line("approve, changes and reject apply to them.")
		return
	}
	s.out.line("approve, changes and reject apply to them in the queue; say back.")
}

// tally is the confirmation to type for n proposals: one letter does not decide
// several.
func tally(n int) string {
	if n < 2 {
		return "y"
	}
	return fmt.Sprintf("%dy", n)
}
