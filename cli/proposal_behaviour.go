package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"toolcrib/history/diff"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/harness"
)

// docBehaviour is how test cases come out before and after a change.
type docBehaviour struct {
	docHead
	Proposal    docProposalRef     `json:"proposal"`
	Revision    int                `json:"revision"`
	LiveVersion int                `json:"live_version"` // 0 for none
	OK          bool               `json:"ok"`           // no case fails with the proposal
	Cases       []docCaseBehaviour `json:"cases"`
}

type docCaseBehaviour struct {
	Name    string   `json:"name"`
	Input   string   `json:"input"`
	Expect  string   `json:"expect"`
	Changed bool     `json:"changed"`
	Dropped bool     `json:"dropped"` // the live version has the case, the proposal does not
	Before  docTrial `json:"before"`
	After   docTrial `json:"after"`
}

type docTrial struct {
	Outcome string  `json:"outcome"` // passed, failed or not_run
	Reason  string  `json:"reason"`
	Live    bool    `json:"live"` // a model answered just now
	Answer  *string `json:"answer,omitempty"`
}

func newTest(a *app) *cobra.Command {
	var live bool
	cmd := &cobra.Command{
		Use:   "test ID",
		Short: "Run test cases on the live and the proposed version",
		Long: `Run the test cases of a proposal, and those of the live version that it drops,
against both versions, and show what changes.

Recorded answers are used: those in the proposal, and those that the live
version was approved with. A case without a recording is reported as not run.
--live asks the model under [model] in your configuration instead, once per
case and version. Nothing is kept. Exit status 6: a case fails with the
proposed version.`,
		Example: `  toolcrib test 4
  toolcrib test 4 --live --json`,
		Args: exact(1, "the number of a proposal"),
		RunE: func(cmd *cobra.Command, args []string) error { return runTest(cmd.Context(), a, args[0], live) },
	}
	cmd.Flags().BoolVar(&live, "live", false, "ask the configured model instead of using recorded answers")
	return cmd
}

func runTest(ctx context.Context, a *app, ref string, live bool) error {
	b, err := a.openSession(ctx)
	if err != nil {
		return err
	}
	d, err := b.show(ctx, a, ref)
	if err != nil {
		return err
	}
	behaviour, err := b.desk.Behaviour(ctx, d.Proposal.ID, live, func(done, total int, name string) {
		if live && done < total {
			a.note("%d of %d: %s", done+1, total, name)
		}
	})
	if err != nil {
		return err
	}
	doc := newDocBehaviour(behaviour)
	return a.printChecked(doc, doc.OK, func(p *page) { writeBehaviour(p, behaviour) })
}

func newDocBehaviour(b review.Behaviour) docBehaviour {
	doc := docBehaviour{
		docHead: head("behaviour"), Proposal: newDocProposalRef(b.Proposal), Revision: b.Proposal.Revision, LiveVersion: b.Live,
		OK: true, Cases: []docCaseBehaviour{},
	}
	for _, c := range b.Cases {
		doc.Cases = append(doc.Cases, docCaseBehaviour{
			Name: c.Name, Input: c.Input, Expect: string(c.Expect), Changed: c.Changed(), Dropped: c.Dropped, Before: newDocTrial(c.Before), After: newDocTrial(c.After),
		})
		doc.OK = doc.OK && c.After.Outcome != harness.Failed
	}
	return doc
}

func newDocTrial(t review.Trial) docTrial {
	doc := docTrial{Outcome: string(t.Outcome), Reason: t.Reason, Live: t.Live}
	if t.Outcome != harness.NotRun {
		doc.Answer = &t.Text
	}
	return doc
}

func writeBehaviour(p *page, b review.Behaviour) {
	before := "nothing live"
	if b.Live > 0 {
		before = versionName(b.Live)
	}
	p.linef("%s %s: %s, then revision %d", b.Proposal.Handle(), b.Proposal.Subject, before, b.Proposal.Revision)
	if len(b.Cases) == 0 {
		p.linef("There are no test cases.")
	}
	for _, c := range b.Cases {
		p.blank()
		title := safe(c.Name) + "  " + p.paint(inkFaint, "should "+safe(string(c.Expect)))
		if c.Dropped {
			title += "  " + p.paint(inkWarn, "dropped by the proposal")
		}
		p.raw(p.paint(inkStrong, title))
		writeTrial(p, "before", c.Before)
		writeTrial(p, "after", c.After)
		if c.Changed() && c.Before.Text != c.After.Text {
			text := func(s string) *jsondoc.Node { return jsondoc.NewString(s) }
			for _, h := range newDocHunks(diff.Field{Change: diff.Modified, Before: text(c.Before.Text), After: text(c.After.Text)}.Hunks(1)) {
				writeHunk(p, h)
			}
		}
	}
	changed := 0
	for _, c := range b.Cases {
		if c.Changed() {
			changed++
		}
	}
	if compared := slices.ContainsFunc(b.Cases, func(c review.CaseBehaviour) bool {
		return c.Before.Outcome != harness.NotRun && c.After.Outcome != harness.NotRun
	}); compared {
		p.blank()
		p.linef("%d of %s changed.", changed, counted(len(b.Cases), "case"))
	}
}

// writeTrial prints how a case came out with one version.
func writeTrial(p *page, when string, t review.Trial) {
	word, i := "not run", inkFaint
	switch t.Outcome {
	case harness.Passed:
		word, i = "passed", inkGood
	case harness.Failed:
		word, i = "FAILED", inkBad
	case harness.NotRun:
	}
	if t.Live {
		word += " (model)"
	}
	p.raw(fmt.Sprintf("  %-7s", when) + p.paint(i, fmt.Sprintf("%-16s", word)) + safe(t.Reason))
}
