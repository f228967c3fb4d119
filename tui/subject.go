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
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
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
	textPage                // of the sections but the definition
	panes                   // of the sections
	about      *pager.Pager // of the definition
	entry      Entry
	definition json.RawMessage
	versions   []history.Version
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
	s := &subjectPage{textPage: newTextPage(m), about: pager.New(m.theme), entry: e, wanted: compare}
	s.about.SetWrap(true)
	if compare != (span{}) {
		s.turn(sectionVersions)
	}
	s.size(m)
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
	s.about.Restyle(m.theme)
	s.lay(m)
}

func subjectTab(step int) func(*Model) tea.Cmd {
	return on(func(s *subjectPage, m *Model) tea.Cmd {
		return s.show(m, (s.tab+step+sectionCount)%sectionCount)
	})
}

// show gives a section the keys.
func (s *subjectPage) show(m *Model, section int) tea.Cmd {
	if section > 0 && section != s.right() {
		s.changed, s.compared = nil, span{}
		s.pager.Home()
	}
	s.turn(section)
	s.lay(m)
	return s.work(m)
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
	if s.changed != nil {
		right = draw.Of(m.theme.Faint, draw.Showf("  %s → version %d ", versionName(s.compared.from), s.compared.to))
	}
	return s.strip(m, []string{"Definition", "Versions", "Blame", uses}, right), right
}

func (s *subjectPage) place() string { return placeSubject }

func (s *subjectPage) selected() (Entry, bool) { return s.entry, true }

func (s *subjectPage) resize(m *Model) {
	s.size(m)
	s.lay(m)
}

func (s *subjectPage) size(m *Model) {
	s.about.SetSize(s.width(m.layout, sectionDefinition), m.layout.Body)
	s.pager.SetSize(m.layout.Right, m.layout.Body)
}

func (s *subjectPage) shown() *pager.Pager { return s.pane(s.tab) }

func (s *subjectPage) pane(section int) *pager.Pager {
	if section == sectionDefinition {
		return s.about
	}
	return s.pager
}

func (s *subjectPage) view(m *Model) []string {
	if m.layout.Left == 0 {
		return s.shown().View()
	}
	return m.frame().Abreast(s.about.View(), s.pager.View(), m.layout.Left)
}

func (s *subjectPage) scroll(m *Model, x, n int) tea.Cmd {
	s.pane(s.at(m.layout, x)).Scroll(n)
	return nil
}

func (s *subjectPage) across(m *Model, right bool) tea.Cmd { return s.show(m, s.on(right)) }

// click gives the keys to the pane.
func (s *subjectPage) click(m *Model, x, _ int) tea.Cmd { return s.show(m, s.at(m.layout, x)) }

func (s *subjectPage) leave(m *Model) (tea.Cmd, bool) {
	switch {
	case screen.LeaveText(s.shown()):
	case s.compared != (span{}) && s.tab == sectionVersions:
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

// lay lays the definition out, and the section beside or instead of it.
func (s *subjectPage) lay(m *Model) {
	page := prose.New(m.theme)
	page.Blank()
	doc, keys := document(s.entry.Subject.Kind, s.definition)
	layDefinition(m, page, doc, keys)
	s.about.Replace(page.Rows())
	style := m.theme.Accent
	if s.tab == sectionDefinition {
		style = m.theme.Faint
	}
	s.pager.Point(style)
	if s.changed != nil {
		s.pager.Replace(s.changed.Rows(m.theme, m.layout.Right >= splitFrom))
		return
	}
	page = prose.New(m.theme)
	page.Blank()
	switch s.right() {
	case sectionVersions:
		m.versionRows(page, m.layout.Right, s.versions, s.marked)
	case sectionBlame:
		s.layBlame(m, page)
	case sectionUses:
		s.layUses(m, page)
	}
	s.pager.Replace(page.Rows())
}

func layDefinition(m *Model, page *prose.Page, doc *jsondoc.Node, keys []string) {
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

// document returns a definition with the keys it can have.
func document(kind registry.Kind, definition []byte) (*jsondoc.Node, []string) {
	empty := &jsondoc.Node{Kind: jsondoc.Object}
	if definition == nil {
		return empty, nil
	}
	doc, err := jsondoc.Parse(definition, jsondoc.DefaultLimits)
	if err != nil {
		return empty, nil
	}
	d, err := registry.DecodeDefinition(kind, definition)
	if err != nil {
		return empty, nil
	}
	return doc, d.Keys()
}

// texts are the fields that can be blamed line by line.
func (s *subjectPage) texts() []string {
	doc, keys := document(s.entry.Subject.Kind, s.definition)
	var out []string
	for _, key := range keys {
		if v := doc.Get(key); v != nil && v.Kind == jsondoc.String && len(v.Text) > 20 {
			out = append(out, key)
		}
	}
	return out
}
