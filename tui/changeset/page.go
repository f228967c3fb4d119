// Package changeset is the page of the workbench that shows a change set of imported
// tools at once: every text that a model will read, with the findings in place.
package changeset

import (
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/setpage"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// Desk reads change sets.
type Desk interface {
	ShowSet(ctx context.Context, actor proposals.Actor, changeSet string) (review.ChangeSet, error)
}

// Options configure the page.
type Options struct {
	Actor proposals.Actor
	// Read has the page of a proposal, and its decision, ask how much of this page has
	// not been on the screen.
	Read func(ds []review.Dossier, unseen func() int)
}

// Shell is the workbench as the page knows it.
type Shell interface {
	screen.Shell
	Open(p proposals.Proposal, sameTab bool) tea.Cmd
	OpenWaiting() tea.Cmd
	Decide(act proposals.Act, ps []proposals.Proposal) tea.Cmd
}

// Page shows a change set.
type Page struct {
	screen.Text
	Options
	shell Shell
	ctx   context.Context //nolint:containedctx // the commands of Bubble Tea have no other
	desk  Desk
	set   review.ChangeSet
	laid  setpage.Page
	rows  *rows
	texts texts
	raw   bool
	// current is the tool that was gone to.
	current int
}

// New returns the page of a change set that was read.
func New(ctx context.Context, sh Shell, desk Desk, o Options, set review.ChangeSet) *Page {
	p := &Page{Text: screen.NewText(), shell: sh, Options: o, ctx: ctx, desk: desk, texts: texts{}}
	p.Take(set)
	return p
}

// Take shows a change set. What was read of it before, and says the same, stays read.
func (p *Page) Take(set review.ChangeSet) {
	first := p.rows == nil
	p.set, p.current = set, min(p.current, max(0, len(set.Members)-1))
	if first {
		p.Pager.SetRows(p.lay())
	} else {
		p.Pager.Replace(p.lay())
	}
	p.Read(set.Members, p.unseen)
}

// Knows reports whether the page has shown a member of a change set.
func (p *Page) Knows(set review.ChangeSet) bool {
	shown := map[proposals.ID]bool{}
	for s := range p.texts {
		shown[s.of] = true
	}
	return slices.ContainsFunc(set.Members, func(d review.Dossier) bool { return shown[d.Proposal.ID] })
}

// lay lays the rows out for the present theme.
func (p *Page) lay() pager.Rows {
	p.laid = setpage.Of(p.set, p.raw)
	p.rows = layRows(p.Frame.Theme, p.laid, p.set.Members, p.texts)
	return p.rows
}

// unseen counts the rows that have not been on the screen.
func (p *Page) unseen() int {
	n := 0
	for i := range p.rows.rows {
		if !p.seen(i) {
			n++
		}
	}
	return n
}

// seen reports whether a row has been on the screen, or need not be.
func (p *Page) seen(i int) bool {
	text, need := p.rows.tracked(i)
	return text == 0 || p.Pager.Seen(text, need)
}

// Left says how much has not been on the screen.
func (p *Page) Left() string {
	return wording.Count(p.unseen(), "row", "rows") + " of this page"
}

// Place implements screen.Page.
func (p *Page) Place() string { return "Change set" }

// Name returns the name of the change set.
func (p *Page) Name() string { return p.set.Name }

// Keys implements screen.Page.
func (p *Page) Keys() []screen.Key {
	return slices.Concat([]screen.Key{
		{Name: "open-tool", Keys: []string{"enter"}, Label: "open", Help: "Open the proposal of the tool on the screen", Do: p.open, Off: p.nothing},
		{Name: "approve-set", Keys: []string{"a"}, Label: "approve", Help: "Approve the whole change set and make it live", Do: p.decide(proposals.ActApprove), Off: p.cannot(proposals.ActApprove)},
		{Name: "leave-out", Keys: []string{"d"}, Label: "leave out", Help: "Leave the blocked tools out of the change set, so that the rest can be approved", Do: p.decide(proposals.ActApprove), Off: p.cannotLeaveOut},
		{Name: "needs-changes-set", Keys: []string{"c"}, Label: "send back", Help: "Send the whole change set back with a reason", Do: p.decide(proposals.ActRequestChanges), Off: p.cannot(proposals.ActRequestChanges)},
		{Name: "reject-set", Keys: []string{"x"}, Label: "reject", Help: "Reject the whole change set with a reason", Do: p.decide(proposals.ActReject), Off: p.cannot(proposals.ActReject)},
		{Name: "next-tool", Keys: []string{"]"}, Label: "next tool", Help: "Go to the next tool", Do: p.step(1), Off: p.nothing},
		{Name: "previous-tool", Keys: []string{"["}, Help: "Go to the previous tool", Do: p.step(-1), Off: p.nothing},
		{Name: "raw-schemas", Keys: []string{"E"}, Label: "JSON", Help: "Show or fold the imported JSON of each tool", Do: p.unfold, Off: p.nothing},
		{Name: "next-unseen-row", Keys: []string{"u"}, Label: "unseen", Help: "Go to the next row you have not seen", Do: p.toUnseen, Off: p.allSeen},
		{Name: "next-waiting", Keys: []string{"."}, Label: "next", Late: screen.Always, Help: "Open the next one that waits for you, in queue order", Do: func() tea.Cmd { return p.shell.OpenWaiting() }},
	}, screen.TextKeys(p.shell, p))
}

func (p *Page) nothing() string {
	if len(p.set.Members) == 0 {
		return "nothing is listed"
	}
	return ""
}

// cannotLeaveOut returns why no member is taken out of the set.
func (p *Page) cannotLeaveOut() string {
	blocked := 0
	for _, d := range p.set.Members {
		if len(review.BlocksByRule(d.Standing)) > 0 {
			blocked++
		}
	}
	switch why := p.nothing(); {
	case why != "":
		return why
	case blocked == 0:
		return "no tool is blocked"
	case blocked == len(p.set.Members):
		return "every tool is blocked"
	}
	return ""
}

func (p *Page) allSeen() string {
	if p.nothing() != "" || p.unseen() == 0 {
		return "you've seen every row"
	}
	return ""
}

func (p *Page) members() []proposals.Proposal {
	ps := make([]proposals.Proposal, len(p.set.Members))
	for i, d := range p.set.Members {
		ps[i] = d.Proposal
	}
	return ps
}

func (p *Page) decide(act proposals.Act) func() tea.Cmd {
	return func() tea.Cmd { return p.shell.Decide(act, p.members()) }
}

// cannot returns why the set cannot be decided about.
func (p *Page) cannot(act proposals.Act) func() string {
	return func() string {
		if why := p.nothing(); why != "" {
			return why
		}
		for _, d := range p.set.Members {
			if why := wording.Cannot(p.Actor, act, d.Proposal); why != "" {
				return why
			}
		}
		return ""
	}
}

// at returns the tool that keys act on: the one that was gone to as long as it is in
// the window, else the first in there.
func (p *Page) at() int {
	if len(p.rows.rows) == 0 {
		return 0
	}
	first, last := p.Pager.Window()
	if row := p.rows.stops[p.current]; row >= first && row < last {
		return p.current
	}
	return max(0, p.rows.tool[min(first, len(p.rows.tool)-1)])
}

func (p *Page) open() tea.Cmd {
	return p.shell.Open(p.set.Members[p.at()].Proposal, false)
}

func (p *Page) step(n int) func() tea.Cmd {
	return func() tea.Cmd {
		first, last := p.Pager.Window()
		next := p.at() + n
		if head := p.rows.stops[0]; n > 0 && first < head && head >= last { // still above the first
			next = 0
		}
		if next < 0 || next >= len(p.rows.stops) {
			return p.shell.Say(screen.Remark, "There is no other tool")
		}
		p.goTo(next)
		return nil
	}
}

// goTo shows a tool at the top.
func (p *Page) goTo(tool int) {
	p.current = tool
	p.Pager.Top(p.rows.stops[tool])
}

func (p *Page) unfold() tea.Cmd {
	at := p.at()
	p.raw = !p.raw
	p.Pager.Replace(p.lay())
	p.goTo(at)
	return nil
}

func (p *Page) toUnseen() tea.Cmd {
	p.Unseen()
	return nil
}

// Unseen goes to the first row that has not been on the screen.
func (p *Page) Unseen() {
	for i := range p.rows.rows {
		if !p.seen(i) {
			p.Pager.Top(i)
			return
		}
	}
}

// Fit implements screen.Page.
func (p *Page) Fit(f screen.Frame) {
	p.Text.Fit(f)
	p.Pager.Point("")
	p.Pager.Replace(p.lay())
}

// See implements screen.Page.
func (p *Page) See() { p.Pager.See() }

// Reload implements screen.Page.
func (p *Page) Reload() tea.Cmd {
	name := p.set.Name
	return func() tea.Msg {
		set, err := p.desk.ShowSet(p.ctx, p.Actor, name)
		return screen.Then{Page: p, Do: func() tea.Cmd {
			if err != nil {
				return p.shell.Fail(err)
			}
			p.Take(set)
			return nil
		}}
	}
}

// Update implements screen.Page.
func (p *Page) Update(tea.Msg) tea.Cmd { return nil }

// Tabs implements screen.Page.
func (p *Page) Tabs() (left, right draw.Line) {
	th, n := p.Frame.Theme, len(p.set.Members)
	left = draw.Of("", " ").Add(th.Accent, "▎Change set").Add(th.Faint, "  tool "+draw.Safe(strconv.Itoa(p.at()+1))+" of "+draw.Safe(strconv.Itoa(n)))
	switch unseen := p.unseen(); {
	case unseen > 0:
		right = draw.Of(th.Faint, draw.Show(wording.Count(unseen, "row", "rows"))+" not seen yet ")
	default:
		right = draw.Of(th.Good, "all seen ")
	}
	return left, right
}

// Listed implements screen.Crumbed.
func (p *Page) Listed() draw.Safe { return "Queue" }

// Crumb implements screen.Crumbed.
func (p *Page) Crumb(room int) draw.Line {
	return draw.Of(p.Frame.Theme.Strong, draw.Cut("set "+draw.Show(p.set.Name), room))
}
