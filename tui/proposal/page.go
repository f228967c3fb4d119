// Package proposal implements the workbench page that shows a proposal and starts decisions on it.
package proposal

import (
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/pager"
	"toolcrib/tui/quotes"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// tabNames contains the names of the tabs.
var tabNames = [tabCount]string{"Overview", "Diff", "Assessment", "Prompt", "Thread", "History"}

// tabTerms contains synonyms for the names of the tabs. The search finds the tabs by these synonyms, too.
var tabTerms = [tabCount]string{tabDiff: "diff, changes, compare", tabAssessment: "findings, review, lint", tabPrompt: "preview, tokens, channels", tabHistory: "log, history, versions"}

// Page shows a proposal. Its tabs share the state of the page.
type Page struct {
	state
	acts   acts
	brief  proposals.Proposal // proposal from the queue, shown until the dossier is loaded
	err    error
	resume *screen.Resume // unsent text that the page opens once the proposal is loaded; nil for none
	jumped []int          // tab to which esc returns after a jump to another tab; at most one element

	tabs       [tabCount]tab
	overview   overviewPane
	diff       diffPane
	assessment assessmentPane
	prompts    promptPane
	thread     threadPane
	history    historyPane
}

// New returns a page for p. Reload loads its data.
func New(ctx context.Context, o Options, p proposals.Proposal, f screen.Frame) *Page {
	pp := &Page{state: state{Options: o, ctx: ctx, id: p.ID, split: f.Right >= difflist.SplitMinWidth}, brief: p}
	pp.bind()
	for _, t := range pp.panes() {
		t.pager = pager.New(f.Theme)
		t.pager.SetWrap(true)
	}
	if r := pp.reading(); r != nil {
		pp.overview.pager, pp.assessment.pager = r.Findings[0], r.Findings[1]
	}
	if f.Left > 0 {
		pp.Focus(tabDiff)
	}
	pp.Fit(f)
	return pp
}

// Tokens returns the number of tokens that the proposal adds to prompts, as text. It returns "" until the tokens
// have been counted.
func (pp *Page) Tokens() string {
	return pp.prompts.growth(func(registry.Subject) bool { return true })
}

// askComment implements host.
func (pp *Page) askComment(at review.Anchor) tea.Cmd { return pp.acts.askComment(at) }

// bind connects the tabs to the state of the page.
func (pp *Page) bind() {
	pp.host, pp.acts.state = pp, &pp.state
	for _, t := range pp.panes() {
		t.state = &pp.state
	}
	pp.acts.diff, pp.acts.history, pp.overview.prompts = &pp.diff, &pp.history, &pp.prompts
	pp.tabs = [tabCount]tab{&pp.overview, &pp.diff, &pp.assessment, &pp.prompts, &pp.thread, &pp.history}
}

// panes returns the pane of each tab, in the order of the tabs.
func (pp *Page) panes() []*pane {
	return []*pane{&pp.overview.pane, &pp.diff.pane, &pp.assessment.pane, &pp.prompts.pane, &pp.thread.pane, &pp.history.pane}
}

// ID returns the ID of the proposal.
func (pp *Page) ID() proposals.ID { return pp.id }

// Resume sets an unsent text. The page opens a dialog with this text once the proposal is loaded.
func (pp *Page) Resume(r screen.Resume) { pp.resume = &r }

// Rules returns the rules of the selected findings or, if no findings are selected, the rules of all findings.
// On tabs other than Overview and Assessment, it returns nil.
func (pp *Page) Rules() []string {
	if pp.Tab != tabOverview && pp.Tab != tabAssessment {
		return nil
	}
	shown := pp.dossier.Standing
	if row, ok := screen.Selected(pp.ActivePager(), pp.findings); ok {
		shown = row
	}
	var ids []string
	for _, s := range shown {
		if !slices.Contains(ids, s.Rule) {
			ids = append(ids, s.Rule)
		}
	}
	return ids
}

// selectedFinding returns the selected finding. If no finding is selected on the Diff tab, it returns the only
// blocking finding without a waiver or, if no finding blocks, the only finding. Otherwise, it returns false.
func (pp *Page) selectedFinding() (review.Standing, bool) {
	switch pp.Tab {
	case tabDiff:
		if note, ok := pp.diff.selectedNote(); ok && note.Of < len(pp.dossier.Standing) {
			return pp.dossier.Standing[note.Of], true
		}
	case tabOverview, tabAssessment:
		if row, ok := screen.Selected(pp.ActivePager(), pp.findings); ok {
			return row[0], true
		}
	}
	if pp.Tab != tabDiff {
		return review.Standing{}, false
	}
	all := pp.dossier.Standing
	blocks := slices.DeleteFunc(slices.Clone(all), func(s review.Standing) bool { return s.Severity != rules.Block || s.Waiver != nil })
	switch {
	case len(blocks) == 1:
		return blocks[0], true
	case len(blocks) == 0 && len(all) == 1:
		return all[0], true
	}
	return review.Standing{}, false
}

// Place implements screen.Page.
func (pp *Page) Place() string { return "Proposal" }

// Parent implements screen.Breadcrumbed.
func (pp *Page) Parent() draw.Safe { return "Queue" }

// Layout implements screen.Paned.
func (pp *Page) Layout() screen.Layout { return pp.frame.Layout }

// Current implements screen.ProposalPage.
func (pp *Page) Current() (proposals.Proposal, bool) { return pp.dossier.Proposal, pp.loaded }

// Escape implements screen.Page. It stops the picking of a line, clears a search, or returns to the tab from
// which the user jumped.
func (pp *Page) Escape() (tea.Cmd, bool) {
	if screen.EscapeText(pp.ActivePager()) {
		return nil, true
	}
	if len(pp.jumped) == 0 {
		return nil, false
	}
	pp.SelectTab(pp.jumped[0])
	pp.jumped = nil
	return nil, true
}

// Scroll implements screen.Page.
func (pp *Page) Scroll(x, n int) tea.Cmd {
	pp.tabs[pp.TabAt(pp.frame.Layout, x)].ActivePager().Scroll(n)
	return nil
}

// Click implements screen.Page. It moves the focus to the pane in column x.
func (pp *Page) Click(x, _ int) tea.Cmd { return pp.SelectTab(pp.TabAt(pp.frame.Layout, x)) }

// SelectTab implements screen.TabSwitcher. It shows the given tab and moves the focus to it.
func (pp *Page) SelectTab(tab int) tea.Cmd {
	right := pp.RightTab()
	if pp.Focus(tab); pp.loaded && pp.RightTab() != right {
		pp.overview.Fill()
	}
	pp.updateCursors()
	return pp.prompts.LoadVisible()
}

// rememberTab records the tab from which the user jumps. Escape returns to this tab.
func (pp *Page) rememberTab(tab int) { pp.jumped = append(pp.jumped[:0:0], tab) }

// Unseen shows the Diff tab. Once the diff is computed, it goes to the next unread part.
func (pp *Page) Unseen() tea.Cmd {
	return tea.Batch(pp.SelectTab(tabDiff), pp.diff.whenShown(func() tea.Cmd {
		if pp.nothingUnseen() != "" {
			return nil
		}
		return pp.nextUnseen()
	}))
}

// nextUnseen goes to the next unread part that the user must read before an approval.
func (pp *Page) nextUnseen() tea.Cmd {
	if !pp.diff.bases.isDraftBase() {
		pp.diff.bases.at = 0
		return pp.diff.Load()
	}
	r := pp.reading()
	row, finding := r.FirstUnseen()
	if finding != nil {
		return pp.showFinding(*finding)
	}
	if row >= 0 {
		pp.SelectTab(tabDiff)
		r.Pager.Reveal(row)
	}
	return nil
}

// nothingUnseen returns the reason why nextUnseen is unavailable, or "".
func (pp *Page) nothingUnseen() string {
	r := pp.reading()
	switch {
	case r == nil || r.List == nil:
		return screen.Loading
	case !pp.dossier.Proposal.State.Open():
		return wording.NotPermitted(pp.dossier.Proposal.State)
	}
	if row, finding := r.FirstUnseen(); row < 0 && finding == nil {
		return "you have read every change"
	}
	return ""
}

// showFinding selects the given finding. On a page with two panes, it selects the finding in the overview, next
// to the diff. Otherwise, it selects the finding on the Assessment tab.
func (pp *Page) showFinding(finding review.Standing) tea.Cmd {
	tab := tabAssessment
	if pp.frame.Left > 0 {
		tab = tabOverview
	}
	pp.tabs[tab].ActivePager().SetStop(slices.IndexFunc(pp.findings, func(r quotes.Row) bool {
		return slices.ContainsFunc(r, func(s review.Standing) bool {
			return review.Handle(s.Finding) == review.Handle(finding.Finding) && s.Line == finding.Line && s.Column == finding.Column
		})
	}))
	return pp.SelectTab(tab)
}

// showComment selects comment number n in the thread.
func (pp *Page) showComment(n int) tea.Cmd {
	pp.thread.show(n)
	return pp.SelectTab(tabThread)
}

// showLine shows the given line of a field in the diff.
func (pp *Page) showLine(field string, line int) tea.Cmd {
	path, ok := inDiff(field)
	if !ok {
		return pp.Shell.Say(screen.Warning, "%s is not a field of the definition, so it is not in the diff", field)
	}
	return pp.diff.whenShown(func() tea.Cmd {
		row, ok := pp.diff.list.Find(path, line)
		if !ok {
			return pp.Shell.Say(screen.Warning, "%s did not change, so it is not in the diff", path)
		}
		cmd := pp.SelectTab(tabDiff)
		pp.diff.pager.Center(row)
		return cmd
	})
}

// HasTwoPanes implements screen.Tabbed.
func (pp *Page) HasTwoPanes() bool { return pp.frame.Left > 0 }

// FocusPane implements screen.Tabbed.
func (pp *Page) FocusPane(right bool) tea.Cmd {
	return pp.SelectTab(pp.TabIn(right))
}

// updateCursors sets the colors of the cursors on the tabs with lists. Cursors are faint on tabs without the
// focus.
func (pp *Page) updateCursors() {
	for _, tab := range []int{tabOverview, tabAssessment, tabThread, tabHistory} {
		style := pp.frame.Theme.Accent
		if tab != pp.Tab {
			style = pp.frame.Theme.Faint
		}
		pp.tabs[tab].ActivePager().ShowCursor(style)
	}
}

// Update implements screen.Page.
func (pp *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Loaded:
		if pp.id != msg.ID { // the message is for another page
			return nil
		}
		if msg.Err != nil {
			pp.err = msg.Err
			return pp.Shell.Fail(msg.Err)
		}
		if pp.loaded && pp.dossier.Proposal.Revision != msg.Dossier.Proposal.Revision {
			pp.Shell.Say(screen.Remark, "Revision %d was submitted", msg.Dossier.Proposal.Revision)
		}
		pp.dossier, pp.loaded, pp.err = msg.Dossier, true, nil
		pp.diff.bases.update(msg.Dossier, msg.Hash)
		pp.findings = quotes.Rows(msg.Dossier.Standing)
		pp.problems = msg.Problems
		pp.Seen.Show(msg.Dossier, msg.Hash, [2]*pager.Pager{pp.overview.pager, pp.assessment.pager})
		pp.fill()
		return tea.Batch(lists.Map(pp.tabs[:], tab.Load)...)
	case screen.Rendered:
		if pp.loaded {
			pp.fill()
		}
	}
	return nil
}

