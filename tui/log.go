package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
)

// logPage is the audit log, the newest entry first.
type logPage struct {
	events []history.Event
	end    bool
	pager  *pager.Pager
}

func newLogPage() *logPage {
	l := &logPage{pager: pager.New("", "")}
	return l
}

func (l *logPage) restyle(m *Model) {
	l.pager.Restyle(m.theme.Match, m.theme.Rule)
	l.lay(m)
}

func (l *logPage) loaded(m *Model, msg eventsMsg) {
	if msg.err != nil {
		m.fail(msg.err)
		return
	}
	switch n := len(l.events); {
	case msg.before == 0:
		l.events = msg.events
	case n > 0 && l.events[n-1].Seq == msg.before:
		l.events = append(l.events, msg.events...)
	default:
		return
	}
	l.end = len(msg.events) < eventPage
	l.lay(m)
}

func (l *logPage) lay(m *Model) {
	page := prose.New(m.theme)
	for _, e := range l.events {
		line := draw.Of(m.theme.Faint, draw.Pad(draw.Showf("%6d", e.Seq), 7)+m.stampOf(e.At)+"  ").
			Add(m.theme.Text, draw.Pad(draw.Show(e.Actor), 18)+" ").
			Add(m.theme.Title, draw.Pad(draw.Show(e.Act), 14)+" ")
		page.Item(line.Add(m.theme.Text, draw.Show(e.Subject)), "")
	}
	l.pager.Replace(page.Rows())
}

func (l *logPage) tabs(m *Model) draw.Line {
	more := "all entries"
	if !l.end {
		more = "the newest entries; o reads on"
	}
	return draw.Of("", " ").Add(m.theme.Accent, "▎Audit log").Add(m.theme.Faint, draw.Showf("  %d, %s", len(l.events), more))
}

func (m *Model) olderEvents() tea.Cmd {
	return m.loadEvents(m.log.events[len(m.log.events)-1].Seq)
}

func (m *Model) noOlder() string {
	if m.log.end || len(m.log.events) == 0 {
		return "there are no older entries"
	}
	return ""
}
