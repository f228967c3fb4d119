package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
	"toolcrib/tui/draw"
)

// View implements tea.Model.
func (m *Model) View() tea.View {
	v := tea.NewView(m.screen())
	v.AltScreen = true
	v.WindowTitle = "toolcrib"
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// screen draws every line, each exactly as wide as the terminal.
func (m *Model) screen() string {
	if m.layout.tooSmall {
		return m.tooSmall()
	}
	w := m.layout.width
	var b strings.Builder
	b.Grow(w * m.layout.height * 2)
	m.bar().Write(&b, w, m.theme.Bar)
	b.WriteByte('\n')
	tabs, body := m.body()
	tabs.Write(&b, w, "")
	b.WriteByte('\n')
	m.theme.Rule.Write(&b, strings.Repeat("─", w))
	b.WriteByte('\n')
	if m.dialog != nil {
		body = m.dialog.view(m, body)
	}
	last := m.lastLines()
	for i := range m.layout.body - len(last) + 1 {
		if i < len(body) {
			b.WriteString(body[i])
		} else {
			b.WriteString(draw.Blank(w))
		}
		b.WriteByte('\n')
	}
	for _, l := range last {
		l.Write(&b, w, "")
		b.WriteByte('\n')
	}
	m.footer().Write(&b, w, "")
	return b.String()
}

// lastLines are what stands above the keys: what is typed, or what was said. More
// than one of them cover the end of the page.
func (m *Model) lastLines() []draw.Line {
	if in := m.input(); in != nil && m.dialog == nil {
		return []draw.Line{in.line(m)}
	}
	return m.said()
}

// body returns the tabs and the lines of the page.
func (m *Model) body() (draw.Line, []string) {
	switch m.page {
	case pageProposal:
		return m.proposal.tabs(m), m.proposal.view(m)
	case pageTools, pageAgents:
		return m.registry().tabs(m), m.registry().view(m)
	case pageSubject:
		return m.subject.tabs(m), m.subject.pager.View()
	case pageLog:
		return m.log.tabs(m), m.log.pager.View()
	case pageHelp:
		return m.help.tabs(m), m.help.pager.View()
	case pageKept:
		return m.kept.tabs(m), m.kept.pager.View()
	case pageCalls:
		return m.calls.tabs(m), m.calls.pager.View()
	case pageQueue:
	}
	return m.queue.tabs(m), m.queue.view(m)
}

// bar is the first line: where the reader is, and as whom.
func (m *Model) bar() draw.Line {
	th := m.theme
	l := draw.Of(th.Accent, " toolcrib ")
	for _, p := range []struct {
		page page
		name draw.Safe
	}{{pageQueue, "Queue"}, {pageTools, "Tools"}, {pageAgents, "Agents"}, {pageLog, "Log"}} {
		style := th.Faint
		if p.page == m.root() {
			style = th.Strong
		}
		l = l.Add("", "  ").Add(style, p.name)
	}
	if m.page == pageProposal {
		l = draw.Of(th.Accent, " toolcrib ").Add(th.Faint, "  Queue › ")
		l = append(l, m.proposal.crumb(m)...)
	}
	if m.page == pageSubject {
		list := draw.Safe("Tools")
		if m.subject.entry.Subject.Kind == registry.KindAgent {
			list = "Agents"
		}
		l = draw.Of(th.Accent, " toolcrib ").Add(th.Faint, "  "+list+" › ")
		l = append(l, m.subject.crumb(m)...)
	}
	right := draw.Of(th.Faint, draw.Show(m.cfg.Place)+" ").Add(th.Faint, "· "+draw.Show(m.cfg.Actor.String())+" ")
	if m.cfg.Place == "" {
		right = draw.Of(th.Faint, draw.Show(m.cfg.Actor.String())+" ")
	}
	if n := m.calls.waiting; n > 0 && m.page != pageCalls {
		right = append(draw.Of(th.Warn, draw.Showf("● %s: W  ", count(n, "call waits", "calls wait"))), right...)
	}
	if m.writes > 0 {
		right = append(draw.Of(th.Warn, "⋯ writing  "), right...)
	}
	return draw.Ends(l, right, m.layout.width)
}

// root is the page that the way here began at.
func (m *Model) root() page {
	if len(m.trail) == 0 {
		return m.page
	}
	for i := len(m.trail) - 1; i >= 0; i-- {
		switch m.trail[i] {
		case pageTools, pageAgents, pageLog:
			return m.trail[i]
		case pageQueue, pageProposal, pageSubject, pageHelp, pageKept, pageCalls:
		}
	}
	switch m.page {
	case pageTools, pageAgents, pageLog:
		return m.page
	case pageQueue, pageProposal, pageSubject, pageHelp, pageKept, pageCalls:
	}
	return pageQueue
}

// tooSmall is all that fits where the workbench does not.
func (m *Model) tooSmall() string {
	w, h := m.layout.width, m.layout.height
	lines := []draw.Safe{
		"toolcrib",
		draw.Safe(fmt.Sprintf("needs %d×%d cells,", minWidth, minHeight)),
		draw.Safe(fmt.Sprintf("has %d×%d. q quits.", w, h)),
	}
	var b strings.Builder
	for i := range max(h, 0) {
		if i > 0 {
			b.WriteByte('\n')
		}
		text := draw.Safe("")
		if i < len(lines) {
			text = lines[i]
		}
		draw.Of("", text).Write(&b, w, "")
	}
	return b.String()
}