// ActivePager implements screen.Page.
func (pp *Page) ActivePager() *pager.Pager { return pp.tabs[pp.Tab].ActivePager() }

// fill lays out all tabs.
func (pp *Page) fill() {
	if !pp.loaded {
		return
	}
	for _, t := range pp.tabs {
		t.Fill()
	}
}

// Fit implements screen.Page.
func (pp *Page) Fit(f screen.Frame) {
	pp.frame = f
	for i, t := range pp.tabs {
		t.ActivePager().SetSize(pp.TabWidth(f.Layout, i), f.Body)
		t.ActivePager().Restyle(f.Theme)
	}
	pp.updateCursors()
	pp.fill() // the layout of tables depends on the width
}

// Tabs implements screen.Page.
func (pp *Page) Tabs() (left, right draw.Line) {
	names := tabNames
	for i, t := range pp.tabs {
		if n := t.Count(); pp.loaded && n > 0 {
			names[i] += " " + strconv.Itoa(n)
		}
	}
	if pp.Visible(pp.frame.Layout, tabDiff) && pp.diff.list != nil {
		added, removed := pp.diff.list.Changed()
		against := pp.diff.comparison.From
		if against != newSubject {
			against = "against " + against
		}
		right = draw.Changes(pp.frame.Theme, added, removed).Add(pp.frame.Theme.Faint, "  "+draw.Escape(against)+" ")
	}
	return pp.TabBar(pp.frame, names[:], right), right
}

