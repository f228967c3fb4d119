// This file defines the interfaces and the state that the tabs of the page share.

package proposal

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/pager"
	"toolcrib/tui/quotes"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
	"toolcrib/tui/wording"
)

// Indexes of the tabs.
const (
	tabOverview = iota
	tabDiff
	tabAssessment
	tabPrompt
	tabThread
	tabHistory
	tabCount
)

// tab is a part of the page. Each tab has a text, a state, and keys.
type tab interface {
	// ActivePager returns the pager of the tab's text. Count returns the number after the name of the tab, or 0
	// for no number.
	ActivePager() *pager.Pager
	Count() int
	// Fill lays out the text again after the size or the data has changed.
	Fill()
	// Load returns a command that reads the data that the tab needs in addition to the dossier. The page calls it
	// for each new dossier.
	Load() tea.Cmd
	// OpenSelected opens the target of the selected row. CannotOpen returns the reason why the row cannot be
	// opened, or "".
	OpenSelected() tea.Cmd
	CannotOpen() string
}

// host is the part of the page that the tabs use. It includes actions on other tabs.
type host interface {
	// then returns a message. When the page receives the message, it calls the given function if the proposal is
	// loaded.
	then(do func() tea.Cmd) tea.Msg
	// SelectTab moves the focus to the given tab. rememberTab records the tab to which esc returns after a jump to
	// another tab.
	SelectTab(tab int) tea.Cmd
	rememberTab(tab int)
	// fill lays out all tabs.
	fill()
	// showLine shows the given line in the diff. showFinding selects a finding. showComment selects comment number
	// n in the thread.
	showLine(field string, line int) tea.Cmd
	showFinding(s review.Standing) tea.Cmd
	showComment(n int) tea.Cmd
	// selectedFinding returns the finding to which the keys apply.
	selectedFinding() (review.Standing, bool)
	// askComment opens a dialog for a comment on the line at the given anchor, or on the whole proposal if the
	// anchor is zero.
	askComment(at review.Anchor) tea.Cmd
}

// state is the data that the page shares with its tabs.
type state struct {
	Options
	screen.Panes
	ctx      context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	host     host
	frame    screen.Frame
	id       proposals.ID
	loaded   bool
	dossier  review.Dossier
	problems []string // reasons why a draft cannot be submitted yet
	split    bool     // diffs are shown side by side
	quotes   quotes.Quotes
	// findings are the rows of the Overview and Assessment tabs.
	findings []quotes.Row
}

// reading returns the record of the parts that the user has read, or nil if the proposal has not been shown.
func (s *state) reading() *seen.Reading { return s.Seen.Reading(s.id) }

// inTab returns a function that reports whether one of the given tabs has the focus.
func (s *state) inTab(tabs ...int) func() bool {
	return func() bool { return slices.Contains(tabs, s.Tab) }
}

// cannotAct returns a function that returns the reason why the user cannot perform act, or "". The reason
// depends on the user's authority and the state of the proposal.
func (s *state) cannotAct(act proposals.Act) func() string {
	return func() string {
		if !s.loaded {
			return screen.Loading
		}
		return wording.Cannot(s.Actor, act, s.dossier.Proposal)
	}
}

// pane is embedded in all tabs. Its methods are for a tab that opens nothing and loads no data.
type pane struct {
	*state
	pager *pager.Pager
}

// ActivePager implements tab, like the other methods of pane below.
func (p *pane) ActivePager() *pager.Pager { return p.pager }
func (p *pane) Count() int                { return 0 }
func (p *pane) Load() tea.Cmd             { return nil }
func (p *pane) OpenSelected() tea.Cmd     { return nil }
func (p *pane) CannotOpen() string        { return "nothing on this tab can be opened" }

// noneSelected returns the reason why no item is selected, or "".
func (p *pane) noneSelected() string {
	if p.pager.Stop() < 0 {
		return "nothing is listed"
	}
	return ""
}

// findingPane is embedded in the tabs that list findings.
type findingPane struct{ pane }

// CannotOpen implements tab.
func (p *findingPane) CannotOpen() string {
	if len(p.dossier.Standing) == 0 {
		return "no findings"
	}
	return p.noneSelected()
}

// OpenSelected implements tab. It shows the selected finding in the diff.
func (p *findingPane) OpenSelected() tea.Cmd {
	f := p.findings[p.pager.Stop()][0]
	p.host.rememberTab(p.Tab)
	return p.host.showLine(f.Path, f.Line)
}
