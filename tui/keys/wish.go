package keys

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/screen"
)

// toPlace goes to a page; false where something has to be selected first.
func (m *Keys) toPlace(place string) (cmd tea.Cmd, there bool) {
	if p := m.pages.At(place); p != nil {
		return m.pages.Visit(p), true
	}
	m.LeaveHelp()
	if place == Everywhere || place == m.pages.On().Place() {
		return nil, true
	}
	return m.Opener.OpenPlace(place)
}

// LeaveHelp goes back to the page that the help is about; false on another page.
func (m *Keys) LeaveHelp() (cmd tea.Cmd, left bool) {
	if m.isHelp(m.pages.On()) {
		return m.pages.Back(), true
	}
	return nil, false
}

// Grant carries out a wish on its page, or shows why the key is disabled. While the page is
// loading it does neither, so that a dialog never opens after the user was told that the key is
// disabled.
func (m *Keys) Grant() tea.Cmd {
	if m.wish == nil || m.wish.place != Everywhere && m.pages.On().Place() != m.wish.place || m.shell.Busy() {
		return nil
	}
	wished, ok := m.named(m.wish.name)
	if !ok {
		return nil
	}
	var turned tea.Cmd
	for _, next := range []string{"next-section", "next-tab"} {
		turn, ok := m.named(next)
		for n := 0; ok && n < maxTabs && wished.Here != nil && !wished.Here(); n++ {
			turned = tea.Batch(turned, turn.Do())
		}
	}
	if wished.Why() == screen.Loading {
		return turned
	}
	m.wish = nil
	return tea.Batch(turned, m.run(wished))
}

// maxTabs is more than any page has.
const maxTabs = 8