// View implements screen.Page.
func (pp *Page) View() []string {
	switch {
	case pp.err != nil && !pp.loaded:
		return []string{draw.Of(pp.frame.Theme.Bad, " "+draw.Escape(wording.OneLine(pp.err))).String(pp.frame.Width)}
	case !pp.loaded:
		return []string{draw.Of(pp.frame.Theme.Faint, " …").String(pp.frame.Width)}
	case pp.frame.Left == 0:
		return pp.ActivePager().View()
	}
	return pp.frame.SideBySide(pp.overview.pager.View(), pp.tabs[pp.RightTab()].ActivePager().View(), pp.frame.Left)
}

// MarkSeen implements screen.Page. It records which texts of the Overview, Diff, and Assessment tabs are on
// screen. These tabs contain the parts that the user must read before an approval.
func (pp *Page) MarkSeen() {
	for _, tab := range []int{tabOverview, tabDiff, tabAssessment} {
		if pp.loaded && pp.Visible(pp.frame.Layout, tab) && (tab != tabDiff || pp.diff.list != nil) {
			pp.tabs[tab].ActivePager().MarkSeen()
		}
	}
}

// Crumb implements screen.Breadcrumbed.
func (pp *Page) Crumb(room int) draw.Line {
	p := pp.brief
	if pp.loaded {
		p = pp.dossier.Proposal
	}
	sign, word, style := labels.State(pp.frame.Theme, pp.Actor, p)
	l := draw.Of(pp.frame.Theme.Strong, draw.Escape(wording.Reference(p))).Add(pp.frame.Theme.Text, " "+draw.Escape(string(p.Type))+" ")
	state := draw.Of(style, "  "+sign+" "+word)
	left := max(8, room-l.Width()-state.Width())
	for _, s := range labels.Named(pp.frame.Theme, p.Subject, left) {
		l = l.Add(pp.frame.Theme.Text, draw.Cut(s.Text, left))
		left -= draw.Width(s.Text)
	}
	return append(l, state...)
}
