package linear

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui"
	"toolcrib/tui/wording"
)

// agree asks a question that only the word y answers.
func (s *session) agree(what string) bool { return s.agreeOn(1, what) }

// agreeOn asks a question about n things. Several are answered by how many they
// are and y.
func (s *session) agreeOn(n int, what string) bool {
	answer, ok := s.ask("Type " + tally(n) + " and press enter to " + what + "; anything else cancels: ")
	if !ok || answer != tally(n) {
		s.out.line("Nothing changed.")
		return false
	}
	return true
}

// reason asks for a reason that is required; "", and told, when there is none. One
// that was typed here before, for an act that failed, is offered again.
func (s *session) reason(what string) string {
	before := s.unsent[s.where()]
	if before != "" {
		s.out.line(text("| ", before)...)
		what += " Leave it empty to use the reason above."
	}
	reason := s.words(what)
	if reason == "" {
		reason = before
	}
	if reason == "" {
		s.out.line("A reason is required. Nothing changed.")
	}
	s.unsent[s.where()] = reason
	return reason
}

// words asks for some lines of text; "" when there are none.
func (s *session) words(what string) string {
	s.out.line(what + " End with a line that contains only a period.")
	var lines []string
	for {
		line, ok := s.ask("| ")
		if !ok {
			return "" // the input ended within a line, so it is incomplete
		}
		if line == "." {
			return strings.TrimSpace(strings.Join(lines, "\n"))
		}
		lines = append(lines, line)
	}
}

// can returns why the user cannot do an act on the open proposal, "" if possible.
func (s *session) can(act proposals.Act) string {
	return stopped(wording.Cannot(s.cfg.Actor, act, s.open.Proposal))
}

// unread names the parts of a dossier that were not read out and have to be.
func (r *reading) unread(digest string) []string {
	var missing []string
	if r == nil || r.diff != digest {
		missing = append(missing, "the diff")
	}
	for _, f := range dossierOf(r).Standing {
		if !visible.Clean(f.Passage) && r.findings != digest {
			return append(missing, "the findings about hidden characters")
		}
	}
	return missing
}

func dossierOf(r *reading) review.Dossier {
	if r == nil {
		return review.Dossier{}
	}
	return r.dossier
}

// doApprove approves the open proposal with its change set, when everything was
// read out.
func (s *session) doApprove(string) error {
	if s.open == nil {
		return s.decideMarked(proposals.ActApprove)
	}
	d := s.open
	if ways := inTheWay(*d); len(ways) > 0 {
		for _, why := range ways {
			s.out.line("It cannot be approved: " + why)
		}
		return nil
	}
	members := d.Members
	if len(members) < 2 {
		members = []proposals.Proposal{d.Proposal}
	}
	choices := make([]review.Choice, len(members))
	locked := false
	for i, p := range members {
		r := s.read[p.ID]
		digest := dossierOf(r).Digest
		if missing := r.unread(digest); len(missing) > 0 {
			s.out.linef("Not read yet in %s: %s.", wording.Reference(p), strings.Join(missing, " and "))
			locked = true
		}
		choices[i] = review.Choice{ID: p.ID, Expect: digest}
	}
	if locked {
		s.out.line("Read diff and findings to the end before you approve.")
		return nil
	}
	for _, p := range members {
		s.out.linef("Approve: %s", what(p))
		if p.Approvals != nil {
			s.out.linef("Approvals: %s.", wording.BeforeApproval(*p.Approvals))
		}
		for _, line := range testChanges(dossierOf(s.read[p.ID])) {
			s.out.line(line)
		}
	}
	s.out.linef("Review digest %s.", d.Digest)
	s.out.linef("Policy: %s.", d.Policy.Deciding())
	asked := make([]review.Dossier, len(members))
	for i, p := range members {
		asked[i] = dossierOf(s.read[p.ID])
	}
	s.shown(asked...)
	s.out.line(openFindings(*d)...)
	s.out.line(consequences(*d)...)
	if !s.agree(proposals.ActApprove.Form(1).Verb) {
		return nil
	}
	return s.said(s.cfg.Decide(s.ctx, proposals.ActApprove, choices, ""))
}

