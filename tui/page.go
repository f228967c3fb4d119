package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// page is a component that fills the screen below the bar. It has its own keys,
// which are found by its place, takes in the answers to what it asked for, and
// draws itself.
type page interface {
	// place names the table of its keys.
	place() string
	// tabs draws the line below the bar, and view the body.
	tabs(m *Model) (left, right draw.Line)
	view(m *Model) []string
	// shown returns the pager it shows text in, nil for a list.
	shown() *pager.Pager
	// update takes in a message, which need not be for it.
	update(m *Model, msg tea.Msg) tea.Cmd
	// reload reads what it shows again.
	reload(m *Model) tea.Cmd
	resize(m *Model)
	restyle(m *Model)
	// leave ends a search or another mode; false when it is in none.
	leave(m *Model) (tea.Cmd, bool)
	// scroll moves by n lines or rows, click selects a row of the body; x is the
	// column that the mouse is in.
	scroll(m *Model, x, n int) tea.Cmd
	click(m *Model, x, row int) tea.Cmd
	// see notes what is on the screen as seen.
	see(m *Model)
}

// lister is a page with a list that can be narrowed.
type lister interface {
	filterText() string
	setFilter(m *Model, text string) tea.Cmd
}

// ofProposal is a page whose keys act on a proposal.
type ofProposal interface {
	current() (proposals.Proposal, bool)
}

// on makes a handler of a key from a method of the page that the key belongs to.
func on[P page](do func(P, *Model) tea.Cmd) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		p, ok := m.page.(P)
		if !ok {
			return nil
		}
		return do(p, m)
	}
}

// ask makes a question about a page, such as why a key is off, one about the
// workbench.
func ask[P page, A any](question func(P, *Model) A) func(*Model) A {
	return func(m *Model) (answer A) {
		if p, ok := m.page.(P); ok {
			answer = question(p, m)
		}
		return answer
	}
}

// textPage is the part that all pages with a text have in common.
type textPage struct{ pager *pager.Pager }

func newTextPage(m *Model) textPage {
	t := textPage{pager.New(m.theme)}
	t.pager.SetWrap(true)
	t.pager.Point(m.theme.Accent)
	t.resize(m)
	return t
}

func (t *textPage) shown() *pager.Pager               { return t.pager }
func (t *textPage) view(*Model) []string              { return t.pager.View() }
func (t *textPage) reload(*Model) tea.Cmd             { return nil }
func (t *textPage) resize(m *Model)                   { t.pager.SetSize(m.layout.Width, m.layout.Body) }
func (t *textPage) click(*Model, int, int) tea.Cmd    { return nil }
func (t *textPage) see(*Model)                        {}
func (t *textPage) scroll(_ *Model, _, n int) tea.Cmd { t.pager.Scroll(n); return nil } //nolint:unparam // it is a method of page
func (t *textPage) look(th theme.Theme)               { t.pager.Restyle(th); t.pager.Point(th.Accent) }

// listPage is the part that all pages with a list have in common.
type listPage struct{}

func (listPage) shown() *pager.Pager { return nil }
func (listPage) restyle(*Model)      {}
func (listPage) see(*Model)          {}

// leaveFilter ends a filter.
func leaveFilter(m *Model, l lister) (tea.Cmd, bool) {
	if l.filterText() == "" {
		return nil, false
	}
	return l.setFilter(m, ""), true
}
