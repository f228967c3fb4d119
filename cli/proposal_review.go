package cli

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/rules"
)

func newReview(a *app) *cobra.Command {
	var again bool
	var file string
	cmd := &cobra.Command{
		Use:   "review ID...",
		Short: "Show, repeat, or file an assessment",
		Long: `Print the assessment of the current revision.

--again runs the built-in review again, after the rules, the configuration, or
the registry changed; it takes several proposals, set:NAME, or - for one a line
on standard input. --file with --as chief:NAME files your own assessment:

  {"revision": 1, "recommendation": "needs_changes", "comment": "…",
   "findings": [{"severity": "warn", "path": "definition.prompt", "message": "…"}]}

It adds to the built-in findings and can only lower the recommendation. An
assessment decides nothing.`,
		Example: `  toolcrib review 4
  toolcrib review 4 --again
  toolcrib list --state user_review | toolcrib review - --again
  toolcrib review 4 --file assessment.json --as chief:ines`,
		Args: some("the number of a proposal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if again && file != "" {
				return usagef("--again and --file exclude each other")
			}
			b, err := a.openSession(cmd.Context())
			if err != nil {
				return err
			}
			if again && (len(args) > 1 || args[0] == "-" || strings.HasPrefix(args[0], "set:")) {
				return b.reassess(cmd.Context(), a, args)
			}
			if len(args) > 1 {
				return usagef("%s takes several proposals with --again only", cmd.CommandPath())
			}
			if err := b.assess(cmd.Context(), a, args[0], again, file); err != nil {
				return err
			}
			d, err := b.show(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			if err := a.printAssessment(d); err != nil {
				return err
			}
			b.shown(cmd.Context(), a, d)
			return nil
		},
	}
	cmd.Flags().BoolVar(&again, "again", false, "run the built-in review again")
	cmd.Flags().StringVar(&file, "file", "", "file the assessment in `FILE`, - for standard input")
	return cmd
}

// reassess runs the built-in review of several proposals again, one after the other:
// each has its assessment, whatever becomes of the next.
func (b session) reassess(ctx context.Context, a *app, refs []string) error {
	ids, err := a.ids(ctx, b.desk, refs)
	if err != nil {
		return err
	}
	again := make([]proposals.Proposal, len(ids))
	for i, id := range ids {
		if _, err := b.desk.Reassess(ctx, id); err != nil {
			return err
		}
		d, err := b.desk.Show(ctx, b.actor, id)
		if err != nil {
			return err
		}
		again[i] = d.Proposal
	}
	return a.printMoved(again, nil)
}

// docOpinion is an assessment as a chief writes it.
type docOpinion struct {
	Revision       int                      `json:"revision"`
	ContentHash    string                   `json:"content_hash"`
	Recommendation proposals.Recommendation `json:"recommendation"`
	Comment        string                   `json:"comment"`
	Findings       []rules.Finding          `json:"findings"`
}

func (b session) assess(ctx context.Context, a *app, ref string, again bool, file string) error {
	if !again && file == "" {
		return nil
	}
	ids, err := a.ids(ctx, b.desk, []string{ref})
	if err != nil {
		return err
	}
	if again {
		_, err := b.desk.Reassess(ctx, ids[0])
		return err
	}
	data, err := a.readAll(ctx, file)
	if err != nil {
		return err
	}
	var o docOpinion
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil {
		return usagef("%s is not an assessment: %v", file, err)
	}
	_, err = b.desk.Assess(ctx, b.actor, ids[0], review.Opinion{
		Revision: o.Revision, ContentHash: o.ContentHash, Recommendation: o.Recommendation, Comment: o.Comment, Findings: o.Findings,
	})
	return err
}

type docReview struct {
	docHead
	Proposal   docProposal    `json:"proposal"`
	Assessment *docAssessment `json:"assessment"`
}

func (a *app) printAssessment(d review.Dossier) error {
	as := d.Assessment()
	doc := docReview{docHead: head("assessment"), Proposal: newDocProposal(d.Proposal)}
	if as != nil {
		doc.Assessment = newDocAssessment(*as, d)
	}
	return a.print(doc, func(p *page) {
		p.linef("%s", moved(d.Proposal))
		if as == nil {
			p.linef("There is no assessment of revision %d yet.", d.Proposal.Revision)
		}
		writeAssessment(p, d)
	})
}
