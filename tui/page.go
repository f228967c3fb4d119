package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/screen"
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

// current returns the proposal that the keys act on.
func (m *Model) current() (proposals.Proposal, bool) {
	switch p := m.page.(type) {
	case *proposalPage:
		return p.current()
	case *component:
		if c, ok := p.of.(screen.OfProposal); ok {
			return c.Current()
		}
	}
	return proposals.Proposal{}, false
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
