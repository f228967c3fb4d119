// This file implements the commands "calls approve", "calls refuse", and "calls policy".

package calls

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/signature"
	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

// newAnswer returns the "calls approve" command. If approve is false, it returns the "calls refuse" command.
func newAnswer(a *command.App, approve bool) *cobra.Command {
	var expect string
	var note command.NoteFlags
	var sign signature.Flags
	cmd := &cobra.Command{
		Use:  map[bool]string{true: "approve ID", false: "refuse ID --note REASON"}[approve],
		Args: command.ExactArgs(1, "the id of a pending call"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			c, err := a.Settings()
			if err != nil {
				return err
			}
			if c.RequireExpect && approve && expect == "" {
				return review.ErrNoExpect
			}
			reason, err := note.Read(ctx, a)
			if err != nil {
				return err
			}
			actor, err := a.Actor()
			if err != nil {
				return err
			}
			return a.WithGateway(ctx, func(g *command.OpenGateway) error {
				answer, err := answering(ctx, a, g, actor, sign, func() ([]byte, error) { return g.PrepareAnswer(ctx, actor, args[0], expect, approve, reason) })
				if err != nil {
					return err
				}
				if approve {
					res, err := answer.Approve(ctx, actor, args[0], expect)
					return printCall(a, res, err)
				}
				p, err := answer.Refuse(ctx, actor, args[0], reason)
				if err != nil {
					return err
				}
				return printPending(a, g, p)
			})
		},
	}
	if approve {
		cmd.Flags().StringVar(&expect, "expect", "", "approve only if the digest of the call is `DIGEST`")
	} else {
		note.Register(cmd.Flags())
	}
	sign.Register(cmd.Flags())
	return cmd
}

// answering returns the methods of g that approve or refuse pending calls and set approval tiers. If decisions must be
// signed, actor first signs the statement that prepare returns, and the gateway receives the signed statement.
func answering(ctx context.Context, a *command.App, g *command.OpenGateway, actor proposals.Actor, f signature.Flags, prepare func() ([]byte, error)) (gateway.Answering, error) {
	signed, err := signature.Decision(ctx, a, actor, f, prepare)
	if err != nil || signed == nil {
		return g.Unsigned(), err
	}
	return g.Signed(*signed), nil
}

func newCallsPolicy(a *command.App) *cobra.Command {
	var user, server string
	var annotations []string
	var sign signature.Flags
	cmd := &cobra.Command{
		Use: "policy [TOOL… | --server NAME | --annotations NAME] [auto_approve | requires_approval | default]",
		Args: func(cmd *cobra.Command, args []string) error {
			switch selected := server != "" || len(annotations) > 0; {
			case selected && len(args) != 1:
				return process.Usagef("with --server or --annotations, %s needs exactly one argument, a tier; got %d arguments", cmd.CommandPath(), len(args))
			case !selected && len(args) == 1:
				return process.Usagef("%s needs no arguments, or tools followed by a tier; got %d argument", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			c, err := a.Settings()
			if err != nil {
				return err
			}
			choice := gateway.TierChoice{User: cmp.Or(user, a.User()), Server: server, Layer: c.Layer}
			for _, name := range annotations {
				key, err := hint(name)
				if err != nil {
					return err
				}
				choice.Hints = append(choice.Hints, key)
			}
			if len(args) == 0 {
				return a.WithGateway(ctx, func(g *command.OpenGateway) error {
					list, err := g.Overrides(ctx, choice.User)
					if err != nil {
						return err
					}
					doc := newDocTierList(gateway.TierChange{Set: list}, false)
					return a.Print(doc, func(p *output.Page) {
						if len(doc.Tiers) == 0 {
							p.Remark("The user %s has not changed the tier of any tool.", choice.User)
						}
						writeTierChange(p, doc)
					})
				})
			}
			choice.Tools, choice.Tier = args[:len(args)-1], registry.ApprovalTier(args[len(args)-1])
			if choice.Tier == signature.DefaultTier {
				choice.Tier = ""
			}
			actor, err := a.Actor()
			if err != nil {
				return err
			}
			a.Creates = !a.Flags.DryRun
			return a.WithGateway(ctx, func(g *command.OpenGateway) error {
				change, err := g.Tiers(ctx, actor, choice)
				if err != nil {
					return err
				}
				if len(change.Set) > 0 && !a.Flags.DryRun {
					answer, err := answering(ctx, a, g, actor, sign, func() ([]byte, error) { return g.PrepareTiers(ctx, actor, choice) })
					if err != nil {
						return err
					}
					if change, err = answer.SetTiers(ctx, actor, choice); err != nil {
						return err
					}
				}
				doc := newDocTierList(change, a.Flags.DryRun)
				if err := a.Print(doc, func(p *output.Page) { writeTierChange(p, doc) }); err != nil {
					return err
				}
				if len(change.Set)+len(change.Same) == 0 {
					return fmt.Errorf("%w: none of these tools has a tier that you can change", proposals.ErrAuthority)
				}
				return nil
			})
		},
	}
	set := cmd.Flags()
	set.StringVar(&user, "user", "", "list or change the tiers of the user `NAME` (default: the login name)")
	set.StringVar(&server, "server", "", "change all tools of the MCP server `NAME`")
	set.StringSliceVar(&annotations, "annotations", nil, "change all tools with the annotation `NAME`, such as destructive or read_only")
	sign.Register(set)
	return cmd
}

func writeTierChange(p *output.Page, doc docTierList) {
	will := ""
	if doc.DryRun {
		will = "would be "
	}
	for _, t := range doc.Tiers {
		p.Linef("%s %s%s for the user %s", t.Tool, cmp.Or(will, "is "), t.Tier, t.User)
	}
	for _, t := range doc.Unchanged {
		p.Linef("%s is already %s for the user %s", t.Tool, t.Tier, t.User)
	}
	for _, t := range doc.Fixed {
		p.Linef("%s %s", t.Tool, t.Why)
	}
	if n := len(doc.Tiers) + len(doc.Unchanged) + len(doc.Fixed); n > 5 && len(doc.Unchanged)+len(doc.Fixed) > 0 {
		p.Remark("%d of %s %s.", len(doc.Tiers), output.Counted(n, "tool"), cmp.Or(will, "were ")+"changed")
	}
}
