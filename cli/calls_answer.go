package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/registry"
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

func newCallsPolicy(a *app) *cobra.Command {
	var user string
	var sign signFlags
	cmd := &cobra.Command{
		Use:   "policy [TOOL auto_approve | requires_approval | default]",
		Short: "List or choose your approval tiers of tools",
		Long: `List the tiers that the user chose, or choose one for a tool; "default" removes
the choice. Only tools with the tier user_configurable allow this, and only the
user can choose. The audit log records it.`,
		Example: `  toolcrib calls policy
  toolcrib calls policy create_tasks requires_approval
  toolcrib calls policy create_tasks default`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return usagef("%s takes nothing, or a tool and a tier; got %d arguments", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCallsPolicy(cmd.Context(), a, user, sign, args)
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "for the user `NAME` (default: the login name)")
	sign.register(cmd.Flags())
	return cmd
}

func runCallsPolicy(ctx context.Context, a *app, user string, sign signFlags, args []string) error {
	if a.flags.dryRun {
		return errNoDryRun("calls policy", "a choice can be taken back with default")
	}
	mine, err := a.user()
	if err != nil {
		return err
	}
	user = cmp.Or(user, mine)
	actor, err := a.actor()
	if err != nil {
		return err
	}
	layer, err := a.layer()
	if err != nil {
		return err
	}
	a.creates = len(args) > 0
	return a.withGateway(ctx, func(g *openGateway) error {
		var list []gateway.Override
		if len(args) == 0 {
			list, err = g.Overrides(ctx, user)
		} else {
			list, err = a.setTier(ctx, g, actor, sign, user, args, layer)
		}
		if err != nil {
			return err
		}
		doc := docTierList{docHead: head("tier.list"), Tiers: mapped(list, newDocTier)}
		return a.print(doc, func(p *page) {
			for _, t := range doc.Tiers {
				p.linef("%s is %s for the user %s", t.Tool, t.Tier, t.User)
			}
			if len(doc.Tiers) == 0 {
				p.linef("The user %s has chosen no tier; every tool has its own.", user)
			}
		})
	})
}

func (a *app) setTier(ctx context.Context, g *openGateway, actor proposals.Actor, sign signFlags, user string, args []string, layer registry.Layer) ([]gateway.Override, error) {
	tool, tier := args[0], chosenTier(args[1])
	answer, err := a.answering(ctx, g, actor, sign, func() ([]byte, error) { return g.PrepareTier(ctx, actor, user, tool, layer, tier) })
	if err != nil {
		return nil, err
	}
	o, err := answer.SetTier(ctx, actor, user, tool, layer, tier)
	return []gateway.Override{o}, err
}

// answering returns the gateway for one act of actor, signed where it is needed.
func (a *app) answering(ctx context.Context, g *openGateway, actor proposals.Actor, f signFlags, prepare func() ([]byte, error)) (gateway.Answering, error) {
	signed, err := a.sign(ctx, actor, f, prepare)
	if err != nil || signed == nil {
		return g.Unsigned(), err
	}
	return g.Signed(*signed), nil
}

func chosenTier(text string) registry.ApprovalTier {
	if text == defaultTier {
		return ""
	}
	return registry.ApprovalTier(text)
}
