// Package changeset implements the workbench page that shows a whole change set. A change set is a group of
// proposals, called its members, that are approved together or not at all. The page shows every new text with its
// findings, and an index of the members beside the texts.
package changeset

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/setpage"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
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
	// AddView registers the page as a place where the user can read the proposals in ds. unread returns the parts
	// of a proposal that have not been on screen. missing lists unseen parts that the user cannot approve unread,
	// such as findings.
	AddView func(ds []review.Dossier, unread func(proposals.ID) (unread, missing []string))
	// Regroup moves members out of the set. It is nil if members cannot be moved.
	Regroup func(ctx context.Context, actor proposals.Actor, ids []proposals.ID, changeSet string) ([]proposals.Proposal, error)
}

// Shell is the part of the workbench that the page uses.
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
	shell   Shell
	ctx     context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	desk    Desk
	set     review.ChangeSet
	content setpage.Page
	rows    *rows
	texts   textIDs
	raw     bool
	// extents contains the change of each member: "new", "removed", or the number of changed lines.
	extents []string
	// current is the index of the selected member.
	current int
}

// New returns a page that shows the given change set.
func New(ctx context.Context, sh Shell, desk Desk, o Options, set review.ChangeSet) *Page {
	p := &Page{Text: screen.NewText(), shell: sh, Options: o, ctx: ctx, desk: desk, texts: textIDs{}}
	p.Show(set)
	return p
}

// Show shows set, which may be a newer state of the change set. Unchanged texts that the user has read stay
// marked as read.
func (p *Page) Show(set review.ChangeSet) {
	first := p.rows == nil
	p.extents = nil
	for _, d := range set.Members {
		extent := wording.Change(d.Proposal.Type)
		if t := d.Proposal.Type; t == proposals.Modify || t == proposals.Restore {
			extent = screen.Extent(diff.Contents(d.Change()))
		}
		p.extents = append(p.extents, extent)
	}
	p.content = setpage.Page{}
	p.set, p.current = set, min(p.current, max(0, len(set.Members)-1))
	if first {
		p.Pager.SetRows(p.layOut(p.raw))
	} else {
		p.Pager.Replace(p.layOut(p.raw))
	}
	p.AddView(set.Members, p.unread)
}

// Contains reports whether the page has ever shown a member of set.
func (p *Page) Contains(set review.ChangeSet) bool {
	shown := map[proposals.ID]bool{}
	for s := range p.texts {
		shown[s.of] = true
	}
	return slices.ContainsFunc(set.Members, func(d review.Dossier) bool { return shown[d.Proposal.ID] })
}

// unseen returns the number of texts that have not been on screen.
func (p *Page) unseen() int {
	n := 0
	for _, t := range p.rows.all {
		if !p.Pager.Seen(t.track, t.need) {
			n++
		}
	}
	return n
}

// unread returns the files and fields of a member that have not been on screen. missing is not empty if a heading
// or a finding of the member or of the whole set has not been on screen.
func (p *Page) unread(id proposals.ID) (unread, missing []string) {
	rows, member := 0, slices.IndexFunc(p.set.Members, func(d review.Dossier) bool { return d.Proposal.ID == id })
	of := map[int]bool{-1: true, member: true} // include the members whose lines this member repeats
	for _, t := range slices.Backward(p.rows.all) {
		if t.from >= 0 && of[t.member] {
			of[t.from] = true
		}
	}
	for i := range p.rows.all {
		t := &p.rows.all[i]
		if t.member > member {
			break
		}
		if !of[t.member] || p.Pager.Seen(t.track, t.need) {
			continue
		}
		switch part := cmp.Or(t.part, "the text"); {
		case !t.line:
			rows++
		case len(unread) == 0 || unread[len(unread)-1] != part:
			unread = append(unread, part)
		}
	}
	if rows > 0 {
		missing = []string{"headings and findings of this page"}
	}
	return unread, missing
}

