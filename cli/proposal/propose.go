// This file implements the propose, revise, submit, withdraw, and rebase commands.

package proposal

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/proposals"
	"toolcrib/review"
)

func newPropose(a *command.App) *cobra.Command {
	var draft bool
	cmd := &cobra.Command{
		Use:  "propose FILE… | -",
		Args: command.AtLeastOneArg("files, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			actor, err := a.Actor()
			if err != nil {
				return err
			}
			drafts, err := a.ReadDrafts(ctx, args, !draft)
			if err != nil {
				return err
			}
			desk, err := a.OpenDesk(ctx)
			if err != nil {
				return err
			}
			made, err := desk.Drafting.Propose(ctx, actor, drafts, !draft)
			return printMoved(a, made, err)
		},
	}
	cmd.Flags().BoolVar(&draft, "draft", false, "save the proposals as drafts")
	return cmd
}

// printMoved prints the results of an operation that created or changed proposals. If err is not nil, printMoved only
// returns err.
func printMoved(a *command.App, ps []proposals.Proposal, err error) error {
	if err != nil {
		return err
	}
	for _, m := range ps {
		if m.Stale() {
			ref := review.Reference(m)
			a.Note("toolcrib: %s is stale: version %d of %s is live, but the proposal changes version %d; to rebase the proposal: toolcrib rebase %s", m.Handle(), m.LiveVersion, m.Subject, m.BaseVersion, ref)
		}
	}
	return a.Print(document.NewProposalList(ps, "", a.Flags.DryRun), func(p *output.Page) {
		for _, m := range ps {
			p.Linef("%s", document.Moved(m))
		}
		a.Closing(p)
	})
}

func newRevise(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "revise ID FILE | -",
		Args: command.ExactArgs(2, "the number of a proposal and a file"),
		RunE: a.InSession(func(ctx context.Context, b command.Session, args []string) error {
			drafts, err := a.ReadDrafts(ctx, args[1:], false)
			if err != nil {
				return err
			}
			if len(drafts) != 1 {
				return process.Usagef("revise needs a file with a single proposal; %s contains %d", args[1], len(drafts))
			}
			ids, err := a.IDs(ctx, b.Desk, args[:1])
			if err != nil {
				return err
			}
			p, err := b.Desk.Drafting.Revise(ctx, b.Actor, ids[0], drafts[0])
			return printMoved(a, []proposals.Proposal{p}, err)
		}),
	}
}

func newSubmit(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "submit ID…",
		Args: command.AtLeastOneArg("ids of drafts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachProposal(cmd.Context(), a, args, func(ctx context.Context, b command.Session, id proposals.ID) (proposals.Proposal, error) {
				return b.Desk.Drafting.Submit(ctx, b.Actor, id)
			})
		},
	}
}

func newWithdraw(a *command.App) *cobra.Command {
	var note command.NoteFlags
	cmd := &cobra.Command{
		Use:  "withdraw ID…",
		Args: command.AtLeastOneArg("numbers of proposals"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := note.Read(cmd.Context(), a)
			if err != nil {
				return err
			}
			return eachProposal(cmd.Context(), a, args, func(ctx context.Context, b command.Session, id proposals.ID) (proposals.Proposal, error) {
				return b.Desk.Drafting.Withdraw(ctx, b.Actor, id, text)
			})
		},
	}
	note.Register(cmd.Flags())
	return cmd
}

func newRebase(a *command.App) *cobra.Command {
	var source string
	cmd := &cobra.Command{
		Use:  "rebase ID",
		Args: command.ExactArgs(1, "the number of a proposal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			b, ids, err := a.OpenProposals(ctx, args)
			if err != nil {
				return err
			}
			p, err := b.Desk.Drafting.Rebase(ctx, b.Actor, ids[0])
			if conflict, ok := errors.AsType[*review.RebaseConflict](err); ok && source != "" {
				if writeErr := a.WriteDraft(conflict.Draft, source); writeErr != nil {
					return writeErr
				}
				a.Note("Wrote the merge to %s; resolve the conflicts and run: toolcrib revise %s %s", source, strings.TrimPrefix(args[0], "#"), source)
			}
			return printMoved(a, []proposals.Proposal{p}, err)
		},
	}
	cmd.Flags().StringVar(&source, "source", "", "on conflict, write the merge to `FILE` (.md or .json)")
	return cmd
}

// eachProposal calls act for each proposal that refs denote, and prints the new states of the proposals. It stops at
// the first error, without undoing earlier calls.
func eachProposal(ctx context.Context, a *command.App, refs []string, act func(context.Context, command.Session, proposals.ID) (proposals.Proposal, error)) error {
	b, ids, err := a.OpenProposals(ctx, refs)
	if err != nil {
		return err
	}
	moved := make([]proposals.Proposal, 0, len(ids))
	for _, id := range ids {
		p, err := act(ctx, b, id)
		if err != nil {
			return err
		}
		moved = append(moved, p)
	}
	return printMoved(a, moved, nil)
}
