package gateway

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/internal/plaintext"
	"toolcrib/internal/turns"
	"toolcrib/internal/visible"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Gate is the eval gate: it is asked about each call of a tool that requires
// it, after everything else let the call pass.
type Gate interface {
	// Ask returns what the gate says of a call. An error is a gate that
	// failed, and not a no. Ask stops when ctx ends.
	Ask(ctx context.Context, in Invocation) (GateAnswer, error)
}

// GateAnswer is a gate's word on one call.
type GateAnswer struct {
	Approved bool
	Reason   string
}

// errNoGate refuses a call of a tool that requires the gate where none is
// configured.
var errNoGate = errors.New("no eval gate is configured")

// passGate asks the gate. A gate that failed or is late lets the call pass
// with a warning, unless the call must not run without a yes: it is
// destructive, it needs the user's approval, or the configuration is closed.
func (g *Gateway) passGate(ctx context.Context, in Invocation, tier registry.ApprovalTier) (warning string, err error) {
	if !in.Tool.Definition.Tool.RequiresGate {
		return "", nil
	}
	answer, err := g.ask(ctx, in)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		problem := fmt.Sprintf("The eval gate did not answer for %s (%s)", in.Tool.Subject, jsondoc.Printable(err.Error()))
		if why := g.closedFor(in.Tool, tier); why != "" {
			return "", &Error{Code: CodeGateUnavailable, Message: fmt.Sprintf("%s, and %s; try again when it does.", problem, why), NotRun: true}
		}
		return problem + "; the call ran without its yes.", nil
	case !answer.Approved:
		reason := plaintext.Clip(visible.Line(answer.Reason), MaxReason)
		if reason == "" {
			reason = "it gave no reason"
		}
		return "", &Error{Code: CodeGateRefused, Message: fmt.Sprintf("The eval gate refused the call of %s: %s.", in.Tool.Subject, reason)}
	}
	return "", nil
}

// closedFor returns why a call must not run without the gate's yes, "" when it
// may.
func (g *Gateway) closedFor(tool registry.Live, tier registry.ApprovalTier) string {
	switch {
	case tool.Definition.Tool.Destroys():
		return "a destructive tool does not run without it"
	case tier == registry.RequiresApproval:
		return "a tool that requires approval does not run without it"
	case g.gateClosed:
		return "the configuration lets nothing run without it"
	}
	return ""
}

// ask asks the gate and waits no longer than its time-out, also for a gate
// that does not look at its context.
func (g *Gateway) ask(ctx context.Context, in Invocation) (GateAnswer, error) {
	if g.gate == nil {
		return GateAnswer{}, errNoGate
	}
	ctx, cancel := context.WithTimeout(ctx, g.gateTimeout)
	defer cancel()
	type reply struct {
		answer GateAnswer
		err    error
	}
	done := make(chan reply, 1)
	defer turns.Outside(ctx)()
	go func() {
		answer, err := g.gate.Ask(ctx, in)
		done <- reply{answer, err}
	}()
	select {
	case r := <-done:
		if r.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return GateAnswer{}, fmt.Errorf("it did not answer within %s", g.gateTimeout)
		}
		return r.answer, r.err
	case <-ctx.Done():
		return GateAnswer{}, fmt.Errorf("it did not answer within %s", g.gateTimeout)
	}
}
