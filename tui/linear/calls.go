package linear

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"toolcrib/gateway"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/wording"
)

// How many calls are listed.
const (
	maxWaiting  = 200 // that wait
	maxAnswered = 20  // the last of all
)

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
	waiting, err := s.cfg.Calls.Pending(s.ctx, gateway.PendingQuery{Waiting: true, Limit: maxWaiting})
	if err != nil {
		return err
	}
	last, err := s.cfg.Calls.Pending(s.ctx, gateway.PendingQuery{Limit: maxAnswered})
	if err != nil {
		return err
	}
	s.calls = waiting
	for _, p := range last {
		if s.cfg.Calls.State(p) != gateway.PendingWaiting {
			s.calls = append(s.calls, p)
		}
	}
	lines := []string{wording.Count(len(waiting), "call waits", "calls wait") + " for you."}
	for i, p := range s.calls {
		lines = append(lines, fmt.Sprintf("%d. %s, %s, version %d, called by %s for the user %s.", i+1, p.Tool, s.cfg.Calls.State(p), p.Version, p.Caller.Actor, p.Caller.User))
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
	waiting, err := s.cfg.Calls.Pending(s.ctx, gateway.PendingQuery{Waiting: true, Limit: maxWaiting})
	if err != nil {
		return p, err
	}
	for _, w := range waiting {
		if w.ID == p.ID {
			return w, nil
		}
	}
	last, err := s.cfg.Calls.Pending(s.ctx, gateway.PendingQuery{Limit: maxAnswered})
	for _, l := range last {
		if l.ID == p.ID {
			return l, err
		}
	}
	return p, err
}

// readCall reads a call out with all of its arguments: they are what is agreed
// to.
func (s *session) readCall(p gateway.Pending) error {
	state := s.cfg.Calls.State(p)
	lines := []string{
		fmt.Sprintf("%s, version %d, %s.", p.Tool, p.Version, state),
		fmt.Sprintf("Called by %s as agent %s for the user %s, %s.", p.Caller.Actor, p.Caller.Agent, p.Caller.User, stamp(p.AskedAt)),
	}
	if state == gateway.PendingWaiting {
		lines = append(lines, "It expires "+stamp(p.ExpiresAt)+".")
	}
	lines = append(append(lines, "Arguments:"), text("  ", laidOut(p.Args))...)
	if said := p.Said.Encode(); said != nil {
		lines = append(append(lines, "Context from its caller, not verified:"), text("  ", laidOut(said))...)
	}
	if a := p.Answer; a != nil {
		lines = append(lines, fmt.Sprintf("Answered by %s, %s.", a.By, stamp(a.At)))
		if a.Reason != "" {
			lines = append(append(lines, "Reason:"), text("  ", a.Reason)...)
		}
	}
	if p.Outcome != nil && p.Outcome.Code != "" {
		lines = append(lines, "It failed: "+string(p.Outcome.Code)+".")
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

// laidOut writes a document over several lines.
func laidOut(doc []byte) string {
	n, err := jsondoc.Parse(doc, jsondoc.DefaultLimits)
	if err != nil {
		return string(doc)
	}
	return string(jsondoc.Indent(n))
}

// waitingCall finds a call that can be answered; false, and said, where it cannot
// .
func (s *session) waitingCall(number string) (gateway.Pending, bool, error) {
	p, err := s.callOf(number)
	if err != nil {
		return p, false, err
	}
	if state := s.cfg.Calls.State(p); state != gateway.PendingWaiting {
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
	s.out.line("It runs once, with exactly these arguments.")
	if !s.agree("run it") {
		return nil
	}
	result, err := s.cfg.Calls.Approve(s.ctx, s.cfg.Actor, p.ID, p.Digest)
	if err != nil {
		return err
	}
	s.out.line(strings.TrimSuffix(strings.Join(append([]string{"Ran " + p.Tool.String()}, result.Warnings...), "; "), ".") + ".")
	return s.wrote()
}

// doRefuse refuses a call that waits.
func (s *session) doRefuse(number string) error {
	p, ok, err := s.waitingCall(number)
	if err != nil || !ok {
		return err
	}
	s.out.linef("Refuse %s, called by %s for the user %s. It will not run. Its agent sees your reason.", p.Tool, p.Caller.Actor, p.Caller.User)
	reason := s.reason("Your reason.")
	if reason == "" {
		s.out.line("A reason is required. Nothing changed.")
		return nil
	}
	if !s.agree("refuse it") {
		return nil
	}
	if _, err := s.cfg.Calls.Refuse(s.ctx, s.cfg.Actor, p.ID, reason); err != nil {
		return err
	}
	s.out.linef("Refused %s.", p.Tool)
	return s.wrote()
}