// what returns what a decision is about.
func what(p proposals.Proposal) string {
	becomes := fmt.Sprintf("version %d becomes %d", p.BaseVersion, p.BaseVersion+1)
	if p.BaseVersion == 0 {
		becomes = "it becomes version 1"
	}
	return fmt.Sprintf("%s, %s.", content(p), becomes)
}

// content identifies exactly the content that was read.
func content(p proposals.Proposal) string {
	return fmt.Sprintf("%s %s, revision %d, content %s", p.Type, p.Subject, p.Revision, wording.Short(p.ContentHash))
}

// refuse asks for a reason and decides: about the open proposal, or in the queue
// about the marked ones.
func refuse(act proposals.Act) func(*session, string) error {
	return func(s *session, _ string) error {
		if s.open == nil {
			return s.decideMarked(act)
		}
		if why := s.can(act); why != "" {
			s.out.line(capital(why))
			return nil
		}
		s.out.line(content(s.open.Proposal) + ".")
		s.out.line(act.Form(1).Consequence + " No channel prompt changes.")
		s.out.line(openFindings(*s.open)...)
		s.out.linef("Review digest %s.", s.open.Digest)
		reason := s.reason("Your reason.")
		if reason == "" || !s.agree(act.Form(1).Verb) {
			return nil
		}
		return s.said(s.cfg.Decide(s.ctx, act, tui.AsRead([]review.Dossier{*s.open}), reason))
	}
}

// waive waives a finding, or ends its waiver.
func waive(act proposals.Act) func(*session, string) error {
	return func(s *session, arg string) error {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > len(s.open.Standing) {
			s.out.linef("Say %s and the number of a finding.", act)
			return nil
		}
		f, do := s.open.Standing[n-1], s.cfg.Waive
		why := wording.CannotWaive(s.cfg.Actor, s.open.Proposal, f)
		if act == proposals.ActUnwaive {
			do = s.cfg.Unwaive
			if why = wording.Cannot(s.cfg.Actor, act, s.open.Proposal); why == "" && f.Waiver == nil {
				why = "it is not waived"
			}
		}
		if why != "" {
			s.out.line(capital(stopped(why)))
			return nil
		}
		s.out.line(findingLine(f))
		s.out.line(text("| ", f.Passage)...)
		s.out.line(act.Form(1).Consequence)
		reason := s.reason("Your reason.")
		if reason == "" || !s.agree(act.Form(1).Verb) {
			return nil
		}
		return s.said(do(s.ctx, s.open.Proposal.ID, f, reason))
	}
}

// doAgain drafts what a closed proposal wanted.
func (s *session) doAgain(string) error {
	if why := wording.CannotAgain(s.open.Proposal); why != "" {
		s.out.line(capital(stopped(why)))
		return nil
	}
	p, done, err := s.cfg.Again(s.ctx, *s.open)
	if err != nil {
		return err
	}
	return errors.Join(s.show(p.ID), s.said(done, nil))
}

func (s *session) doComment(args string) error {
	if why := s.can(proposals.ActComment); why != "" {
		s.out.line(capital(why))
		return nil
	}
	var at review.Anchor
	if args != "" {
		field, line, numbered := strings.Cut(args, " ")
		n, err := strconv.Atoi(line)
		if numbered && (err != nil || n < 1) {
			s.out.linef("%q is not a line number.", line)
			return nil
		}
		if !strings.Contains(field, ".") && field != "rationale" {
			field = "definition." + field
		}
		at = review.Anchor{Revision: s.open.Revision.Number, Field: field, Line: n}
	}
	body := s.words("Your comment.")
	if body == "" {
		s.out.line("No comment sent.")
		return nil
	}
	return s.said(s.cfg.Comment(s.ctx, s.open.Proposal.ID, body, at))
}
