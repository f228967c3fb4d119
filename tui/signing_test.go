package tui_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui"
)

// fingerprint is a key in the form that the dialog shows.
const fingerprint = "SHA256:VAqrwWTbnOqQaaA2PI+lW6CV5EHPx84trSoZwxhMUM0 (ssh-ed25519)"

// signer shows every decision to the user, like a signer with a key, and then makes it at its desk.
type signer struct {
	desk tui.Desk
	fail error
	runs int
}

func (s *signer) Decide(ctx context.Context, _ proposals.Act, _ []review.Choice, _ string, ask tui.AskToSign) (tui.Decider, error) {
	err := ask(ctx, tui.SignRequest{Principal: "user:mara", Key: fingerprint, Statement: "0123456789ab", Run: func() error { s.runs++; return s.fail }})
	return s.desk, err
}

func (s *signer) Waive(context.Context, proposals.Act, proposals.ID, string, string, tui.AskToSign) (tui.Decider, error) {
	return s.desk, nil
}

func (s *signer) Answer(context.Context, gateway.Pending, bool, string, tui.AskToSign) (tui.Answerer, error) {
	return nil, errors.New("nothing waits")
}

// TestSigning checks that the signer and the content are shown before the key is used, and that nothing is lost if
// the user or the key refuses.
func TestSigning(t *testing.T) {
	b := newWorkbench(t, 100, 40, demo("word_counts.json"))
	s := &signer{desk: tui.DeskOf(b.desk)}
	b.config.Signer = s
	b.m = tui.New(b.config)
	b.m.Prime(100, 40)
	b.drain(b.m.Init())
	reject := func() {
		t.Helper()
		b.press("enter", "x").write("Not this year.").press("tab", "y")
		b.wants("Sign the decision", "user:mara", fingerprint, "0123456789ab")
	}
	reject()
	if s.runs != 0 {
		t.Error("the key was asked before the user saw what for")
	}
	b.press("n")
	b.wants("not signed, so nothing was decided")
	if s.runs != 0 {
		t.Error("the key was asked all the same")
	}
	b.press("x")
	b.wants("Not this year.")
	s.fail = errors.New("signing failed: agent refused operation")
	b.press("tab", "y", "y")
	b.wants("signing failed: agent refused operation")
	s.fail = nil
	b.press("x")
	b.wants("Not this year.")
	b.press("tab", "y", "y")
	if page, err := b.desk.Reading.List(t.Context(), review.Query{State: proposals.Rejected}); err != nil || len(page.Proposals) != 1 {
		t.Errorf("%d rejected, %v: %s", len(page.Proposals), err, b.screen())
	}
	if s.runs != 2 || strings.Contains(b.screen(), "Sign the decision") {
		t.Errorf("the key was asked %d times", s.runs)
	}
}

// TestSignDialog checks the dialog that names the key, in every size.
func TestSignDialog(t *testing.T) {
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			b := newWorkbench(t, size[0], size[1], demo("word_counts.json"))
			b.config.Signer = &signer{desk: tui.DeskOf(b.desk)}
			b.m = tui.New(b.config)
			b.m.Prime(size[0], size[1])
			b.drain(b.m.Init())
			b.press("enter", "x").write("Not this year.").press("tab", "y")
			checkWidth(t, b.m.View().Content, size[0], size[1])
			golden.RequireEqual(t, masked(trimmed(b.screen())))
			b.press("n") // ends the write
		})
	}
}
