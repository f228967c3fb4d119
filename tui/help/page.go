// Package help is the page of the workbench that lists the keys of the page it was
// opened from, after notes about what that page shows.
package help

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// whyFrom is the width from which it says of every key that is off why it is.
const whyFrom = 120

// Row is a key as the help lists it.
type Row struct {
	Place, Keys, Help, Name string
	Why                     string // it is off
	Elsewhere               bool   // it belongs to another page, and is found only when it is looked for
}

func (r Row) has(text string) bool {
	return containsFold(r.Keys, text) || containsFold(r.Help, text) || containsFold(r.Name, text)
}

func containsFold(s, text string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(text))
}

// Page lists keys.
type Page struct {
	screen.Text
	shell  screen.Shell
	from   string // the place it was opened from
	before func(*prose.Page)
	rows   []Row
	filter string
}

// New returns the help of a place; before lays out the text above the keys.
func New(sh screen.Shell, from string, rows []Row, before func(*prose.Page)) *Page {
	return &Page{Text: screen.NewText(), shell: sh, from: from, rows: rows, before: before}
}

// Place implements screen.Page.
func (h *Page) Place() string { return "Help" }

// Keys implements screen.Page: the filter finds more than a search would.
func (h *Page) Keys() []screen.Key {
	find := screen.Key{Name: "help-filter", Keys: []string{"/"}, Label: "find", Help: "Search the keys of all pages", Do: h.askFilter}
	return append([]screen.Key{find}, slices.DeleteFunc(screen.TextKeys(h.shell, h), func(k screen.Key) bool {
		return k.Name == "search" || k.Name == "next-match" || k.Name == "previous-match"
	})...)
}

// Fit implements screen.Page.
func (h *Page) Fit(f screen.Frame) {
	h.Text.Fit(f)
	h.lay()
}

// Reload implements screen.Page: the keys stay as they were.
func (h *Page) Reload() tea.Cmd { return nil }

// Leave implements screen.Page: it ends a filter.
func (h *Page) Leave() (tea.Cmd, bool) {
	if h.filter == "" {
		return nil, false
	}
	return h.setFilter(""), true
}

// Update implements screen.Page.
func (h *Page) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(screen.Rendered); ok {
		h.lay()
	}
	return nil
}

// lay lists the keys that have the filter in them.
func (h *Page) lay() {
	th := h.Frame.Theme
	page := prose.New(th)
	if h.filter == "" {
		h.before(page)
	}
	width := 12
	for _, r := range h.rows {
		width = min(max(width, draw.Width(draw.Show(r.Keys))), 26)
	}
	place, found := "", false
	for _, r := range h.rows {
		if h.filter == "" && r.Elsewhere || h.filter != "" && !r.has(h.filter) {
			continue
		}
		found = true
		if r.Place != place {
			place = r.Place
			page.Blank()
			page.Heading(place)
		}
		keys := "  " + draw.Pad(draw.Show(r.Keys), width) + "  "
		if r.Why == "" {
			page.Item(draw.Of(th.Key, keys), r.Help)
			continue
		}
		text := r.Help
		if h.filter != "" || h.Frame.Width >= whyFrom { // who looks for a key wants to know
			text += " (off now: " + r.Why + ")"
		}
		page.FaintItem(draw.Of(th.Off, keys), text)
	}
	if !found {
		page.Blank()
		page.Faint("", "No key matches. esc shows all.")
	}
	h.Pager.Replace(page.Rows())
}

// Filter implements screen.Filtered.
func (h *Page) Filter() string { return h.filter }

func (h *Page) askFilter() tea.Cmd {
	return h.shell.Type(screen.FilterLine(h.filter, h.setFilter))
}

func (h *Page) setFilter(text string) tea.Cmd {
	h.filter = text
	h.Pager.Home()
	h.lay()
	return nil
}

// Tabs implements screen.Page.
func (h *Page) Tabs() (left, right draw.Line) {
	th := h.Frame.Theme
	l := draw.Of("", " ").Add(th.Accent, "▎Help").Add(th.Faint, "  "+draw.Show(h.from)+"   / searches all pages, esc goes back")
	if h.filter != "" {
		l = l.Add("", "   ").Add(th.Match, " "+draw.Cut(draw.Show(h.filter), h.Frame.Width/3)+" ")
	}
	return l, nil
}
