package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/proposals"
	"toolcrib/review/intake"
)

// canonicalSet is the change set of a migration when none is named.
const canonicalSet = "canonicalize"

type docMigration struct {
	docHead
	ChangeSet string          `json:"change_set"`
	Steps     []docImportStep `json:"steps"`
	Retired   []docRetired    `json:"retired"`
	DeadTiers []string        `json:"dead_tiers"`
	Remarks   []string        `json:"remarks"`
	Proposals []docProposal   `json:"proposals"`
	DryRun    bool            `json:"dry_run,omitempty"`
}

// docRetired is a retired name that the file mentions.
type docRetired struct {
	Name      string   `json:"name"`
	Successor string   `json:"successor"` // "" for a ghost
	In        []string `json:"in"`
}

func newCanonicalize(a *app) *cobra.Command {
	o := intake.Origin{}
	cmd := &cobra.Command{
		Use:   "canonicalize FILE | -",
		Short: "Propose the canonical catalog for a legacy registry",
		Long: `Read a legacy registry and propose, as one change set, the changes that lead to
the canonical catalog: retired tools are deactivated, canonical ones are active,
and agents get the successors of retired names. Nothing is deleted, and nothing
approved since is undone. After approval, a second run proposes nothing.

  {"tools":  ["get_task", {"id": "create_task"}],
   "agents": [{"id": "helper", "name": "Helper", "tools": ["get_task", "recall"],
               "soul": "…", "prompt_template": "…"}],
   "approvalTiers": {"create_task": "auto_approve"}}

Every retired name in the file is listed with its successor, or as a ghost if it
has none. Souls and templates are searched too. --dry-run shows the plan and
saves nothing.`,
		Example: `  toolcrib canonicalize registry.json --dry-run
  toolcrib canonicalize registry.json
  toolcrib --approve set:canonicalize`,
		Args: exact(1, "one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return runCanonicalize(cmd.Context(), a, args[0], o) },
	}
	cmd.Flags().StringVar(&o.Set, "change-set", canonicalSet, "the `NAME` of the change set")
	return cmd
}

func runCanonicalize(ctx context.Context, a *app, file string, o intake.Origin) error {
	data, err := a.readAll(ctx, file)
	if err != nil {
		return err
	}
	legacy, err := intake.DecodeLegacy(data)
	if err != nil {
		return fmt.Errorf("%s is not a legacy registry: %w", file, err)
	}
	if o.Layer, err = a.layer(); err != nil {
		return err
	}
	b, err := a.openSession(ctx)
	if err != nil {
		return err
	}
	live, err := a.everything(ctx)
	if err != nil {
		return err
	}
	m := intake.Canonicalize(legacy, o, live)
	if err := a.leaveOutPending(ctx, m.Steps, false); err != nil {
		return err
	}
	var drafts []proposals.Draft
	for _, s := range m.Steps {
		if s.Draft != nil {
			drafts = append(drafts, *s.Draft)
		}
	}
	var made []proposals.Proposal
	if len(drafts) > 0 {
		if made, err = b.desk.Propose(ctx, b.actor, drafts, true); err != nil {
			return err
		}
	}
	return a.printMigration(m, o.Set, made)
}

func (a *app) printMigration(m intake.Migration, set string, made []proposals.Proposal) error {
	doc := docMigration{
		docHead: head("migration"), ChangeSet: set, Steps: newDocImportSteps(m.Steps, made), Retired: mapped(m.Retired, func(r intake.RetiredName) docRetired { return docRetired(r) }),
		DeadTiers: append([]string{}, m.DeadTiers...), Remarks: append([]string{}, m.Remarks...),
		Proposals: newDocProposalList(made, "", false).Proposals, DryRun: a.flags.dryRun,
	}
	return a.print(doc, func(p *page) {
		switch {
		case len(m.Steps) > 0:
		case len(m.Retired)+len(m.DeadTiers) > 0:
			p.linef("The registry is canonical, so nothing is proposed. The file still has names that are retired:")
		default:
			p.linef("The registry is canonical, so nothing is proposed.")
		}
		for _, s := range m.Steps {
			p.linef("%s %s: %s", s.Change, s.Subject, s.Reason)
		}
		for _, r := range m.Retired {
			if r.Successor == "" {
				p.linef("Ghost, no successor: %s (%s)", r.Name, strings.Join(r.In, ", "))
				continue
			}
			p.linef("Retired: %s → %s (%s)", r.Name, r.Successor, strings.Join(r.In, ", "))
		}
		for _, name := range m.DeadTiers {
			p.linef("Dead approval tier: %s", name)
		}
		for _, r := range m.Remarks {
			p.linef("Note: %s", stop(r))
		}
		if len(made) > 0 && !a.flags.dryRun {
			p.linef("%d proposals. Approve them together: toolcrib --approve set:%s", len(made), set)
		}
		a.closing(p)
	})
}
