package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"toolcrib/proposals"
)

func newPropose(a *app) *cobra.Command {
	var draft bool
	cmd := &cobra.Command{
		Use:   "propose FILE… | -",
		Short: "Propose changes from files",
		Long: `Read proposals from files (JSON, NDJSON, or Markdown with front matter) or
standard input and submit them to the Chief of Staff, all or none.

--draft saves them as drafts, which may be incomplete. Exit status 1: a file is
malformed or incomplete, with every problem and its place; 5: the subject is
locked, the same content was rejected before, or an agent's limit is reached.`,
		Example: `  toolcrib propose pacer.md
  toolcrib propose --draft pacer.md
  generate | toolcrib propose --as agent:generator -`,
		Args: some("files, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return runPropose(cmd.Context(), a, args, draft) },
	}
	cmd.Flags().BoolVar(&draft, "draft", false, "save them as drafts")
	return cmd
}

func runPropose(ctx context.Context, a *app, files []string, draft bool) error {
	actor, err := a.actor()
	if err != nil {
		return err
	}
	drafts, err := a.readDrafts(ctx, files, !draft)
	if err != nil {
		return err
	}
	desk, err := a.openDesk(ctx)
	if err != nil {
		return err
	}
	return a.printMoved(desk.Propose(ctx, actor, drafts, !draft))
}

// printMoved prints proposals after something happened to them, unless err kept it from
// happening.
func (a *app) printMoved(made []proposals.Proposal, err error) error {
	if err != nil {
		return err
	}
	return a.print(newDocProposalList(made, "", a.flags.dryRun), func(p *page) {
		for _, m := range made {
			p.linef("%s", moved(m))
		}
		a.closing(p)
	})
}

// closing reports that a dry run kept nothing.
func (a *app) closing(p *page) {
	if a.flags.dryRun {
		p.linef("Dry run: nothing was kept.")
	}
}

// moved describes the state of a proposal in one line.
func moved(p proposals.Proposal) string {
	line := fmt.Sprintf("%s  %s %s: %s, revision %d", p.Handle(), p.Type, p.Subject, p.State, p.Revision)
	if s := p.Summary; s.Recommendation != "" {
		line += fmt.Sprintf("; the Chief of Staff recommends: %s (%s)", s.Recommendation, findingCount(s))
	}
	return line
}

func findingCount(s proposals.Summary) string {
	switch {
	case s.Findings == 0:
		return "no findings"
	case s.Blocks > 0:
		return counted(s.Findings, "finding") + ", " + counted(s.Blocks, "open block")
	}
	return counted(s.Findings, "finding")
}

// counted writes "1 finding", "2 findings".
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func newRevise(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "revise ID FILE | -",
		Short: "Replace the content of an open proposal",
		Long: `Add a revision from a file. A draft stays a draft; any other proposal returns to
the Chief of Staff. toolcrib show ID --source FILE writes the current revision
to start from.

Earlier revisions never change, and their assessments do not carry over. Exit
status 4: the content is the same, or the proposal is not open.`,
		Example: `  toolcrib show 4 --source revised.md
  vi revised.md
  toolcrib revise 4 revised.md`,
		Args: exact(2, "the number of a proposal and a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			actor, err := a.actor()
			if err != nil {
				return err
			}
			drafts, err := a.readDrafts(ctx, args[1:], false)
			if err != nil {
				return err
			}
			if len(drafts) != 1 {
				return usagef("a revision is one proposal; %s holds %d", args[1], len(drafts))
			}
			desk, err := a.openDesk(ctx)
			if err != nil {
				return err
			}
			ids, err := a.ids(ctx, desk, args[:1])
			if err != nil {
				return err
			}
			p, err := desk.Revise(ctx, actor, ids[0], drafts[0])
			return a.printMoved([]proposals.Proposal{p}, err)
		},
	}
}

func newSubmit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "submit ID…",
		Short: "Submit drafts for review",
		Long: `Submit drafts: each is checked for completeness, gets an issue, and is reviewed.
All missing parts are reported at once, and the draft stays a draft (exit status
1).`,
		Example: `  toolcrib submit 4`,
		Args:    some("ids of drafts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachProposal(cmd.Context(), args, func(ctx context.Context, b session, id proposals.ID) (proposals.Proposal, error) {
				return b.desk.Submit(ctx, b.actor, id)
			})
		},
	}
}

func newWithdraw(a *app) *cobra.Command {
	var note noteFlags
	cmd := &cobra.Command{
		Use:   "withdraw ID…",
		Short: "Withdraw open proposals",
		Long: `Withdraw open proposals: your own, or as a user anyone's. Revisions,
assessments, and comments stay. A withdrawn proposal cannot be reopened, but its
content can be proposed again. Exit status 4: not open.`,
		Example: `  toolcrib withdraw 4 --note "Solved in another way."`,
		Args:    some("numbers of proposals"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := note.read(cmd.Context(), a)
			if err != nil {
				return err
			}
			return a.eachProposal(cmd.Context(), args, func(ctx context.Context, b session, id proposals.ID) (proposals.Proposal, error) {
				return b.desk.Withdraw(ctx, b.actor, id, text)
			})
		},
	}
	note.register(cmd.Flags())
	return cmd
}
