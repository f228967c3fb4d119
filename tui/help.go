package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
)

// helpPage lists the keys of the page it was opened from, and before them what
// is known of what the page shows.
type helpPage struct {
	textPage
	from   string   // the place it was opened from
	rules  []string // ids of rules to explain
	rows   []helpRow
	filter string
}

// whyFrom is the width from which it says of every key that is off why it is.
const whyFrom = 120

// helpRow is a key as the help lists it.
type helpRow struct {
	place, keys, help, name string
	why                     string // it is off
	elsewhere               bool   // it belongs to another page, and is found only when it is looked for
}

func (r helpRow) has(text string) bool {
	return containsFold(r.keys, text) || containsFold(r.help, text) || containsFold(r.name, text)
}

func containsFold(s, text string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(text))
}

func (m *Model) openHelp() tea.Cmd {
	if _, open := m.page.(*helpPage); open {
		return m.back()
	}
	h := &helpPage{textPage: newTextPage(m), from: m.page.place()}
	if pp, ok := m.page.(*proposalPage); ok && (pp.Tab == tabOverview || pp.Tab == tabAssessment) {
		h.rules = pp.rules()
	}
	for _, place := range []string{h.from, placeEverywhere} {
		for _, k := range m.table(place) {
			h.rows = append(h.rows, helpRow{place, keyNames(k), k.help, k.name, k.why(m), false})
		}
	}
	known := map[string]bool{}
	for _, r := range h.rows {
		known[r.name] = true
	}
	for _, t := range m.tables {
		for _, k := range t.keys {
			if !known[k.name] {
				known[k.name] = true
				h.rows = append(h.rows, helpRow{t.place, keyNames(k), k.help, k.name, "", true})
			}
		}
	}
	h.lay(m)
	m.open(h)
	return nil
}

func (h *helpPage) place() string { return placeHelp }

func (h *helpPage) restyle(m *Model) {
	h.look(m.theme)
	h.lay(m)
}

func (h *helpPage) leave(m *Model) (tea.Cmd, bool) { return leaveFilter(m, h) }

func (h *helpPage) update(m *Model, msg tea.Msg) tea.Cmd {
	if _, ok := msg.(renderedMsg); ok {
		h.lay(m)
	}
	return nil
}

// lay lists the keys that have the filter in them.
func (h *helpPage) lay(m *Model) {
	page := prose.New(m.theme)
	if h.filter == "" {
		for _, id := range h.rules {
			m.explain(page, id)
		}
	}
	width := 12
	for _, r := range h.rows {
		width = min(max(width, draw.Width(draw.Show(r.keys))), 26)
	}
	place, found := "", false
	for _, r := range h.rows {
		if h.filter == "" && r.elsewhere || h.filter != "" && !r.has(h.filter) {
			continue
		}
		found = true
		if r.place != place {
			place = r.place
			page.Blank()
			page.Heading(place)
		}
		keys := "  " + draw.Pad(draw.Show(r.keys), width) + "  "
		if r.why == "" {
			page.Item(draw.Of(m.theme.Key, keys), r.help)
			continue
		}
		text := r.help
		if h.filter != "" || m.layout.Width >= whyFrom { // who looks for a key wants to know
			text += " (off now: " + r.why + ")"
		}
		page.FaintItem(draw.Of(m.theme.Off, keys), text)
	}
	if !found {
		page.Blank()
		page.Faint("", "No key matches. esc shows all.")
	}
	h.pager.Replace(page.Rows())
}

func (h *helpPage) filterText() string { return h.filter }

func (h *helpPage) setFilter(m *Model, text string) tea.Cmd {
	h.filter = text
	h.pager.Home()
	h.lay(m)
	return nil
}

func (h *helpPage) tabs(m *Model) (left, right draw.Line) {
	l := draw.Of("", " ").Add(m.theme.Accent, "▎Help").Add(m.theme.Faint, "  "+draw.Safe(h.from)+"   / searches all pages, esc goes back")
	if h.filter != "" {
		l = l.Add("", "   ").Add(m.theme.Match, " "+draw.Cut(draw.Show(h.filter), m.layout.Width/3)+" ")
	}
	return l, nil
}

// helpKeys are the keys of the help itself.
func helpKeys() []key {
	keys := []key{{name: "help-filter", keys: []string{"/"}, label: "find", help: "Search the keys of all pages", do: (*Model).askFilter}}
	for _, k := range textKeys() {
		switch k.name {
		case "search", "next-match", "previous-match": // the filter finds more than a search would
		default:
			keys = append(keys, k)
		}
	}
	return keys
}

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
	b.WriteString("# Keys of the workbench\n\nWritten by `go test ./tui -run TestKeysPage -update` from the tables in tui/keys*.go.\n\n" +
		"`?` searches the keys of every page, and `:` finds a command by its name and runs it. A key means the same on all pages; the\n" +
		"last line of the screen names those that matter where you are.\n\n" +
		"To rebind, write the names from the last column into your own `toolcrib.toml`, not into a project's:\n\n" +
		"```toml\n[keys]\napprove = [\"ctrl+a\"] # a list of keys replaces the default ones\ncalls = [\"P\", \"f5\"]\nscroll-down = [\"down\", \"ctrl+e\"] # on every page that has the name\n```\n\n" +
		"Keys are written as in the first column, for example `ctrl+n`, `shift+tab`, `page down` as `pgdown`. A name that does not\nexist is reported at the start.\n")
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
