package keys

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/screen"
)

// toPlace opens the page of a place. It returns false if nothing suitable is selected.
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

// LeaveHelp returns from the help to the page that it describes. It returns false on any other page.
func (m *Keys) LeaveHelp() (cmd tea.Cmd, left bool) {
	if m.isHelp(m.pages.On()) {
		return m.pages.Back(), true
	}
	return nil, false
}

// Grant runs the pending wish on its page, or shows why the key is disabled. It waits until the page has loaded, so
// that no dialog opens after the user was told that the key is disabled.
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

// maxTabs exceeds the number of tabs of any page.
const maxTabs = 8
