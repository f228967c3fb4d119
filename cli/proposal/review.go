package proposal

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/lint"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/review"
)

func newReview(a *command.App) *cobra.Command {
	var again bool
	var file, branch, format string
	cmd := &cobra.Command{
		Use: "review ID... | --git BASE...HEAD [PATH...]",
		Args: func(cmd *cobra.Command, args []string) error {
			if branch != "" {
				return nil // the arguments are paths
			}
			return command.AtLeastOneArg("the number of a proposal")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case branch != "" && (again || file != ""):
				return process.Usagef("--git cannot be combined with --again or --file, because a review with --git is not stored")
			case branch != "":
				return lint.Branch(cmd.Context(), a, branch, args, format)
			case format != "text":
				return process.Usagef("--format needs --git")
			}
			if again && file != "" {
				return process.Usagef("--again cannot be combined with --file")
			}
			b, err := a.OpenSession(cmd.Context())
			if err != nil {
				return err
			}
			if again && (len(args) > 1 || args[0] == "-" || strings.HasPrefix(args[0], "set:")) {
				return eachProposal(cmd.Context(), a, args, func(ctx context.Context, b command.Session, id proposals.ID) (proposals.Proposal, error) {
					if _, err := b.Desk.Assessing.Reassess(ctx, id); err != nil {
						return proposals.Proposal{}, err
					}
					d, err := b.Desk.Reading.Show(ctx, b.Actor, id)
					return d.Proposal, err
				})
			}
			if len(args) > 1 {
				return process.Usagef("%s accepts several proposals only with --again", cmd.CommandPath())
			}
			if again || file != "" {
				if err := assess(cmd.Context(), b, a, args[0], file); err != nil {
					return err
				}
			}
			d, err := show(cmd.Context(), b, a, args[0])
			if err != nil {
				return err
			}
			as := d.Assessment()
			doc := docReview{Head: output.NewHead("assessment"), Proposal: facts.DocumentOf(d.Proposal)}
			if as != nil {
				doc.Assessment = document.NewAssessment(*as, d)
			}
			err = a.Print(doc, func(p *output.Page) {
				p.Linef("%s", document.Moved(d.Proposal))
				if as == nil {
					p.Linef("Revision %d has no assessment yet.", d.Proposal.Revision)
				}
				document.WriteReach(p, d)
				writeAssessment(p, d)
			})
			if err == nil && a.Audience != nil && printedWhole(b, a) { // the command prints only the findings, so it does not record the content as shown
				a.Audience.Shown([]review.Dossier{d})
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&again, "again", false, "run the built-in review again")
	cmd.Flags().StringVar(&branch, "git", "", "review the changes of a branch, `BASE...HEAD`; needs no database")
	cmd.Flags().StringVar(&format, "format", "text", "with --git, print `FORMAT`: text, json, sarif or markdown")
	cmd.Flags().StringVar(&file, "file", "", "read your assessment from `FILE`, - for standard input")
	return cmd
}

// assess stores the assessment that the given file contains. If file is "", it runs the built-in review again.
func assess(ctx context.Context, b command.Session, a *command.App, ref, file string) error {
	ids, err := a.IDs(ctx, b.Desk, []string{ref})
	if err != nil {
		return err
	}
	if file == "" {
		_, err := b.Desk.Assessing.Reassess(ctx, ids[0])
		return err
	}
	data, err := a.ReadAll(ctx, file)
	if err != nil {
		return err
	}
	var o review.Opinion
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil {
		return process.Usagef("%s is not an assessment: %v", file, err)
	}
	_, err = b.Desk.Assessing.Assess(ctx, b.Actor, ids[0], o)
	return err
}

type docReview struct {
	output.Head
	Proposal   facts.Document       `json:"proposal"`
	Assessment *document.Assessment `json:"assessment"`
}
