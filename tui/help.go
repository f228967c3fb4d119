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

// KeysPage writes docs/keys.md.
func KeysPage() string {
	var b strings.Builder
	b.WriteString("# Keys of the workbench\n\nWritten by `go test ./tui -run TestKeysPage -update` from the tables in tui/keys*.go.\n\n" +
		"`?` searches the keys of every page, and `:` finds a command by its name and runs it. A key means the same on all pages; the\n" +
		"last line of the screen names those that matter where you are.\n\n" +
		"To rebind, write the names from the last column into your own `toolcrib.toml`, not into a project's:\n\n" +
		"```toml\n[keys]\napprove = [\"ctrl+a\"] # a list of keys replaces the default ones\ncalls = [\"P\", \"f5\"]\nscroll-down = [\"down\", \"ctrl+e\"] # on every page that has the name\n```\n\n" +
		"Keys are written as in the first column, for example `ctrl+n`, `shift+tab`, `page down` as `pgdown`. A name that does not\nexist is reported at the start.\n")
	for _, t := range tables() {
		b.WriteString("\n## " + t.place + "\n\n| key | does | name |\n|---|---|---|\n")
		for _, k := range t.keys {
			names := make([]string, len(k.Keys))
			for j, n := range k.Keys {
				names[j] = "`" + keyName(n) + "`"
			}
			b.WriteString("| " + strings.Join(names, " ") + " | " + k.Help + " | " + k.Name + " |\n")
		}
	}
	return b.String()
}