// UnreadText returns the number of lines that have not been on screen, for example "3 lines of this page".
func (p *Page) UnreadText() string {
	return wording.Count(p.unseen(), "line", "lines") + " of this page"
}

// Place implements screen.Page.
func (p *Page) Place() string { return "Change set" }

// Name returns the name of the change set.
func (p *Page) Name() string { return p.set.Name }

// Keys implements screen.Page.
func (p *Page) Keys() []screen.Key {
	return slices.Concat([]screen.Key{
		{Name: "approve-set", Keys: []string{"a"}, Label: "approve", Help: "Approve the whole change set and make it live", Do: p.decide(proposals.ActApprove), Disabled: p.cannot(proposals.ActApprove)},
		{Name: "next-unseen-row", Keys: []string{"u"}, Label: "unread", Help: "Go to the next unread line", Do: func() tea.Cmd { p.ShowUnseen(); return nil }, Disabled: p.allSeen},
		{Name: "open-tool", Keys: []string{"enter"}, Label: "open", Help: "Open the proposal of the current member", Do: func() tea.Cmd { return p.shell.Open(p.set.Members[p.currentMember()].Proposal, false) }, Disabled: p.noMembers},
		{Name: "needs-changes-set", Keys: []string{"c"}, Label: "send back", Help: "Send the whole change set back with a reason", Do: p.decide(proposals.ActRequestChanges), Disabled: p.cannot(proposals.ActRequestChanges)},
		{Name: "reject-set", Keys: []string{"x"}, Label: "reject", Help: "Reject the whole change set with a reason", Do: p.decide(proposals.ActReject), Disabled: p.cannot(proposals.ActReject)},
		{Name: "leave-out", Keys: []string{"d"}, Label: "leave out", Help: "Move the current member out of the change set, to decide on it separately", Do: p.leaveOut, Disabled: p.cannotLeaveOut},
		{Name: "next-tool", Keys: []string{"]"}, Label: "next member", Help: "Go to the next member", Do: p.step(1), Disabled: p.noMembers},
		{Name: "previous-tool", Keys: []string{"["}, Help: "Go to the previous member", Do: p.step(-1), Disabled: p.noMembers},
		{Name: "raw-schemas", Keys: []string{"E"}, Label: "all texts", UndoLabel: "fold texts", Undoes: func() bool { return p.raw }, Help: "Unfold or fold the lines of files and the imported JSON of tools", Do: p.unfold, Disabled: p.noMembers},
		{Name: "next-waiting", Keys: []string{"."}, Label: "next proposal", Late: screen.Always, Help: "Open the next proposal that waits for you, in queue order", Do: func() tea.Cmd { return p.shell.OpenWaiting() }},
		screen.CopyKey(p.shell, func() string { return "set:" + p.set.Name }, p.noMembers),
	}, screen.TextKeys(p.shell, p))
}

func (p *Page) noMembers() string {
	if len(p.set.Members) == 0 {
		return "nothing is listed"
	}
	return ""
}

// cannotLeaveOut returns the reason why the user cannot move the current member out of the set, or "".
func (p *Page) cannotLeaveOut() string {
	switch why := p.noMembers(); {
	case why != "":
		return why
	case p.Regroup == nil:
		return "members cannot be moved here"
	case len(p.set.Members) == 1:
		return "the set has no other member"
	}
	return wording.Cannot(p.Actor, proposals.ActRequestChanges, p.set.Members[p.currentMember()].Proposal)
}

