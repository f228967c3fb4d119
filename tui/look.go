package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/theme"
)

// chooseTheme picks the theme for what is known of the terminal.
func (m *Model) chooseTheme() {
	switch {
	case m.cfg.Plain:
		m.theme = theme.Plain()
	case m.sixteen:
		m.theme = theme.Sixteen(m.dark)
	case m.dark:
		m.theme = theme.Dark()
	default:
		m.theme = theme.Light()
	}
	if m.page == nil {
		return // the theme is chosen before there are pages
	}
	m.each(func(p page) tea.Cmd {
		p.restyle(m)
		return nil
	})
}

func (m *Model) switchTheme() tea.Cmd {
	m.themed, m.dark = true, !m.dark
	m.chooseTheme()
	return nil
}
