// Package help implements the workbench page that lists the keys of another page. Notes above the keys explain
// the content of that page.
package help

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// reasonsMinWidth is the minimum width of a screen that shows the reasons why keys are disabled.
const reasonsMinWidth = 120

// Row is a row of the help, which describes a key.
type Row struct {
	Place, Keys, Help, Name string
	Why                     string // why the key is disabled, or ""
}

// Shell is the part of the workbench that the page uses.
type Shell interface {
	screen.Shell
	// OpenSearch opens the search for keys, commands, and settings.
	OpenSearch() tea.Cmd
}

// Page lists the keys of another page, followed by the keys that work on every page.
type Page struct {
	screen.Text
	shell  Shell
	from   string // name of the place that the help is about
	before func(*prose.Page)
	rows   []Row
}

// New returns the help for the given place. notes draws the notes above the keys.
func New(sh Shell, place string, rows []Row, notes func(*prose.Page)) *Page {
	return &Page{Text: screen.NewText(), shell: sh, from: place, rows: rows, before: notes}
}

// Place implements screen.Page.
func (h *Page) Place() string { return "Help" }

// Keys implements screen.Page. The / key searches keys and commands instead of the text.
func (h *Page) Keys() []screen.Key {
	find := screen.Key{Name: "help-filter", Keys: []string{"/"}, Label: "find", Help: "Search keys of all pages, commands, and settings; enter opens the result", Do: func() tea.Cmd { return h.shell.OpenSearch() }}
	return append([]screen.Key{find}, slices.DeleteFunc(screen.TextKeys(h.shell, h), func(k screen.Key) bool {
		return k.Name == "search" || k.Name == "next-match" || k.Name == "previous-match"
	})...)
}

// Fit implements screen.Page.
func (h *Page) Fit(f screen.Frame) {
	h.Text.Fit(f)
	h.layOut()
}

// Reload implements screen.Page. It does nothing, because the keys do not change.
func (h *Page) Reload() tea.Cmd { return nil }

// Update implements screen.Page.
func (h *Page) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(screen.Rendered); ok {
		h.layOut()
	}
	return nil
}

// layOut lays out the notes and the rows.
func (h *Page) layOut() {
	th := h.Frame.Theme
	page := prose.New(th)
	h.before(page)
	width := 12
	for _, r := range h.rows {
		width = min(max(width, draw.Width(draw.Escape(r.Keys))), 26)
	}
	place := ""
	for _, r := range h.rows {
		if r.Place != place {
			place = r.Place
			page.Blank()
			page.Heading(place)
		}
		keys := "  " + draw.Pad(draw.Escape(r.Keys), width) + "  "
		if r.Why == "" {
			page.Item(draw.Of(th.Key, keys), r.Help)
			continue
		}
		text := r.Help
		if h.Frame.Width >= reasonsMinWidth {
			text += " (off now: " + r.Why + ")"
		}
		page.FaintItem(draw.Of(th.Off, keys), text)
	}
	h.Pager.Replace(page.Rows())
}

// Tabs implements screen.Page.
func (h *Page) Tabs() (left, right draw.Line) {
	th := h.Frame.Theme
	l := draw.Of("", " ").Add(th.Accent, "▎Help").Add(th.Faint, "  "+draw.Escape(h.from)+"   / searches everything, esc goes back")
	return l, nil
}
