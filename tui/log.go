package tui

import (
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// logPage is the audit log, the newest entry first.
type logPage struct {
	events []history.Event
	end    bool
	pager  *pager.Pager
}

func newLogPage() *logPage {
	l := &logPage{pager: pager.New(theme.Theme{})}
	return l
}

func (l *logPage) restyle(m *Model) {
	l.pager.Restyle(m.theme)
	l.pager.Point(m.theme.Accent)
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

// lay lays the entries out: a narrow screen has no room for their numbers and
// the time of day, and for what they say beyond the act.
func (l *logPage) lay(m *Model) {
	page := prose.New(m.theme)
	for _, e := range l.events {
		page.Stop()
		act := e.Act
		line, actors, acts := draw.Of(m.theme.Faint, draw.Showf("%4s  ", age(m.now().Sub(e.At)))), 18, 14
		switch {
		case m.layout.width >= 100:
			line = draw.Of(m.theme.Faint, draw.Showf("%6d  ", e.Seq)+m.stampOf(e.At)+"  ")
		case m.layout.width >= 80:
			line = draw.Of(m.theme.Faint, draw.Showf("%6d ", e.Seq)).Add(m.theme.Faint, line[0].Text)
		default:
			act, actors, acts = briefAct(act), 14, 8
		}
		line = line.Add(actorStyle(m, e.Actor), draw.Pad(draw.Show(e.Actor), actors)+" ").
			Add(actStyle(m, e.Act), draw.Pad(draw.Show(act), acts)+" ")
		text := e.Subject
		if m.layout.width >= 100 {
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

// told is what an entry says beyond its act, in a few words.
func told(e history.Event) string {
	var data struct {
		Version        int    `json:"version"`
		Recommendation string `json:"recommendation"`
		Findings       int    `json:"findings"`
		Note           string `json:"note"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return "" // it has another form, and says nothing here
	}
	var words []string
	if data.Version > 0 {
		words = append(words, "version "+itoa(data.Version))
	}
	if data.Recommendation != "" {
		words = append(words, strings.ReplaceAll(data.Recommendation, "_", " "), wording.Count(data.Findings, "finding", "findings"))
	}
	if data.Note != "" {
		words = append(words, data.Note)
	}
	if len(words) == 0 {
		return ""
	}
	return "   " + strings.Join(words, ", ")
}

func (l *logPage) tabs(m *Model) draw.Line {
	more := "all entries"
	if !l.end {
		more = "newest entries; o loads older ones"
	}
	return draw.Of("", " ").Add(m.theme.Accent, "▎Audit log").Add(m.theme.Faint, draw.Showf("  %d, %s", len(l.events), more))
}

func (m *Model) olderEvents() tea.Cmd {
	return m.loadEvents(m.log.events[len(m.log.events)-1].Seq)
}

func (m *Model) noOlder() string {
	if m.log.end || len(m.log.events) == 0 {
		return "no older entries"
	}
	return ""
}

// openEvent opens the proposal that the selected entry is about.
func (m *Model) openEvent() tea.Cmd {
	return m.openProposal(proposals.Proposal{ID: proposals.ID(m.log.events[m.log.pager.Stop()].Proposal)})
}

func (m *Model) noEvent() string {
	switch n := m.log.pager.Stop(); {
	case n < 0 || n >= len(m.log.events):
		return "select one with J first"
	case m.log.events[n].Proposal == "":
		return "it has no proposal"
	}
	return ""
}
