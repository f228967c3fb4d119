package cli

import (
	"context"

	"github.com/spf13/cobra"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/review"
)

func newCallsApprove(a *app) *cobra.Command {
	var expect string
	var sign signFlags
	cmd := &cobra.Command{
		Use:   "approve ID",
		Short: "Approve a waiting call and run it",
		Long: `Run a waiting call with the arguments that calls show prints; with --expect,
only if it still has that digest. If a cooldown or daily limit prevents the
call, it keeps waiting.

Only a user can answer, once. Exit status 4: already answered, expired, or
outdated; 5: a gate refused it; 1: the provider failed.`,
		Example: `  toolcrib calls approve 0199f3
  toolcrib calls approve 0199f3 --expect "$(toolcrib calls show 0199f3 --json | jq -r .pending.digest)"`,
		Args: exact(1, "the id of a pending call"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCallsApprove(cmd.Context(), a, args[0], expect, sign)
		},
	}
	cmd.Flags().StringVar(&expect, "expect", "", "only if its digest is `DIGEST`")
	sign.register(cmd.Flags())
	return cmd
}

func runCallsApprove(ctx context.Context, a *app, id, expect string, sign signFlags) error {
	if a.flags.dryRun {
		return errNoDryRun("calls approve", "what a provider does cannot be taken back")
	}
	c, err := a.settings()
	if err != nil {
		return err
	}
	if c.RequireExpect && expect == "" {
		return review.ErrNoExpect
	}
	actor, err := a.actor()
	if err != nil {
		return err
	}
	return a.withGateway(ctx, func(g *openGateway) error {
		answer, err := a.answering(ctx, g, actor, sign, func() ([]byte, error) { return g.PrepareAnswer(ctx, actor, id, expect, true, "") })
		if err != nil {
			return err
		}
		return a.printCall(answer.Approve(ctx, actor, id, expect))
	})
}

func newCallsRefuse(a *app) *cobra.Command {
	var note noteFlags
	var sign signFlags
	cmd := &cobra.Command{
		Use:   "refuse ID --note REASON",
		Short: "Refuse a waiting call with a reason",
		Long: `Refuse a waiting call, with a reason for its agent. It never runs. Only a user can
answer, once (exit status 4 afterwards).`,
		Example: `  toolcrib calls refuse 0199f3 --note "Not before Monday."`,
		Args:    exact(1, "the id of a pending call"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCallsRefuse(cmd.Context(), a, args[0], note, sign)
		},
	}
	note.register(cmd.Flags())
	sign.register(cmd.Flags())
	return cmd
}

func runCallsRefuse(ctx context.Context, a *app, id string, note noteFlags, sign signFlags) error {
	if a.flags.dryRun {
		return errNoDryRun("calls refuse", "an answer is given once")
	}
	reason, err := note.read(ctx, a)
	if err != nil {
		return err
	}
	actor, err := a.actor()
	if err != nil {
		return err
	}
	return a.withGateway(ctx, func(g *openGateway) error {
		answer, err := a.answering(ctx, g, actor, sign, func() ([]byte, error) { return g.PrepareAnswer(ctx, actor, id, "", false, reason) })
		if err != nil {
			return err
		}
		p, err := answer.Refuse(ctx, actor, id, reason)
		if err != nil {
			return err
		}
		return a.printPending(g, p)
	})
}

// answering returns the gateway for one act of actor, signed where it is needed.
func (a *app) answering(ctx context.Context, g *openGateway, actor proposals.Actor, f signFlags, prepare func() ([]byte, error)) (gateway.Answering, error) {
	signed, err := a.sign(ctx, actor, f, prepare)
	if err != nil || signed == nil {
		return g.Unsigned(), err
	}
	return g.Signed(*signed), nil
}