// leaveOut opens a dialog to move the current member out of the set.
func (p *Page) leaveOut() tea.Cmd {
	m, f := p.set.Members[p.currentMember()].Proposal, p.Frame
	return p.shell.Ask(screen.Dialog{
		Form:    proposals.Form{Title: "Leave out", Verb: "leave it out"},
		Subject: draw.Escape(wording.Reference(m) + " " + m.Subject.String()),
		Facts: func() []draw.Line {
			return []draw.Line{draw.Of(f.Theme.Text, "the member becomes a separate proposal, and you can approve the rest of the set")}
		},
		Content: func(page *prose.Page) {
			page.Text("", "On the command line: toolcrib regroup "+review.Reference(m)+" --alone")
		},
		Run: func(string) tea.Cmd {
			return p.shell.Write(screen.Act(screen.Wrote{}, proposals.Form{Undone: "nothing moved"}, func(ctx context.Context) (string, error) {
				_, err := p.Regroup(ctx, p.Actor, []proposals.ID{m.ID}, "")
				return wording.Reference(m) + " left the set " + p.set.Name + " and is now a separate proposal", err
			}))
		},
	})
}

func (p *Page) allSeen() string {
	if p.noMembers() != "" || p.unseen() == 0 {
		return "you have read every line"
	}
	return ""
}

func (p *Page) decide(act proposals.Act) func() tea.Cmd {
	return func() tea.Cmd {
		return p.shell.Decide(act, lists.Map(p.set.Members, func(d review.Dossier) proposals.Proposal { return d.Proposal }))
	}
}

