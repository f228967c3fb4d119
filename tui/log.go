package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
)

// logPage is the audit log, the newest entry first.
type logPage struct {
	textPage
	preview preview
	events  []history.Event
	end     bool
	reading bool // older ones
}

func newLogPage(m *Model) *logPage {
	l := &logPage{textPage: newTextPage(m)}
	l.pager.SetWrap(false)
	return l
}

func (l *logPage) place() string { return placeLog }

func (l *logPage) resize(m *Model) {
	l.pager.SetSize(l.width(m), m.layout.body)
	l.lay(m)
}

// from is the width from which entries need no more room than the list has.
func (l *logPage) from() int { return 160 }

func (l *logPage) left(by layout) int {
	if by.width < l.from() {
		return 0
	}
	return beside(by)
}

// width returns how many cells the entries have.
func (l *logPage) width(m *Model) int {
	if left := l.left(m.layout); left > 0 {
		return left
	}
	return m.layout.width
}

func (l *logPage) view(m *Model) []string {
	if left := l.left(m.layout); left > 0 {
		return m.abreast(l.pager.View(), l.side(m), left)
	}
	return l.pager.View()
}

func (l *logPage) reload(m *Model) tea.Cmd { return m.loadEvents(0) }

func (l *logPage) update(m *Model, msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(eventsMsg); ok {
		l.loaded(m, msg)
	}
	return nil
}

func (l *logPage) restyle(m *Model) {
	l.look(m.theme)
	l.lay(m)
}

func (l *logPage) loaded(m *Model, msg eventsMsg) {
	l.reading = false
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

// lay lays the entries out: a narrow screen has no room for their numbers and
// the time of day, and for what they say beyond the act.
func (l *logPage) lay(m *Model) {
	page := prose.New(m.theme)
	for _, e := range l.events {
		page.Stop()
		act := e.Act
		line, actors, acts := draw.Of(m.theme.Faint, draw.Showf("%4s  ", age(m.now().Sub(e.At)))), 18, 14
		switch {
		case l.width(m) >= 100:
			line = draw.Of(m.theme.Faint, draw.Showf("%6d  ", e.Seq)+m.stampOf(e.At)+"  ")
		case l.width(m) >= 80:
			line = draw.Of(m.theme.Faint, draw.Showf("%6d ", e.Seq)).Add(m.theme.Faint, line[0].Text)
		default:
			act, actors, acts = briefAct(act), 14, 8
		}
		name := draw.Cut(draw.Show(act), acts)
		line = line.Add(actorStyle(m, e.Actor), draw.Pad(draw.Show(e.Actor), actors)+" ").
			Add(actStyle(m, e.Act), name).Add("", draw.Safe(draw.Blank(acts+1-draw.Width(name))))
		text := e.Subject
		if l.width(m) >= 100 {
			text += told(e)
		}
		page.Item(line, text)
	}
	l.pager.Replace(page.Rows())
}

// briefAct is an act in eight cells.
func briefAct(act string) string {
	switch proposals.Act(act) { //nolint:exhaustive // the others are short
	case proposals.ActRequestChanges:
		return "changes"
	case proposals.ActApproveCall:
		return "run"
	case proposals.ActRefuseCall:
		return "refuse"
	}
	return act
}

func actorStyle(m *Model, actor string) theme.Style {
	switch proposals.ActorKind(strings.SplitN(actor, ":", 2)[0]) {
	case proposals.Agent:
		return m.theme.Info
	case proposals.User:
		return m.theme.Strong
	case proposals.Chief, proposals.System:
	}
	return m.theme.Faint
}

func actStyle(m *Model, act string) theme.Style {
	switch proposals.Act(act) { //nolint:exhaustive // the others are as the rest
	case proposals.ActApprove, proposals.ActApproveCall:
		return m.theme.Good
	case proposals.ActReject, proposals.ActRefuseCall:
		return m.theme.Bad
	case proposals.ActRequestChanges, proposals.ActWaive:
		return m.theme.Warn
	}
	return m.theme.Title
}

func (l *logPage) tabs(m *Model) (left, right draw.Line) {
	more := "all entries"
	if !l.end {
		more = "newest entries; older ones follow below"
	}
	return draw.Of("", " ").Add(m.theme.Accent, "▎Audit log").Add(m.theme.Faint, draw.Showf("  %d, %s", len(l.events), more)), nil
}

// more reads older entries when the selection comes near the last that were
// read.
func (l *logPage) more(m *Model) tea.Cmd {
	n := len(l.events)
	if l.end || l.reading || n == 0 || l.pager.Stop() < n-m.layout.body {
		return nil
	}
	l.reading = true
	return m.loadEvents(l.events[n-1].Seq)
}

// openEvent opens the proposal that the selected entry is about.
func (l *logPage) openEvent(m *Model) tea.Cmd {
	return m.openProposal(proposals.Proposal{ID: proposals.ID(l.events[l.pager.Stop()].Proposal)})
}

func (l *logPage) noEvent(m *Model) string {
	switch n := l.pager.Stop(); {
	case n < 0 || n >= len(l.events):
		return "nothing is listed"
	case l.events[n].Proposal == "":
		return "it has no proposal"
	}
	return ""
}
