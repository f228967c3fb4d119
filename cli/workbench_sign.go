package cli

import (
	"context"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/signing/statement"
	"toolcrib/tui"
)

// screenSigner signs decisions made on a screen.
type screenSigner struct {
	app   *app
	desk  *review.Desk
	calls *gateway.Gateway
	actor proposals.Actor
}

// Decide implements tui.Signer.
func (s screenSigner) Decide(ctx context.Context, act proposals.Act, choices []review.Choice, note string, ask tui.AskToSign) (tui.Decider, error) {
	verdict := map[proposals.Act]review.Verdict{
		proposals.ActApprove: review.VerdictApproved, proposals.ActRequestChanges: review.VerdictNeedsChanges, proposals.ActReject: review.VerdictRejected,
	}[act]
	return s.decider(ctx, ask, func() ([]byte, error) { return s.desk.Prepare(ctx, s.actor, choices, verdict, note) })
}

// Waive implements tui.Signer.
func (s screenSigner) Waive(ctx context.Context, act proposals.Act, id proposals.ID, handle, reason string, ask tui.AskToSign) (tui.Decider, error) {
	return s.decider(ctx, ask, func() ([]byte, error) {
		if act == proposals.ActUnwaive {
			return s.desk.PrepareUnwaive(ctx, s.actor, id, handle, reason)
		}
		return s.desk.PrepareWaiver(ctx, s.actor, id, handle, reason, nil)
	})
}

func (s screenSigner) decider(ctx context.Context, ask tui.AskToSign, prepare func() ([]byte, error)) (tui.Decider, error) {
	signed, err := s.sign(ctx, ask, prepare)
	if err != nil || signed == nil {
		return s.desk, err
	}
	return s.desk.Signed(*signed), nil
}

// Answer implements tui.Signer.
func (s screenSigner) Answer(ctx context.Context, p gateway.Pending, approve bool, reason string, ask tui.AskToSign) (tui.Answerer, error) {
	expect := ""
	if approve {
		expect = p.Digest
	}
	signed, err := s.sign(ctx, ask, func() ([]byte, error) { return s.calls.PrepareAnswer(ctx, s.actor, p.ID, expect, approve, reason) })
	if err != nil || signed == nil {
		return s.calls, err
	}
	return s.calls.Signed(*signed), nil
}

// sign has a statement shown, and then signed.
func (s screenSigner) sign(ctx context.Context, ask tui.AskToSign, prepare func() ([]byte, error)) (*review.Signed, error) {
	needed, err := s.app.signs(ctx, signFlags{})
	if err != nil || !needed {
		return nil, err
	}
	text, err := prepare()
	if err != nil {
		return nil, err
	}
	key, err := s.app.signingKey(ctx, s.actor, "")
	if err != nil {
		return nil, err
	}
	var signed *review.Signed
	err = ask(ctx, tui.SignRequest{
		Principal: s.actor.String(), Key: keyName(key), Statement: statement.Sum(text)[:12], Terminal: !key.InAgent(),
		Run: func() (err error) {
			signed, err = s.app.signQuietly(ctx, key, text)
			return err
		},
	})
	return signed, err
}
