package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/help"
	"toolcrib/tui/proposal"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// openHelp lists the keys of the page on the screen, or leaves the help.
func (m *Model) openHelp() tea.Cmd {
	if _, open := m.page.Page.(*help.Page); open {
		return m.back()
	}
	var ids []string
	if pp, ok := m.page.Page.(*proposal.Page); ok {
		ids = pp.Rules()
	}
	var rows []help.Row
	from := m.page.Place()
	for _, t := range []table{{from, m.keysOf(m.page)}, {placeEverywhere, m.global}} {
		for _, k := range t.keys {
			rows = append(rows, help.Row{Place: t.place, Keys: keyNames(k), Help: k.Help, Name: k.Name, Why: k.Why()})
		}
	}
	known := map[string]bool{}
	for _, r := range rows {
		known[r.Name] = true
	}
	for _, t := range tables() {
		for _, k := range m.bound(t.keys) {
			if !known[k.Name] {
				known[k.Name] = true
				rows = append(rows, help.Row{Place: t.place, Keys: keyNames(k), Help: k.Help, Name: k.Name, Elsewhere: true})
			}
		}
	}
	h := &page{Page: help.New(from, rows, func(page *prose.Page) {
		for _, id := range ids {
			m.explain(page, id)
		}
	})}
	h.Fit(m.frame())
	m.open(h)
	return nil
}

// keyNames lists the keys of an action.
func keyNames(k screen.Key) string {
	names := make([]string, len(k.Keys))
	for i, n := range k.Keys {
		names[i] = keyName(n)
	}
	return strings.Join(names, " ")
}
