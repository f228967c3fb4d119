// This file defines what the tabs of the page share.

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

// tab is a component of the page with its own text, state, and keys.
type tab interface {
	// ActivePager returns the pager of the text. Count returns the number shown after the tab's name; 0 for none.
	ActivePager() *pager.Pager
	Count() int
	// Fill lays out the text again, for a new size or new data.
	Fill()
	// Load reads the data that the tab needs in addition to a new dossier.
	Load() tea.Cmd
	// OpenSelected opens the target of the selected row, unless CannotOpen returns a reason.
	OpenSelected() tea.Cmd
	CannotOpen() string
}

// host is the part of the page that a tab uses, including the other tabs.
type host interface {
	// then returns a message that makes the page run do, if the proposal has loaded.
	then(do func() tea.Cmd) tea.Msg
	// SelectTab moves the focus to a tab. rememberTab records the tab that a jump leaves, so that esc returns to it.
	SelectTab(tab int) tea.Cmd
	rememberTab(tab int)
	// fill lays out all tabs.
	fill()
	// showLine shows a line in the diff. showFinding and showComment select a finding or a comment in its tab.
	showLine(field string, line int) tea.Cmd
	showFinding(s review.Standing) tea.Cmd
	showComment(n int) tea.Cmd
	// selectedFinding returns the finding that keys act on.
	selectedFinding() (review.Standing, bool)
	// askComment asks for a comment on a line or on the whole proposal.
	askComment(at review.Anchor) tea.Cmd
}

// state has the data that the page shares with its tabs.
type state struct {
	Options
	screen.Panes
	ctx      context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	host     host
	frame    screen.Frame
	id       proposals.ID
	loaded   bool
	dossier  review.Dossier
	problems []string // why a draft cannot be submitted as it is
	split    bool     // diffs are shown side by side
	quotes   quotes.Quotes
	// findings are the rows that the overview and the assessment list.
	findings []quotes.Row
}

// reading returns the read parts of the proposal, or nil before it has loaded.
func (s *state) reading() *seen.Reading { return s.Seen.Reading(s.id) }

// inTab returns a function that reports whether one of tabs has the focus.
func (s *state) inTab(tabs ...int) func() bool {
	return func() bool { return slices.Contains(tabs, s.Tab) }
}

// cannotAct returns a function that returns why the user cannot perform act, according to the tables of authority and
// of states.
func (s *state) cannotAct(act proposals.Act) func() string {
	return func() string {
		if !s.loaded {
			return screen.Loading
		}
		return wording.Cannot(s.Actor, act, s.dossier.Proposal)
	}
}

// pane is the common part of all tabs. Its methods are defaults for tabs without links or reads.
type pane struct {
	*state
	pager *pager.Pager
}

// ActivePager implements tab, as do the following methods.
func (p *pane) ActivePager() *pager.Pager { return p.pager }
func (p *pane) Count() int                { return 0 }
func (p *pane) Load() tea.Cmd             { return nil }
func (p *pane) OpenSelected() tea.Cmd     { return nil }
func (p *pane) CannotOpen() string        { return "nothing on this tab can be opened" }

// noneSelected returns why no item of a list is selected, or "".
func (p *pane) noneSelected() string {
	if p.pager.Stop() < 0 {
		return "nothing is listed"
	}
	return ""
}

// findingPane is the common part of the tabs that list findings.
type findingPane struct{ pane }

// CannotOpen implements tab.
func (p *findingPane) CannotOpen() string {
	if len(p.dossier.Standing) == 0 {
		return "no findings"
	}
	return p.noneSelected()
}

// OpenSelected implements tab. It shows the line of the selected finding in the diff.
func (p *findingPane) OpenSelected() tea.Cmd {
	f := p.findings[p.pager.Stop()][0]
	p.host.rememberTab(p.Tab)
	return p.host.showLine(f.Path, f.Line)
}
