package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/signing/keys"
	"toolcrib/signing/signers"
	"toolcrib/signing/statement"
)

func newSignersRecord(a *app) *cobra.Command {
	var sign signFlags
	cmd := &cobra.Command{
		Use:   "record",
		Short: "Put an edited signers file in force",
		Long: `Record the signers file and its revocation list as they are now, after you or the
administrator edited them. Until then no signature counts.

If a change was interrupted after its state was recorded and before the file was
replaced, finish it instead: the file gets the text of that state, and no key is
asked.`,
		Example: `  toolcrib signers record --sign-key ~/.ssh/id_ed25519`,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runSignersRecord(cmd.Context(), a, sign) },
	}
	sign.register(cmd.Flags())
	return cmd
}

func runSignersRecord(ctx context.Context, a *app, sign signFlags) error {
	b, err := a.openSession(ctx)
	if err != nil {
		return err
	}
	finished, err := a.finishSigners(ctx, b.desk)
	if err != nil {
		return err
	}
	if finished {
		return a.printSigners(review.SignersState{})
	}
	state, err := a.recordSigners(ctx, b.desk, b.actor, sign, nil)
	if err != nil {
		return err
	}
	return a.printSigners(state)
}

// finishSigners gives the signers file the text of the state in force, if that was
// recorded and the process was killed before it replaced the file.
func (a *app) finishSigners(ctx context.Context, desk *review.Desk) (bool, error) {
	states, err := desk.SignersStates(ctx)
	if err != nil || len(states) == 0 {
		return false, err
	}
	folder := a.config.signers.User
	switch s, file, err := a.config.signers.Load(); {
	case errors.Is(err, signers.ErrNoFile):
	case err != nil:
		return false, fmt.Errorf("%w: %w", review.ErrSigners, err)
	case s.Digest() == statement.Sum(states[len(states)-1].Text):
		return false, nil
	default:
		folder = filepath.Dir(file)
	}
	u, err := signers.FindUnfinished(folder, statement.Sum(states[len(states)-1].Text))
	if err != nil || u == nil || a.flags.dryRun {
		return u != nil, err
	}
	a.note("toolcrib: finishing a change of the signers that was interrupted: %s becomes that of state %d.", u.Name, len(states))
	return true, u.Finish()
}

// recordSigners puts the signers file that desk has in force. next, where it is
// not nil, is that file before it is written.
func (a *app) recordSigners(ctx context.Context, desk *review.Desk, actor proposals.Actor, f signFlags, next *signers.Signers) (review.SignersState, error) {
	if a.flags.dryRun {
		return review.SignersState{}, errNoDryRun("signers", "a state is put in force by a signature")
	}
	states, err := desk.SignersStates(ctx)
	if err != nil {
		return review.SignersState{}, err
	}
	in := next
	if len(states) > 0 { // a signer of the last state signs
		last := states[len(states)-1]
		if in, err = signers.Restore(last.Text, last.Revoked); err != nil {
			return review.SignersState{}, fmt.Errorf("%w: %w", review.ErrSigners, err)
		}
	}
	if in == nil {
		if in, err = a.config.signers.Signers(); err != nil {
			return review.SignersState{}, fmt.Errorf("%w: %w", review.ErrSigners, err)
		}
	}
	find := func() (keys.Key, error) { return a.signingKeyOf(ctx, in, actor, f.key) }
	signed, err := a.signAs(ctx, actor, f, func() ([]byte, error) { return desk.PrepareSigners(ctx, actor) }, find)
	if err != nil {
		return review.SignersState{}, err
	}
	return desk.Signed(*signed).ChangeSigners(ctx, actor)
}
