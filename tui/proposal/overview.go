package proposal

import (
	"fmt"
	"strconv"
	"time"

	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/review/harness"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// overview shows the change, its author, its consequences and its rationale; the
// seals come last.
func (pp *Page) overview() pager.Rows {
	d := pp.dossier
	p := d.Proposal
	page := prose.New(pp.frame.Theme)
	page.Blank()
	page.Title(p.Title)
	page.Text("", string(p.Type)+" "+p.Subject.String())
	page.Blank()
	assigned := draw.Safe("")
	if d.Issue != nil && d.Issue.Assignee != "" {
		assigned = "   assigned to " + draw.Show(d.Issue.Assignee)
	}
	view := facts.View{Age: func(t time.Time) string { return string(screen.Stamp(t)) }}
	labels.Facts(page, pp.frame.Theme, pp.Actor, p, view, assigned)
	pp.consequences(page)
	page.Blank()
	page.Heading("Rationale")
	pp.Texts.Prose(page, pp.frame.Theme, pp.WidthOf(pp.frame.Layout, tabOverview), wording.OrNone(d.Revision.Draft.Rationale))
	pp.findings(page)
	pp.trials(page)
	pp.promptCosts(page)
	page.Blank()
	page.Heading("Seals")
	page.Field("revision", strconv.Itoa(p.Revision)+"   content "+wording.Short(p.ContentHash))
	page.Field("id", string(p.ID))
	if d.Digest != "" {
		page.Field("digest", d.Digest)
	}
	return page.Rows()
}

// consequences lists the effects of an approval, and the reasons why it is not
// possible.
func (pp *Page) consequences(page *prose.Page) {
	d := pp.dossier
	if len(d.Members) > 1 {
		page.Blank()
		page.Heading("Change set " + d.Proposal.ChangeSet + ": approved together or not at all")
		for _, o := range d.Members {
			sign, _, style := labels.State(pp.frame.Theme, pp.Actor, o)
			page.Item(draw.Of(style, "  "+sign+" ").Add(pp.frame.Theme.Faint, draw.Pad(draw.Show(wording.Reference(o)), 6)), o.Subject.String())
		}
	}
	if !d.Proposal.State.Open() {
		return
	}
	for _, o := range d.Others {
		page.Blank()
		page.Item(draw.Of(pp.frame.Theme.Warn, "! "), "Approving this makes "+wording.Reference(o)+" by "+o.Author.String()+" stale.")
	}
	if len(pp.unfit) > 0 {
		page.Blank()
		page.Heading("Can't be submitted yet")
		for _, why := range pp.unfit[:min(len(pp.unfit), maxUnfit)] {
			page.Item(draw.Of(pp.frame.Theme.Warn, "  ! "), why)
		}
	}
	if ways := wording.Obstacles(d, wording.Ways{Rebase: "; R rebases it"}); len(ways) > 0 {
		page.Blank()
		page.Heading("Can't be approved yet")
		for _, why := range ways {
			page.Item(draw.Of(pp.frame.Theme.Warn, "  ! "), why)
		}
	}
}

// maxUnfit is how many reasons against a submission are listed; one is enough to act
// on.
const maxUnfit = 8

// cannotSubmit returns why the draft cannot be submitted.
func (pp *Page) cannotSubmit() string {
	if why := pp.cannotAct(proposals.ActSubmit)(); why != "" || len(pp.unfit) == 0 {
		return why
	}
	return pp.unfit[0]
}

// findings lists them with the passages that they are about, each a stop.
func (pp *Page) findings(page *prose.Page) {
	for i, s := range pp.dossier.Standing {
		page.Blank()
		if i == 0 {
			page.Heading(wording.Count(len(pp.dossier.Standing), "finding", "findings"))
		}
		page.Stop()
		pp.finding(page, s)
	}
}

// promptCosts lists the channel prompts that an approval changes, and by how many
// tokens once they are counted.
func (pp *Page) promptCosts(page *prose.Page) {
	d := pp.dossier
	if d.Proposal.Subject.Kind.InFiles() {
		contextCosts(page, pp)
		return
	}
	if len(d.Rendered) == 0 || !d.Proposal.State.Open() {
		return
	}
	page.Blank()
	page.Heading("An approval changes " + wording.Count(len(d.Rendered), "channel prompt", "channel prompts"))
	for _, line := range wording.Channels(d, pp.costs()) {
		page.Item(draw.Of("", "  "), line)
	}
}

// trials lists the examples and the test cases.
func (pp *Page) trials(page *prose.Page) {
	draft := pp.dossier.Revision.Draft
	if len(draft.Examples) > 0 {
		page.Blank()
		page.Heading("Examples")
		for _, e := range draft.Examples {
			page.Item(draw.Of(pp.frame.Theme.Faint, "  · "), e)
		}
	}
	if len(draft.TestCases) > 0 || len(pp.dossier.TestChanges()) > 0 {
		page.Blank()
		page.Heading("Test cases")
	}
	pp.frame.TestsField(page, pp.dossier)
	for i, c := range draft.TestCases {
		if i > 0 {
			page.Blank()
		}
		sign, style := draw.Safe("  + pass  "), pp.frame.Theme.Good
		if c.Expect == proposals.ExpectFail {
			sign, style = "  - fail  ", pp.frame.Theme.Bad
		}
		page.Item(draw.Of(style, sign), c.Name+pp.outcome(c.Name))
		page.Faint("          ", "in   "+c.Input)
		if c.Output != nil {
			page.Faint("          ", "out  "+*c.Output)
		}
		for _, check := range c.Checks {
			page.Faint("          ", "check "+string(check.Type)+" "+string(check.Value))
		}
	}
}

// costs returns by agent how many tokens more its prompts get, once they are counted.
func (pp *Page) costs() map[string]string {
	s, out := &pp.prompts, map[string]string{}
	if s.digest != pp.dossier.Digest || len(s.counts) < len(s.changes) {
		return out
	}
	least, most := map[string]int{}, map[string]int{}
	for i, c := range s.changes {
		more, agent := s.counts[i].after.o200k-s.counts[i].now.o200k, c.Agent.String()
		if out[agent] == "" {
			least[agent], most[agent] = more, more
		}
		least[agent], most[agent] = min(least[agent], more), max(most[agent], more)
		out[agent] = fmt.Sprintf("; %+d tokens", most[agent])
		if least[agent] < most[agent] {
			out[agent] = fmt.Sprintf("; %+d to %+d tokens", least[agent], most[agent])
		}
	}
	return out
}

// outcome returns how a test case comes out with the revision, "" until it was run.
func (pp *Page) outcome(name string) string {
	if pp.tried == nil {
		return ""
	}
	for _, c := range pp.tried.Cases {
		if c.Name != name {
			continue
		}
		switch {
		case c.Changed() && c.After.Outcome == harness.Failed:
			return ": ✗ failed, changed"
		case c.After.Outcome == harness.Failed:
			return ": ✗ failed"
		case c.Changed():
			return ": ✓ passed, changed"
		case c.After.Outcome == harness.Passed:
			return ": ✓ passed"
		}
	}
	return ""
}
