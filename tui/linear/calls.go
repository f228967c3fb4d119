package linear

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/tui/wording"
)

// maxAnswered is how many calls are listed that do not wait any more.
const maxAnswered = 20

// doCalls lists the calls that wait for the user and the last of the others, or
// reads one out.
func (s *session) doCalls(number string) error {
	if s.cfg.Calls == nil {
		return errors.New("no gateway is available")
	}
	if number != "" {
		p, err := s.callOf(number)
		if err != nil {
			return err
		}
		return s.readCall(p)
	}
	calls, waiting, err := s.cfg.PendingCalls(s.ctx, maxAnswered)
	if err != nil {
		return err
	}
	s.calls = calls
	lines := []string{wording.Count(waiting, "call waits", "calls wait") + " for you."}
	for i, p := range s.calls {
		lines = append(lines, fmt.Sprintf("%d. %s, %s, version %d, called by %s for the user %s.", i+1, p.Tool, s.cfg.CallState(p), p.Version, p.Caller.Actor, p.Caller.User))
	}
	if len(s.calls) > 0 {
		lines = append(lines, "Say calls and a number to read one, then run or refuse.")
	}
	s.pages(lines)
	return nil
}

// callOf finds a call by its number in the list, as it is now.
func (s *session) callOf(number string) (gateway.Pending, error) {
	if s.cfg.Calls == nil {
		return gateway.Pending{}, errors.New("no gateway is available")
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(s.calls) {
		return gateway.Pending{}, fmt.Errorf("%q is not in the list of calls; say calls", number)
	}
	p := s.calls[n-1]
	calls, _, err := s.cfg.PendingCalls(s.ctx, maxAnswered)
	for _, now := range calls {
		if now.ID == p.ID {
			return now, err
		}
	}
	return p, err
}

// readCall reads a call out with all of its arguments, because an approval covers
// them.
func (s *session) readCall(p gateway.Pending) error {
	state := s.cfg.CallState(p)
	lines := []string{
		fmt.Sprintf("%s, version %d, %s.", p.Tool, p.Version, state),
		fmt.Sprintf("Called by %s as agent %s for the user %s, %s.", p.Caller.Actor, p.Caller.Agent, p.Caller.User, stamp(p.AskedAt)),
	}
	if state == gateway.PendingWaiting {
		lines = append(lines, "It expires "+stamp(p.ExpiresAt)+".")
	}
	lines = append(append(lines, "Arguments:"), text("  ", strings.Join(wording.DocumentLines(p.Args), "\n"))...)
	if said := p.Said.Encode(); said != nil {
		lines = append(append(lines, "Context from its caller, not verified:"), text("  ", strings.Join(wording.DocumentLines(said), "\n"))...)
	}
	if a := p.Answer; a != nil {
		lines = append(lines, fmt.Sprintf("Answered by %s, %s.", a.By, stamp(a.At)))
		if a.Reason != "" {
			lines = append(append(lines, "Reason:"), text("  ", a.Reason)...)
		}
	}
	if o := p.Outcome; o != nil {
		if o.Code != "" {
			lines = append(lines, "It failed: "+string(o.Code)+".")
		}
		if o.Message != "" {
			lines = append(append(lines, "Message:"), text("  ", o.Message)...)
		}
		if len(o.Output) > 0 {
			lines = append(append(lines, "Result:"), text("  ", strings.Join(wording.DocumentLines(o.Output), "\n"))...)
		}
	}
	if state == gateway.PendingInterrupted {
		lines = append(lines, "toolcrib ended while it ran. It may or may not have run; it will not run again.")
	}
	if !s.pages(lines) {
		s.out.line("Stopped before the end.")
		return nil
	}
	s.heard[p.ID] = p.Digest
	return nil
}

// waitingCall finds a call that can be answered; false, and said, where it cannot
// .
func (s *session) waitingCall(number string) (gateway.Pending, bool, error) {
	p, err := s.callOf(number)
	if err != nil {
		return p, false, err
	}
	if state := s.cfg.CallState(p); state != gateway.PendingWaiting {
		s.out.linef("It is %s, not waiting.", state)
		return p, false, nil
	}
	return p, true, nil
}

// doRun runs a call that waits, when it was read out whole.
func (s *session) doRun(number string) error {
	p, ok, err := s.waitingCall(number)
	if err != nil || !ok {
		return err
	}
	if s.heard[p.ID] != p.Digest {
		s.out.linef("Not read yet: its arguments. Say calls %s.", number)
		return nil
	}
	s.out.linef("Run %s, version %d, called by %s for the user %s. Digest %s.", p.Tool, p.Version, p.Caller.Actor, p.Caller.User, p.Digest)
	form := proposals.ActApproveCall.Form(1)
	s.out.line(form.Consequence)
	if !s.agree(form.Verb) {
		return nil
	}
	return s.said(s.cfg.RunCall(s.ctx, p))
}

// doRefuse refuses a call that waits.
func (s *session) doRefuse(number string) error {
	p, ok, err := s.waitingCall(number)
	if err != nil || !ok {
		return err
	}
	form := proposals.ActRefuseCall.Form(1)
	s.out.linef("Refuse %s, called by %s for the user %s. %s", p.Tool, p.Caller.Actor, p.Caller.User, form.Consequence)
	reason := s.reason("Your reason.")
	if reason == "" || !s.agree(form.Verb) {
		return nil
	}
	return s.said(s.cfg.RefuseCall(s.ctx, p, reason))
}
