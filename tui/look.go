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
	if m.proposal != nil {
		m.proposal.restyle(m)
	}
	if m.subject != nil {
		m.subject.restyle(m)
	}
	m.log.restyle(m)
	if m.calls != nil { // the theme is chosen before there are pages
		m.calls.restyle(m)
	}
	if m.drafts != nil {
		m.drafts.pager.Restyle(m.theme)
		m.drafts.pager.Point(m.theme.Accent)
		m.drafts.lay(m)
	}
	if m.help != nil {
		m.help.pager.Restyle(m.theme)
		m.help.lay(m)
	}
}

func (m *Model) switchTheme() tea.Cmd {
	m.themed, m.dark = true, !m.dark
	m.chooseTheme()
	return nil
}
