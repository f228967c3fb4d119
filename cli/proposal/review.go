package proposal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/lint"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/harness"
	"toolcrib/review/impact"
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
				return process.Usagef("--git cannot be combined with --again or --file, because it does not store an assessment")
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
				return process.Usagef("%s takes several proposals with --again only", cmd.CommandPath())
			}
			if err := assess(cmd.Context(), b, a, args[0], again, file); err != nil {
				return err
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
			if err == nil && a.Audience != nil && printedWhole(b, a) { // not recorded as shown, because only the findings were read
				a.Audience.Shown([]review.Dossier{d})
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&again, "again", false, "run the built-in review again")
	cmd.Flags().StringVar(&branch, "git", "", "review what a branch changes, `BASE...HEAD`; needs no database")
	cmd.Flags().StringVar(&format, "format", "text", "with --git, print `FORMAT`: text, json, sarif or markdown")
	cmd.Flags().StringVar(&file, "file", "", "file the assessment in `FILE`, - for standard input")
	return cmd
}

func assess(ctx context.Context, b command.Session, a *command.App, ref string, again bool, file string) error {
	if !again && file == "" {
		return nil
	}
	ids, err := a.IDs(ctx, b.Desk, []string{ref})
	if err != nil {
		return err
	}
	if again {
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

// docBehaviour has the results of test cases before and after a change.
type docBehaviour struct {
	output.Head
	Proposal    facts.Reference    `json:"proposal"`
	Revision    int                `json:"revision"`
	LiveVersion int                `json:"live_version"` // number of the live version, or 0
	OK          bool               `json:"ok"`           // no case fails with the proposal
	Cases       []docCaseBehaviour `json:"cases"`
}

type docCaseBehaviour struct {
	Name    string   `json:"name"`
	Input   string   `json:"input"`
	Expect  string   `json:"expect"`
	Changed bool     `json:"changed"`
	Dropped bool     `json:"dropped"` // the live version has the case, but the proposal does not
	Before  docTrial `json:"before"`
	After   docTrial `json:"after"`
}

type docTrial struct {
	Outcome string  `json:"outcome"` // passed, failed or not_run
	Reason  string  `json:"reason"`
	Live    bool    `json:"live"` // the answer comes from a model in this run
	Answer  *string `json:"answer,omitempty"`
}

func newTest(a *command.App) *cobra.Command {
	var live bool
	cmd := &cobra.Command{
		Use:  "test ID",
		Args: command.ExactArgs(1, "the number of a proposal"),
		RunE: a.InSession(func(ctx context.Context, b command.Session, args []string) error {
			d, err := show(ctx, b, a, args[0])
			if err != nil {
				return err
			}
			behaviour, err := b.Desk.Impact.Behaviour(ctx, d.Proposal.ID, live, func(done, total int, name string) {
				if live && done < total {
					a.Note("%d of %d: %s", done+1, total, name)
				}
			})
			if err != nil {
				return err
			}
			doc := docBehaviour{
				Head: output.NewHead("behaviour"), Proposal: facts.ReferenceTo(behaviour.Proposal), Revision: behaviour.Proposal.Revision, LiveVersion: behaviour.Live,
				OK: true, Cases: []docCaseBehaviour{},
			}
			for _, c := range behaviour.Cases {
				doc.Cases = append(doc.Cases, docCaseBehaviour{
					Name: c.Name, Input: c.Input, Expect: string(c.Expect), Changed: c.Changed(), Dropped: c.Dropped, Before: newDocTrial(c.Before), After: newDocTrial(c.After),
				})
				doc.OK = doc.OK && c.After.Outcome != harness.Failed
			}
			return a.PrintChecked(doc, doc.OK, func(p *output.Page) { writeBehaviour(p, behaviour) })
		}),
	}
	cmd.Flags().BoolVar(&live, "live", false, "ask the configured model instead of using recorded answers")
	return cmd
}

func newDocTrial(t impact.Trial) docTrial {
	doc := docTrial{Outcome: string(t.Outcome), Reason: t.Reason, Live: t.Live}
	if t.Outcome != harness.NotRun {
		doc.Answer = &t.Text
	}
	return doc
}

func writeBehaviour(p *output.Page, b impact.Behaviour) {
	before := "nothing live"
	if b.Live > 0 {
		before = versionName(b.Live)
	}
	p.Linef("%s %s: %s, then revision %d", b.Proposal.Handle(), b.Proposal.Subject, before, b.Proposal.Revision)
	if len(b.Cases) == 0 {
		p.Linef("The proposal has no test cases.")
	}
	for _, c := range b.Cases {
		p.Blank()
		title := output.Safe(c.Name) + "  " + p.Paint(output.InkFaint, "should "+output.Safe(string(c.Expect)))
		if c.Dropped {
			title += "  " + p.Paint(output.InkWarn, "dropped by the proposal")
		}
		p.Raw(p.Paint(output.InkStrong, title))
		writeTrial(p, "before", c.Before)
		writeTrial(p, "after", c.After)
		if c.Changed() && c.Before.Text != c.After.Text {
			text := func(s string) *jsondoc.Node { return jsondoc.NewString(s) }
			for _, h := range document.NewHunks(diff.Field{Change: diff.Modified, Before: text(c.Before.Text), After: text(c.After.Text)}.Hunks(1)) {
				document.WriteHunk(p, h)
			}
		}
	}
	changed := 0
	for _, c := range b.Cases {
		if c.Changed() {
			changed++
		}
	}
	if compared := slices.ContainsFunc(b.Cases, func(c impact.CaseBehaviour) bool {
		return c.Before.Outcome != harness.NotRun && c.After.Outcome != harness.NotRun
	}); compared {
		p.Blank()
		p.Linef("%d of %s changed.", changed, output.Counted(len(b.Cases), "case"))
	}
}

// writeTrial prints the result of a case with one version.
func writeTrial(p *output.Page, when string, t impact.Trial) {
	word, i := "not run", output.InkFaint
	switch t.Outcome {
	case harness.Passed:
		word, i = "passed", output.InkGood
	case harness.Failed:
		word, i = "FAILED", output.InkBad
	case harness.NotRun:
	}
	if t.Live {
		word += " (model)"
	}
	p.Raw(fmt.Sprintf("  %-7s", when) + p.Paint(i, fmt.Sprintf("%-16s", word)) + output.Safe(t.Reason))
}
