// This file draws the summary of the proposal.

package proposal

import (
	"cmp"
	"strconv"
	"time"

	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/review/harness"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// overviewPane is the tab with a summary of the proposal.
type overviewPane struct {
	findingPane
	prompts *promptPane
}

// beside reports whether the given tab is in the right pane, next to the overview. The overview then omits the
// content of that tab.
func (t *overviewPane) beside(tab int) bool { return t.frame.Left > 0 && t.RightTab() == tab }

// Fill implements tab. It draws the change, its author, its consequences, and the rationale. Digests and hashes are
// at the end.
func (t *overviewPane) Fill() {
	d := t.dossier
	p := d.Proposal
	page := prose.New(t.frame.Theme)
	page.Blank()
	page.Title(p.Title)
	page.Text("", string(p.Type)+" "+p.Subject.String())
	page.Blank()
	assigned := draw.Safe("")
	if d.Issue != nil && d.Issue.Assignee != "" {
		assigned = "   assigned to " + draw.Escape(d.Issue.Assignee)
	}
	view := facts.View{Age: func(at time.Time) string { return string(screen.FormatTime(at)) }}
	labels.Facts(page, t.frame.Theme, t.Actor, p, view, assigned)
	t.frame.Capabilities(page, d)
	t.consequences(page)
	page.Blank()
	page.Heading("Rationale")
	t.Texts.Prose(page, t.frame.Theme, t.TabWidth(t.frame.Layout, tabOverview), cmp.Or(d.Revision.Draft.Rationale, "none"))
	if n := len(d.Standing); n > 0 && !t.beside(tabAssessment) {
		page.Blank()
		page.Heading(wording.Count(n, "finding", "findings"))
		t.quotes.Findings(page, t.frame.Theme, d, t.findings, t.reading().Passages)
	}
	t.testCases(page)
	t.promptCosts(page)
	page.Blank()
	page.Heading("Digests")
	page.Field("revision", strconv.Itoa(p.Revision)+"   content "+wording.Short(p.ContentHash))
	page.Field("id", string(p.ID))
	if digest := d.Digest; digest != "" {
		if prose.LabelWidth+len(digest)+2 > t.TabWidth(t.frame.Layout, tabOverview) {
			digest = wording.Short(digest) // the dialog of a decision shows the full digest
		}
		page.Field("digest", digest)
	}
	t.pager.Replace(page.Rows())
}

// consequences lists the effects of an approval, and the reasons why the proposal cannot be submitted or
// approved yet.
func (t *overviewPane) consequences(page *prose.Page) {
	d := t.dossier
	if members := d.Together(); len(members) > 1 {
		page.Blank()
		page.Heading("Change set " + d.Proposal.ChangeSet + ": approved together or not at all")
		const most = 6
		for i, o := range members {
			if i == most && len(members) > most+1 {
				page.Faint("  ", "and "+strconv.Itoa(len(members)-most)+" others")
				break
			}
			sign, _, style := labels.State(t.frame.Theme, t.Actor, o)
			page.Item(draw.Of(style, "  "+sign+" ").Add(t.frame.Theme.Faint, draw.Pad(draw.Escape(wording.Reference(o)), 6)), o.Subject.String())
		}
	}
	if !d.Proposal.State.Open() {
		return
	}
	for _, o := range d.Others {
		page.Blank()
		page.Item(draw.Of(t.frame.Theme.Warn, "! "), "Approving this makes "+wording.Reference(o)+" by "+o.Author.String()+" stale.")
	}
	if len(t.problems) > 0 {
		page.Blank()
		page.Heading("Can't be submitted yet")
		for _, why := range t.problems[:min(len(t.problems), maxProblems)] {
			page.Item(draw.Of(t.frame.Theme.Warn, "  ! "), why)
		}
	}
	if ways := wording.Obstacles(d, remedies); len(ways) > 0 {
		page.Blank()
		page.Heading("Can't be approved yet")
		for _, why := range ways {
			page.Item(draw.Of(t.frame.Theme.Warn, "  ! "), why)
		}
	}
}

// maxProblems is the maximum number of reasons that are listed for a draft that cannot be submitted.
const maxProblems = 8

// promptCosts lists the channel prompts that an approval changes. Once the tokens have been counted, it also shows
// the change in their number.
func (t *overviewPane) promptCosts(page *prose.Page) {
	d := t.dossier
	if d.Proposal.Subject.Kind.InFiles() {
		t.prompts.fileCosts(page)
		return
	}
	if len(d.Rendered) == 0 || !d.Proposal.State.Open() {
		return
	}
	page.Blank()
	page.Heading("An approval changes " + wording.Count(len(d.Rendered), "channel prompt", "channel prompts"))
	costs := map[string]string{}
	for _, c := range t.prompts.changes {
		if grown := t.prompts.growth(func(agent registry.Subject) bool { return agent == c.Agent }); grown != "" {
			costs[c.Agent.String()] = "; " + grown
		}
	}
	for _, line := range wording.Channels(d, costs) {
		page.Item(draw.Of("", "  "), line)
	}
}

// testCases lists the examples and the test cases of the draft, with the outcomes of the test cases that were run.
func (t *overviewPane) testCases(page *prose.Page) {
	draft := t.dossier.Revision.Draft
	if len(draft.Examples) > 0 {
		page.Blank()
		page.Heading("Examples")
		for _, e := range draft.Examples {
			page.Item(draw.Of(t.frame.Theme.Faint, "  · "), e)
		}
	}
	if len(draft.TestCases) > 0 || len(t.dossier.TestChanges()) > 0 {
		page.Blank()
		page.Heading("Test cases")
	}
	t.frame.TestsField(page, t.dossier)
	outcomes := map[string]string{} // keyed by the name of the test case
	if a := t.dossier.Assessment(); a != nil {
		for _, r := range a.Report.Harness {
			switch r.Outcome {
			case harness.Passed:
				outcomes[r.Name] = ": ✓ as expected"
			case harness.Failed:
				outcomes[r.Name] = ": ✗ not as expected"
			case harness.NotRun:
			}
		}
	}
	for i, c := range draft.TestCases {
		if i > 0 {
			page.Blank()
		}
		sign, style := draw.Safe("  + should pass  "), t.frame.Theme.Good
		if c.Expect == proposals.ExpectFail {
			sign, style = "  - should fail  ", t.frame.Theme.Bad
		}
		page.Item(draw.Of(style, sign), c.Name+outcomes[c.Name])
		page.FaintLines(draw.Of(t.frame.Theme.Faint, "          in   "), c.Input)
		if c.Output != nil {
			page.FaintLines(draw.Of(t.frame.Theme.Faint, "          out  "), *c.Output)
		}
		for _, check := range c.Checks {
			page.Faint("          ", "check "+string(check.Type)+" "+string(check.Value))
		}
	}
}