// cannot returns a function that returns the reason why the user cannot perform act on the set, or "".
func (p *Page) cannot(act proposals.Act) func() string {
	return func() string {
		if why := p.noMembers(); why != "" {
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

// currentMember returns the index of the member to which the keys apply. This is the selected member if it is in
// the viewport, and otherwise the member at the top of the viewport.
func (p *Page) currentMember() int {
	if len(p.rows.Rows) == 0 {
		return 0
	}
	first, last := p.Pager.Window()
	if row := p.rows.StopRows[p.current]; row >= first && row < last {
		return p.current
	}
	return max(0, p.rows.member[min(first, len(p.rows.member)-1)])
}

func (p *Page) step(n int) func() tea.Cmd {
	return func() tea.Cmd {
		first, last := p.Pager.Window()
		next := p.currentMember() + n
		if head := p.rows.StopRows[0]; n > 0 && first < head && head >= last { // the viewport is above the first member
			next = 0
		}
		if next < 0 || next >= len(p.rows.StopRows) {
			return p.shell.Say(screen.Remark, "No other member")
		}
		p.goTo(next)
		return nil
	}
}

// goTo selects the member with the given index and scrolls its first row to the top.
func (p *Page) goTo(tool int) {
	p.current = tool
	p.Pager.ScrollTo(p.rows.StopRows[tool])
}

func (p *Page) unfold() tea.Cmd {
	at := p.currentMember()
	p.Pager.Replace(p.layOut(!p.raw))
	p.goTo(at)
	return nil
}

// ShowUnseen scrolls to the first text that has not been on screen. If that text is folded, ShowUnseen first
// unfolds all texts.
func (p *Page) ShowUnseen() {
	for _, t := range p.rows.all {
		if p.Pager.Seen(t.track, t.need) {
			continue
		}
		if t.fold {
			p.Pager.Replace(p.layOut(true))
			p.ShowUnseen()
			return
		}
		p.Pager.ScrollTo(t.row)
		return
	}
}

// indexMinWidth is the minimum width of a screen that shows the index of members. indexCells is the width of
// the index.
const (
	indexMinWidth = 140
	indexCells    = 46
)

// LeftWidth implements screen.Paned.
func (p *Page) LeftWidth(l screen.Layout) int {
	if l.Width < p.MinWidth() || l.By.Zoomed {
		return 0
	}
	return indexCells
}

// MinWidth implements screen.Paned.
func (p *Page) MinWidth() int { return indexMinWidth }

// Fit implements screen.Page.
func (p *Page) Fit(f screen.Frame) {
	width := f.Width
	if left := p.LeftWidth(f.Layout); left > 0 {
		width -= left + 1
	}
	p.FitIn(f, width)
	p.Pager.ShowCursor("")
	p.Pager.Replace(p.layOut(p.raw))
}

// RightFocused implements screen.PaneFocus. The texts, which are in the right pane, have the focus.
func (p *Page) RightFocused() bool { return true }

// View implements screen.Page.
func (p *Page) View() []string {
	left := p.LeftWidth(p.Frame.Layout)
	if left == 0 {
		return p.Pager.View()
	}
	return p.Frame.SideBySide(p.index(left), p.Pager.View(), left)
}

// index draws the list of members. A row shows the sign of the worst finding, the member's name, the size of
// the change, and the numbers of added and removed capabilities.
func (p *Page) index(width int) []string {
	th, at := p.Frame.Theme, p.currentMember()
	const extentCells, reachCells = 10, 7
	room := width - 4 - extentCells - reachCells
	right := func(text draw.Safe, cells int) draw.Safe { return draw.Safe(draw.Blank(cells-draw.Width(text))) + text }
	lines := []string{draw.Of(th.Faint, "   "+draw.Pad("MEMBER", room)+right("CHANGE", extentCells)+right("REACH", reachCells)).String(width)}
	top := screen.Window(0, at, len(p.set.Members), p.Frame.Body-1)
	for i := top; i < len(p.set.Members) && len(lines) < p.Frame.Body; i++ {
		d := p.set.Members[i]
		sign, style := draw.Safe("·"), th.Faint
		if open := review.OpenByRule(d.Standing); len(open) > 0 {
			sign, style = labels.SeveritySign(th, open[0].Severity)
		}
		mark, name := draw.Of("", " "), th.Text
		if i == at {
			mark, name = draw.Of(th.Accent, "▌"), th.Strong
		}
		reach, reachStyle := draw.Safe(""), th.Faint
		added, removed, warns := screen.CapabilityChanges(d)
		if added > 0 {
			reach = draw.Escapef("+%d", added)
		}
		if removed > 0 {
			reach += draw.Escapef(" −%d", removed)
		}
		if warns {
			reachStyle = th.Warn
		}
		l := mark.Add(style, draw.Pad(sign, 2)).Add(name, draw.Pad(draw.Cut(draw.Escape(setpage.Name(d)), room), room)).
			Add(th.Faint, right(draw.Escape(p.extents[i]), extentCells)).Add(reachStyle, right(reach, reachCells))
		lines = append(lines, l.String(width))
	}
	return lines
}

// MarkSeen implements screen.Page.
func (p *Page) MarkSeen() { p.Pager.MarkSeen() }

// Reload implements screen.Page.
func (p *Page) Reload() tea.Cmd {
	name := p.set.Name
	return screen.Load(p.shell, p, func() (review.ChangeSet, error) { return p.desk.ShowSet(p.ctx, p.Actor, name) }, func(set review.ChangeSet) tea.Cmd {
		p.Show(set)
		return nil
	})
}

// Tabs implements screen.Page.
func (p *Page) Tabs() (left, right draw.Line) {
	th, n := p.Frame.Theme, len(p.set.Members)
	left = draw.Of("", " ").Add(th.Accent, "▎Change set").Add(th.Faint, "  member "+draw.Safe(strconv.Itoa(p.currentMember()+1))+" of "+draw.Safe(strconv.Itoa(n)))
	right = draw.Of(th.Good, "no unread lines ")
	if unseen := p.unseen(); unseen > 0 {
		right = draw.Of(th.Faint, draw.Escape(wording.Count(unseen, "unread line", "unread lines"))+" ")
	}
	return left, right
}

// Parent implements screen.Breadcrumbed.
func (p *Page) Parent() draw.Safe { return "Queue" }

// Crumb implements screen.Breadcrumbed.
func (p *Page) Crumb(room int) draw.Line {
	return draw.Of(p.Frame.Theme.Strong, draw.Cut("set "+draw.Escape(p.set.Name), room))
}
