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

// The tabs of a proposal.
const (
	tabOverview = iota
	tabDiff
	tabAssessment
	tabPrompt
	tabThread
	tabHistory
	tabTests
	tabCount
)

// tab is a component of the page with its own text, state and keys.
type tab interface {
	// Shown is its text, and Count a number behind its name, 0 for none.
	Shown() *pager.Pager
	Count() int
	// Fill lays its text out again, for another size or with what is known by now.
	Fill()
	// Load reads what it shows beyond the dossier, which is new; Look what it needs only
	// where it is seen.
	Load() tea.Cmd
	Look() tea.Cmd
	// Follow goes where the selected row leads, unless CannotFollow has a reason.
	Follow() tea.Cmd
	CannotFollow() string
	Keys() []screen.Key
}

// book lets a tab use the page and the other tabs.
type book interface {
	// then has the page do something with what was read, if the proposal is there.
	then(do func() tea.Cmd) tea.Msg
	// turn gives a tab the keys, leap notes which one is left, so that esc returns to it.
	TurnTo(tab int) tea.Cmd
	leap(tab int)
	// fill lays all tabs out again.
	fill()
	// showLine goes to a line in the diff, showFinding and showComment to what stands in
	// another tab.
	showLine(field string, line int) tea.Cmd
	showFinding(n int) tea.Cmd
	showComment(n int) tea.Cmd
	// selectedFinding returns the finding that the keys act on.
	selectedFinding() (review.Standing, bool)
	// askComment asks for a comment on a line, or on the proposal as a whole.
	askComment(at review.Anchor) tea.Cmd
}

// state is the state that the page shares with its tabs.
type state struct {
	Options
	screen.Panes
	ctx     context.Context //nolint:containedctx // the commands of Bubble Tea have no other
	book    book
	frame   screen.Frame
	id      proposals.ID
	loaded  bool
	dossier review.Dossier
	hash    string   // of the definition in it
	unfit   []string // why a draft cannot be submitted, by its own text
	split   bool     // diffs are side by side
	quotes  quotes.Quotes
	// findings are those of the dossier as the Overview and the Assessment list them.
	findings []quotes.Row
}

// reading returns what was read of the proposal, nil before it was loaded.
func (s *state) reading() *seen.Reading { return s.Seen.Of(s.id) }

// inTab reports whether one of some tabs is on the screen.
func (s *state) inTab(tabs ...int) func() bool {
	return func() bool { return slices.Contains(tabs, s.Tab) }
}

// inState reports whether the proposal is in one of some states.
func (s *state) inState(states ...proposals.State) func() bool {
	return func() bool { return s.loaded && slices.Contains(states, s.dossier.Proposal.State) }
}

// cannotAct returns why the user cannot do an act, by the tables of authority and
// of states.
func (s *state) cannotAct(act proposals.Act) func() string {
	return func() string {
		if !s.loaded {
			return screen.Loading
		}
		return wording.Cannot(s.Actor, act, s.dossier.Proposal)
	}
}

// cannotFollowFinding returns why no finding leads anywhere from the tab with the keys.
func (s *state) cannotFollowFinding(p *pager.Pager) string {
	switch {
	case len(s.dossier.Standing) == 0:
		return "there are no findings"
	case p.Stop() < 0:
		return "nothing is listed"
	}
	return ""
}

// followFinding shows the line that a finding is about.
func (s *state) followFinding(n int) tea.Cmd {
	f := s.findings[n][0]
	s.book.leap(s.Tab)
	return s.book.showLine(f.Path, f.Line)
}

// pane is the common part of all tabs, with defaults for a tab without links, keys and reads.
type pane struct {
	*state
	pager *pager.Pager
}

// Shown implements tab, as the following methods do.
func (p *pane) Shown() *pager.Pager  { return p.pager }
func (p *pane) Count() int           { return 0 }
func (p *pane) Load() tea.Cmd        { return nil }
func (p *pane) Look() tea.Cmd        { return nil }
func (p *pane) Follow() tea.Cmd      { return nil }
func (p *pane) CannotFollow() string { return "nothing on this tab can be opened" }
func (p *pane) Keys() []screen.Key   { return nil }
