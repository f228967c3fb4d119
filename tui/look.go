package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// chooseTheme picks the theme for the known properties of the terminal.
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
	m.fit()
}

func (m *Model) switchTheme() tea.Cmd {
	m.themed, m.dark = true, !m.dark
	m.chooseTheme()
	return nil
}

// frame is the frame that a page draws itself in.
func (m *Model) frame() screen.Frame {
	return screen.Frame{Layout: m.layout, Theme: m.theme, Now: m.cfg.Now}
}

// resize lays everything out for a screen of the given size.
func (m *Model) resize(width, height int) {
	m.layout = screen.NewLayout(width, height, m.division)
	m.fit()
	if m.dialog != nil {
		m.dialog.resize(m)
	}
}

// fit lays all pages out.
func (m *Model) fit() {
	m.each(func(p *page) tea.Cmd {
		p.Fit(m.frame())
		return nil
	})
}
