package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
)

// helpPage lists the keys of the page it was opened from.
type helpPage struct {
	pager *pager.Pager
	place string
}

func (m *Model) openHelp() tea.Cmd {
	if m.page == pageHelp {
		return m.back()
	}
	h := &helpPage{pager: pager.New(m.theme.Match, m.theme.Rule), place: m.place()}
	page := prose.New(m.theme)
	for _, place := range []string{h.place, placeEverywhere} {
		i := slices.IndexFunc(m.tables, func(t table) bool { return t.place == place })
		t := m.tables[i]
		page.Blank()
		page.Heading(t.place)
		for i := range t.keys {
			page.Item(draw.Of(m.theme.Key, "  "+draw.Pad(draw.Show(keyNames(t.keys[i])), 20)), t.keys[i].help)
		}
	}
	h.pager.SetRows(page.Rows())
	h.pager.SetWrap(true)
	h.pager.SetSize(m.layout.width, m.layout.body)
	m.help = h
	return m.open(pageHelp)
}

func (h *helpPage) tabs(m *Model) draw.Line {
	return draw.Of("", " ").Add(m.theme.Accent, "▎Help").Add(m.theme.Faint, "  "+draw.Safe(h.place)+"   / searches, esc goes back")
}

// helpKeys are the keys of the help itself.
func helpKeys() []key { return textKeys() }

// keyNames lists the keys of an action.
func keyNames(k key) string {
	names := make([]string, len(k.keys))
	for i, n := range k.keys {
		names[i] = keyName(n)
	}
	return strings.Join(names, " ")
}

// KeysPage writes docs/keys.md.
func KeysPage() string {
	var b strings.Builder
	b.WriteString("# Keys of the workbench\n\nWritten by `go test ./tui -run TestKeysPage -update` from the table in tui/keys*.go.\n" +
		"The name in the last column rebinds a key in `toolcrib.toml`.\n")
	for _, t := range tables() {
		b.WriteString("\n## " + t.place + "\n\n| key | does | name |\n|---|---|---|\n")
		for i := range t.keys {
			k := t.keys[i]
			names := make([]string, len(k.keys))
			for j, n := range k.keys {
				names[j] = "`" + keyName(n) + "`"
			}
			b.WriteString("| " + strings.Join(names, " ") + " | " + k.help + " | " + k.name + " |\n")
		}
	}
	return b.String()
}
