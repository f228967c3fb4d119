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

// tab is a part of the page with its own text, state, and keys.
type tab interface {
	// ActivePager returns the pager of the tab's text. Count returns the number shown after the name of the tab, or 0
	// for none.
	ActivePager() *pager.Pager
	Count() int
	// Fill lays out the text again after a change of the size or the data.
	Fill()
	// Load reads the data that the tab needs in addition to the dossier. It is called after each new dossier.
	Load() tea.Cmd
	// OpenSelected opens the target of the selected row. CannotOpen returns why this is not possible, or "".
	OpenSelected() tea.Cmd
	CannotOpen() string
}

// host is the part of the page that tabs use, including actions on other tabs.
type host interface {
	// then returns a message that makes the page call do if the proposal is loaded.
	then(do func() tea.Cmd) tea.Msg
	// SelectTab moves the focus to the given tab. rememberTab records the tab from which the user jumps to another
	// tab, so that esc returns to it.
	SelectTab(tab int) tea.Cmd
	rememberTab(tab int)
	// fill lays out all tabs.
	fill()
	// showLine shows the given line in the diff. showFinding selects a finding in a tab that lists findings.
	// showComment selects comment number n in the thread.
	showLine(field string, line int) tea.Cmd
	showFinding(s review.Standing) tea.Cmd
	showComment(n int) tea.Cmd
	// selectedFinding returns the finding on which the keys act.
	selectedFinding() (review.Standing, bool)
	// askComment asks for a comment on the line at the given anchor. The zero anchor means the whole proposal.
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
	// findings are the rows that the Overview and Assessment tabs list.
	findings []quotes.Row
}

// reading returns the record of the parts of the proposal that the user has read, or nil if the proposal has not been
// shown.
func (s *state) reading() *seen.Reading { return s.Seen.Reading(s.id) }

// inTab returns a function that reports whether one of tabs has the focus.
func (s *state) inTab(tabs ...int) func() bool {
	return func() bool { return slices.Contains(tabs, s.Tab) }
}

// cannotAct returns a function that reports why the user cannot perform act. The reason depends on the user's
// authority and the state of the proposal; it is "" if the user can perform act.
func (s *state) cannotAct(act proposals.Act) func() string {
	return func() string {
		if !s.loaded {
			return screen.Loading
		}
		return wording.Cannot(s.Actor, act, s.dossier.Proposal)
	}
}

// pane is the common part of all tabs. Its methods are defaults for tabs that open nothing and load no data.
type pane struct {
	*state
	pager *pager.Pager
}

// ActivePager implements tab. The methods below do the same.
func (p *pane) ActivePager() *pager.Pager { return p.pager }
func (p *pane) Count() int                { return 0 }
func (p *pane) Load() tea.Cmd             { return nil }
func (p *pane) OpenSelected() tea.Cmd     { return nil }
func (p *pane) CannotOpen() string        { return "nothing on this tab can be opened" }

// noneSelected returns why no item is selected, or "".
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
