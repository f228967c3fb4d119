package tui

import (
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/history/diff"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
)

// The sections of a subject.
const (
	sectionDefinition = iota
	sectionVersions
	sectionBlame
	sectionCount
)

// subjectPage shows a tool or an agent: what it is, what it was, and which
// version brought in each line.
type subjectPage struct {
	entry      Entry
	definition json.RawMessage
	versions   []history.Version
	section    int
	field      int // index among the texts that can be blamed
	pager      *pager.Pager
	version    int  // to show the change of when versions are there, 0 for none
	change     bool // open the editor when the definition is there
	changed    *difflist.List
}

func (m *Model) openSubject(e Entry, version int) tea.Cmd {
	s := &subjectPage{entry: e, pager: pager.New(m.theme.Match, m.theme.Rule), version: version}
	s.pager.SetWrap(true)
	s.pager.SetSize(m.layout.width, m.layout.body)
	s.pager.Point(m.theme.Accent)
	m.subject = s
	if version > 0 {
		s.section = sectionVersions
	}
	cmd := m.open(pageSubject)
	return tea.Batch(cmd, m.loadDefinition(e.Subject), m.loadVersions(e.Subject))
}

func (m *Model) definitionLoaded(msg definitionMsg) {
	s := m.subject
	if s == nil || s.entry.Subject != msg.subject {
		return
	}
	if msg.err != nil {
		m.fail(msg.err)
		return
	}
	s.definition = msg.text
	s.lay(m)
}

func (s *subjectPage) versionsLoaded(m *Model, msg versionsMsg) {
	if msg.err != nil {
		m.fail(msg.err)
		return
	}
	s.versions = msg.versions
	if s.version > 0 {
		for i, v := range s.versions {
			if v.Number == s.version {
				s.open(m, i)
			}
		}
		s.version = 0
		return
	}
	s.lay(m)
}

func (s *subjectPage) restyle(m *Model) {
	s.pager.Restyle(m.theme.Match, m.theme.Rule)
	s.pager.Point(m.theme.Accent)
	s.lay(m)
}

func subjectTab(step int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		s := m.subject
		s.section = (s.section + step + sectionCount) % sectionCount
		s.changed = nil
		s.pager.Home()
		s.lay(m)
		return nil
	}
}

func (s *subjectPage) tabs(m *Model) draw.Line {
	l := m.tabLine([]string{"Definition", "Versions", "Blame"}, s.section, m.layout.width)
	right := draw.Of(m.theme.Strong, draw.Show(s.entry.Subject.String())+" ")
	if s.entry.Locked {
		right = right.Add(m.theme.Warn, "▪ Locked (core) ")
	}
	return draw.Ends(l, right, m.layout.width)
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
		m.versionRows(page, s.versions)
	case sectionBlame:
		s.layBlame(m, page)
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
			page.Blank()
			page.Heading(key)
			page.Text("  ", v.Text)
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

func (s *subjectPage) nextField(m *Model, step int) tea.Cmd {
	if n := len(s.texts()); n > 0 && s.section == sectionBlame {
		s.field = (s.field + step + n) % n
		s.pager.Home()
		s.lay(m)
	}
	return nil
}

func (s *subjectPage) layBlame(m *Model, page *prose.Page) {
	texts := s.texts()
	if len(texts) == 0 || len(s.versions) == 0 {
		page.Faint("", "There is no text to blame.")
		return
	}
	name := texts[min(s.field, len(texts)-1)]
	page.Line(draw.Of(m.theme.Field, "◆ "+draw.Show(name)).Add(m.theme.Faint, draw.Showf("  text %d of %d, ] goes on", s.field+1, len(texts))))
	page.Blank()
	blame := history.NewBlame(name)
	by := map[int]string{}
	for i := len(s.versions) - 1; i >= 0; i-- {
		by[s.versions[i].Number] = s.versions[i].Author
		if err := blame.Add(s.versions[i]); err != nil {
			page.Text("", err.Error())
			return
		}
	}
	last := 0
	for _, l := range blame.Lines() {
		who := draw.Safe("")
		if l.Version != last {
			who = draw.Showf("v%d %s", l.Version, by[l.Version])
		}
		last = l.Version
		page.Item(draw.Of(m.theme.Faint, draw.Pad(who, 22)+"│ "), l.Text)
	}
}

// open shows what version i of the list changed.
func (s *subjectPage) open(m *Model, i int) {
	after, err := registry.DecodeDefinition(s.entry.Subject.Kind, s.versions[i].Definition)
	if err != nil {
		m.fail(err)
		return
	}
	var before registry.Definition
	if i+1 < len(s.versions) {
		if before, err = registry.DecodeDefinition(s.entry.Subject.Kind, s.versions[i+1].Definition); err != nil {
			m.fail(err)
			return
		}
	}
	s.changed = difflist.New(diff.Definitions(before, after), difflist.DefaultContext)
	s.pager.Home()
	s.lay(m)
	m.say(remark, "What version %d changed; tab goes back to the list", s.versions[i].Number)
}

func (m *Model) showVersion() tea.Cmd {
	m.subject.open(m, m.subject.pager.Stop())
	return nil
}

func (m *Model) noVersion() string {
	s := m.subject
	switch {
	case s.section != sectionVersions || s.changed != nil:
		return "it is for the list of versions"
	case s.pager.Stop() < 0:
		return "J selects a version first"
	}
	return ""
}
