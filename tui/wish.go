package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/help"
	"toolcrib/tui/proposal"
	"toolcrib/tui/screen"
)

// The places of the keys of a live definition, and of a proposal.
const (
	placeDefinition = "A tool or an agent"
	placeProposal   = "Proposal"
)

// goFor goes to the page of a key and carries it out there. Keys that act on something
// act on the selected row.
func (m *Model) goFor(place string, k screen.Key) func() tea.Cmd {
	return func() tea.Cmd {
		cmd, there := m.toPlace(place)
		if !there {
			return tea.Batch(cmd, m.Say(remark, "Select a row and press enter; there %s does it: %s", keyName(k.Keys[0]), k.Help))
		}
		m.wish = &wish{place: place, name: k.Name}
		return tea.Batch(cmd, m.grant())
	}
}

// toPlace goes to a page; false where something has to be selected first.
func (m *Model) toPlace(place string) (cmd tea.Cmd, there bool) {
	for _, p := range []*page{m.queue, m.tools, m.log, m.drafts, m.calls, m.servers, m.files} {
		if p.Place() == place {
			return m.visit(p), true
		}
	}
	m.leaveHelp()
	switch place {
	case placeEverywhere, m.page.Place():
		return nil, true
	case placeDefinition:
		if of, ok := m.page.Page.(screen.OfEntry); ok {
			if e, selected := of.Selected(); selected {
				return m.OpenEntry(screen.Opening{Entry: e}), true
			}
		}
		return m.visit(m.tools), false
	case new(proposal.Page).Place():
		if p, ok := m.current(); ok {
			return m.Open(p, false), true
		}
	}
	return m.visit(m.queue), false
}

// leaveHelp goes back to the page that the help is about.
func (m *pages) leaveHelp() {
	if _, open := m.page.Page.(*help.Page); open {
		m.back()
	}
}

// grant carries a wish out where it can be, and keeps it otherwise.
func (m *Model) grant() tea.Cmd {
	if m.wish == nil || m.wish.place != placeEverywhere && m.page.Place() != m.wish.place || m.dialog != nil || m.line != nil {
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
	if why := wished.Why(); why != "" {
		if why == m.wish.told {
			return turned
		}
		m.wish.told = why
		return tea.Batch(turned, m.Say(remark, "%s: %s", keyName(wished.Keys[0]), why))
	}
	m.wish = nil
	return tea.Batch(turned, wished.Do())
}

// maxTabs is more than any page has.
const maxTabs = 8

// named returns the key of the page on the screen, or of all pages, with a name.
func (m *Model) named(name string) (screen.Key, bool) {
	keys := m.here()
	i := slices.IndexFunc(keys, func(k screen.Key) bool { return k.Name == name })
	if i < 0 {
		return screen.Key{}, false
	}
	return keys[i], true
}

// wish is a key that is carried out once its page is on the screen and has read what the
// key acts on. Another key ends it.
type wish struct {
	place, name string
	told        string // why it waits
}
