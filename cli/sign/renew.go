// This file implements the signers renew command, which proposes untrusted versions again.

package sign

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/records"
)

func newSignersRenew(a *command.App) *cobra.Command {
	var set string
	cmd := &cobra.Command{
		Use: "renew",
		RunE: a.InSession(func(ctx context.Context, b command.Session, _ []string) error {
			live, err := a.DB.Untrusted(ctx)
			if err != nil {
				return err
			}
			set, err := a.FreeSet(ctx, b.Actor, set)
			if err != nil {
				return err
			}
			var drafts []proposals.Draft
			err = a.DB.View(ctx, func(r review.Reader) error {
				drafts = nil
				for _, l := range live {
					v, err := r.Version(ctx, l.Subject, l.Version)
					if err != nil {
						return err
					}
					draft, err := records.DraftOf(ctx, r, v)
					if err != nil {
						return err
					}
					open, err := r.OpenOn(ctx, l.Subject)
					if err != nil {
						return err
					}
					draft.ChangeSet = set
					draft.Rationale = fmt.Sprintf("Approve the content of version %d again. Reason: %s.", l.Version, l.Refused)
					if !slices.ContainsFunc(open, func(p proposals.Proposal) bool {
						return p.Type == draft.Type && p.ContentHash == draft.Definition.Hash()
					}) {
						drafts = append(drafts, draft)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			made, err := b.Desk.Drafting.Propose(ctx, b.Actor, drafts, true)
			if err != nil {
				return err
			}
			return a.Print(document.NewProposalList(made, "", a.Flags.DryRun), func(p *output.Page) {
				for _, m := range made {
					p.Linef("%s", document.Moved(m))
				}
				switch {
				case len(live) == 0:
					p.Linef("Every live version is trusted.")
				case len(made) < len(live):
					p.Linef("%s already proposed.", output.CountedIs(len(live)-len(made), "version"))
				}
				if len(made) > 0 && !a.Flags.DryRun {
					p.Linef("Review the proposals with toolcrib show set:%s, and approve them together with toolcrib approve set:%[1]s", set)
				}
				a.Closing(p)
			})
		}),
	}
	cmd.Flags().StringVar(&set, "change-set", "renew", "the `NAME` of the change set")
	return cmd
}
