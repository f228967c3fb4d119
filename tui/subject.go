package tui

import (
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
)

// The sections of a subject.
const (
	sectionDefinition = iota
	sectionVersions
	sectionBlame
	sectionUses
	sectionCount
)

// subjectPage shows a tool, an agent or an allow-list: what it is, what it was, which version
// brought in each line, and who uses it.
type subjectPage struct {
	textPage
	entry      Entry
	definition json.RawMessage
	versions   []history.Version
	section    int
	field      int            // index among the texts that can be blamed
	wanted     span           // to compare when the versions are there
	marked     int            // version that the next comparison begins with, 0 for the one before
	stop       int            // in the list of versions, to come back to
	compared   span           // what changed is, zero while it is made
	changed    *difflist.List // nil for the list of versions
	blamed     blamedMsg
	uses       []review.Use
	usesErr    error
	usesRead   bool
	change     bool // open the editor when the definition is there
}

// span is two versions that are compared; from 0 stands for nothing.
type span struct{ from, to int }

// openSubject shows a tool, an agent or an allow-list, what changed between two versions when
// some are given.
func (m *Model) openSubject(e Entry, compare span) tea.Cmd {
	return m.visit(m.newSubjectPage(e, compare))
}

func (m *Model) newSubjectPage(e Entry, compare span) *subjectPage {
	s := &subjectPage{textPage: newTextPage(m), entry: e, wanted: compare}
	if compare != (span{}) {
		s.section = sectionVersions
	}
	return s
}

func (s *subjectPage) definitionLoaded(m *Model, msg definitionMsg) {
	if s.entry.Subject != msg.subject {
		return
	}
	if msg.err != nil {
		m.fail(msg.err)
		return
	}
	s.definition = msg.text
	s.lay(m)
}

func (s *subjectPage) versionsLoaded(m *Model, msg versionsMsg) tea.Cmd {
	if msg.err != nil {
		m.fail(msg.err)
		return nil
	}
	s.versions = msg.versions
	s.lay(m)
	if s.wanted != (span{}) {
		want := s.wanted
		s.wanted = span{}
		return s.compare(m, want)
	}
	return s.work(m)
}

func (s *subjectPage) restyle(m *Model) {
	s.look(m.theme)
	s.lay(m)
}

func subjectTab(step int) func(*Model) tea.Cmd {
	return on(func(s *subjectPage, m *Model) tea.Cmd {
		s.section = (s.section + step + sectionCount) % sectionCount
		s.changed, s.compared = nil, span{}
		s.pager.Home()
		s.lay(m)
		return s.work(m)
	})
}

func (s *subjectPage) tabs(m *Model) (left, right draw.Line) {
	uses := "Used by"
	switch s.entry.Subject.Kind {
	case registry.KindAgent:
		uses = "Tools"
	case registry.KindList:
		uses = "Agents and tools"
	case registry.KindTool:
	}
	l := m.tabLine([]string{"Definition", "Versions", "Blame", uses}, s.section, m.layout.width)
	if s.changed != nil {
		l = l.Add(m.theme.Faint, draw.Showf("  %s → version %d", versionName(s.compared.from), s.compared.to))
	}
	return l, nil
}

func (s *subjectPage) place() string { return placeSubject }

func (s *subjectPage) selected() (Entry, bool) { return s.entry, true }

func (s *subjectPage) resize(m *Model) {
	s.textPage.resize(m)
	s.lay(m)
}

func (s *subjectPage) leave(m *Model) (tea.Cmd, bool) {
	switch {
	case leaveText(s.pager):
	case s.compared != (span{}) && s.section == sectionVersions:
		s.showList(m)
	default:
		return nil, false
	}
	return nil, true
}

func (s *subjectPage) reload(m *Model) tea.Cmd {
	s.usesRead = false
	return tea.Batch(m.loadDefinition(s.entry.Subject), m.loadVersions(s.entry.Subject))
}

func (s *subjectPage) update(m *Model, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case definitionMsg:
		s.definitionLoaded(m, msg)
	case versionsMsg:
		if msg.subject == s.entry.Subject {
			return s.versionsLoaded(m, msg)
		}
	case comparedMsg, blamedMsg, usesMsg:
		s.worked(m, msg)
	}
	return nil
}

// listed names the list that the subject is in.
func (s *subjectPage) listed() draw.Safe {
	switch s.entry.Subject.Kind {
	case registry.KindAgent:
		return "Agents"
	case registry.KindList:
		return "Lists"
	case registry.KindTool:
	}
	return "Tools"
}

// crumb names the subject in the first line of the screen, in room cells.
func (s *subjectPage) crumb(m *Model, room int) draw.Line {
	var lock draw.Line
	if s.entry.Locked {
		lock = draw.Of(m.theme.Warn, " ▪ Locked (core)")
	}
	l := draw.Of(m.theme.Strong, draw.Cut(draw.Show(s.entry.Subject.String()), max(8, room-lock.Width())))
	return append(l, lock...)
}

// lay lays the section out.
func (s *subjectPage) lay(m *Model) {
	if s.changed != nil {
		s.pager.Replace(s.changed.Rows(m.theme, m.layout.width >= 160))
		return
	}
	page := prose.New(m.theme)
	page.Blank()
	switch s.section {
	case sectionDefinition:
		s.layDefinition(m, page)
	case sectionVersions:
		m.versionRows(page, s.versions, s.marked)
	case sectionBlame:
		s.layBlame(m, page)
	case sectionUses:
		s.layUses(m, page)
	}
	s.pager.Replace(page.Rows())
}

func (s *subjectPage) layDefinition(m *Model, page *prose.Page) {
	doc, keys := s.document()
	for _, key := range keys {
		v := doc.Get(key)
		switch {
		case v == nil:
		case v.Kind == jsondoc.String && (strings.Contains(v.Text, "\n") || len(v.Text) > 60):
			page.Gap()
			page.Heading(key)
			page.Text("  ", strings.TrimSuffix(v.Text, "\n"))
			page.Blank()
		case v.Kind == jsondoc.String:
			page.Item(draw.Of(m.theme.Faint, draw.Pad(draw.Show(key), 20)), v.Text)
		default:
			page.Item(draw.Of(m.theme.Faint, draw.Pad(draw.Show(key), 20)), string(jsondoc.Canonical(v)))
		}
	}
}

// document returns the definition with the keys it can have.
func (s *subjectPage) document() (*jsondoc.Node, []string) {
	empty := &jsondoc.Node{Kind: jsondoc.Object}
	if s.definition == nil {
		return empty, nil
	}
	doc, err := jsondoc.Parse(s.definition, jsondoc.DefaultLimits)
	if err != nil {
		return empty, nil
	}
	d, err := registry.DecodeDefinition(s.entry.Subject.Kind, s.definition)
	if err != nil {
		return empty, nil
	}
	return doc, d.Keys()
}

// texts are the fields that can be blamed line by line.
func (s *subjectPage) texts() []string {
	doc, keys := s.document()
	var out []string
	for _, key := range keys {
		if v := doc.Get(key); v != nil && v.Kind == jsondoc.String && len(v.Text) > 20 {
			out = append(out, key)
		}
	}
	return out
}
