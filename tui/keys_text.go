package tui

import tea "charm.land/bubbletea/v2"

// textKeys move through whatever text a page shows, and through the list in it.
func textKeys() []key {
	move := func(n int) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { m.textPager().Move(n); return m.moved() }
	}
	page := func(n float64) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { m.textPager().Page(n); return m.moved() }
	}
	side := func(n int) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd {
			if p, ok := m.page.(tabbed); ok && m.layout.left > 0 && m.textPager().Wrapped() {
				return p.across(m, n > 0)
			}
			m.textPager().Side(n)
			return nil
		}
	}
	return []key{
		{name: "scroll-down", keys: []string{"j", "down"}, help: "Select the next item of a list; in a text, one line down", do: move(1), picks: true},
		{name: "scroll-up", keys: []string{"k", "up"}, help: "Select the previous item of a list; in a text, one line up", do: move(-1), picks: true},
		{name: "next-change", keys: []string{"J"}, help: "Go to the next change, finding, comment or item", do: nextStop(1), picks: true},
		{name: "previous-change", keys: []string{"K"}, help: "Go to the previous change, finding, comment or item", do: nextStop(-1), picks: true},
		{name: "scroll-half-down", keys: []string{"ctrl+d"}, help: "Half a screen down", do: page(0.5), picks: true},
		{name: "scroll-half-up", keys: []string{"ctrl+u"}, help: "Half a screen up", do: page(-0.5), picks: true},
		{name: "scroll-page-down", keys: []string{"space", "pgdown", "ctrl+f"}, help: "A screen down", do: page(1), picks: true},
		{name: "scroll-page-up", keys: []string{"pgup", "ctrl+b"}, help: "A screen up", do: page(-1), picks: true},
		{name: "scroll-first", keys: []string{"g", "home"}, help: "Go to the beginning", do: func(m *Model) tea.Cmd { m.textPager().Home(); return nil }, picks: true},
		{name: "scroll-last", keys: []string{"G", "end"}, help: "Go to the end", do: func(m *Model) tea.Cmd { m.textPager().End(); return m.moved() }, picks: true},
		{name: "wrap", keys: []string{"w"}, label: "wrap", late: always, help: "Toggle line wrapping", do: (*Model).switchWrap},
		{name: "scroll-right", keys: []string{"l", "right"}, help: "Go to the right pane; where lines are not wrapped, scroll right", do: side(8), off: (*Model).isWrapped},
		{name: "scroll-left", keys: []string{"h", "left"}, help: "Go to the left pane; where lines are not wrapped, scroll left", do: side(-8), off: (*Model).isWrapped},
		{name: "search", keys: []string{"/"}, label: "search", late: always, help: "Search", do: (*Model).askSearch},
		{name: "next-match", keys: []string{"n"}, help: "Go to the next match", do: nextMatch(1), picks: true},
		{name: "previous-match", keys: []string{"N"}, help: "Go to the previous match", do: nextMatch(-1), picks: true},
	}
}

// tabbed is a page with tabs in two panes. across gives the keys to one of them.
type tabbed interface {
	across(m *Model, right bool) tea.Cmd
}

// moved reads on where a list has more than was read.
func (m *Model) moved() tea.Cmd {
	if p, ok := m.page.(interface{ more(*Model) tea.Cmd }); ok {
		return p.more(m)
	}
	return nil
}

func nextStop(step int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		if !m.textPager().NextStop(step) {
			m.say(remark, "No more")
		}
		return m.moved()
	}
}

func (m *Model) switchWrap() tea.Cmd {
	p := m.textPager()
	p.SetWrap(!p.Wrapped())
	return nil
}

func (m *Model) isWrapped() string {
	if _, ok := m.page.(tabbed); ok && m.layout.left > 0 {
		return ""
	}
	if m.textPager().Wrapped() {
		return "lines are wrapped; w toggles wrapping"
	}
	return ""
}
