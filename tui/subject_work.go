package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/history/diff"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/wording"
)

// What the pages of a subject compute or read when they are looked at.
type (
	comparedMsg struct {
		subject registry.Subject
		span    span
		list    *difflist.List
		err     error
	}
	blamedMsg struct {
		subject registry.Subject
		field   string
		version int // the newest that was followed
		lines   []history.BlameLine
		err     error
	}
	usesMsg struct {
		subject registry.Subject
		uses    []review.Use
		err     error
	}
)

// work returns what the section still needs.
func (s *subjectPage) work(m *Model) tea.Cmd {
	switch s.right() {
	case sectionBlame:
		return s.blame()
	case sectionUses:
		if !s.usesRead {
			desk, subject, layer := m.cfg.Desk, s.entry.Subject, m.cfg.Layer
			return func() tea.Msg {
				uses, err := desk.Uses(m.ctx, subject, layer)
				return usesMsg{subject, uses, err}
			}
		}
	}
	return nil
}

// worked takes in what was computed, if it is for the page that is open.
func (s *subjectPage) worked(m *Model, msg tea.Msg) {
	switch msg := msg.(type) {
	case comparedMsg:
		if msg.subject != s.entry.Subject || msg.span != s.compared {
			return
		}
		if msg.err != nil {
			m.fail(msg.err)
			return
		}
		s.changed = msg.list
		s.pager.Home()
		m.say(remark, "Changes from %s to version %d; tab: next section, esc: back to the list", versionName(msg.span.from), msg.span.to)
	case blamedMsg:
		if msg.subject != s.entry.Subject {
			return
		}
		s.blamed = msg
	case usesMsg:
		if msg.subject != s.entry.Subject {
			return
		}
		s.uses, s.usesErr, s.usesRead = msg.uses, msg.err, true
	}
	s.lay(m)
}

func versionName(n int) string {
	if n == 0 {
		return "nothing"
	}
	return "version " + itoa(n)
}

// showList goes back from a comparison to the list of versions.
func (s *subjectPage) showList(m *Model) {
	s.changed, s.compared = nil, span{}
	s.pager.Home()
	s.lay(m)
	s.pager.SetStop(s.stop)
}

// compare makes the difference of two versions.
func (s *subjectPage) compare(m *Model, want span) tea.Cmd {
	text := func(n int) ([]byte, bool) {
		for _, v := range s.versions {
			if v.Number == n {
				return v.Definition, true
			}
		}
		return nil, n == 0
	}
	before, okBefore := text(want.from)
	after, okAfter := text(want.to)
	if !okBefore || !okAfter {
		m.say(warning, "Version %d is not among the newest %d", min(want.from, want.to), maxVersions)
		return nil
	}
	s.compared, s.marked, s.stop = want, 0, s.pager.Stop()
	kind, subject, desk := s.entry.Subject.Kind, s.entry.Subject, m.cfg.Desk
	return func() tea.Msg {
		var a, b registry.Definition
		var err error
		if before != nil {
			a, err = registry.DecodeDefinition(kind, before)
		}
		if err == nil {
			b, err = registry.DecodeDefinition(kind, after)
		}
		var fields []diff.Field
		if err == nil {
			fields, err = compare(m.ctx, desk, diff.Content{Definition: a}, diff.Content{Definition: b})
		}
		if err != nil {
			return comparedMsg{subject: subject, span: want, err: err}
		}
		return comparedMsg{subject: subject, span: want, list: difflist.New(fields, difflist.DefaultContext)}
	}
}

// between returns the comparison that a selected version stands for: with the
// one that was marked, else with the one before it.
func between(versions []history.Version, selected, marked int) span {
	v := versions[selected].Number
	switch {
	case marked > v:
		return span{v, marked}
	case marked > 0 && marked < v:
		return span{marked, v}
	case selected+1 < len(versions):
		return span{versions[selected+1].Number, v}
	}
	return span{0, v}
}

// blame follows the chosen text through the versions.
func (s *subjectPage) blame() tea.Cmd {
	texts := s.texts()
	if len(texts) == 0 || len(s.versions) == 0 {
		return nil
	}
	field := texts[min(s.field, len(texts)-1)]
	versions, subject := s.versions, s.entry.Subject
	if s.blamed.field == field && s.blamed.version == versions[0].Number {
		return nil
	}
	return func() tea.Msg {
		b := history.NewBlame(field)
		for i := len(versions) - 1; i >= 0; i-- {
			if err := b.Add(versions[i]); err != nil {
				return blamedMsg{subject: subject, field: field, version: versions[0].Number, err: err}
			}
		}
		return blamedMsg{subject: subject, field: field, version: versions[0].Number, lines: b.Lines()}
	}
}

func (s *subjectPage) nextField(m *Model, step int) tea.Cmd {
	n := len(s.texts())
	if n == 0 || s.tab != sectionBlame {
		return nil
	}
	s.field = (s.field + step + n) % n
	s.pager.Home()
	s.lay(m)
	return s.blame()
}

func (s *subjectPage) layBlame(m *Model, page *prose.Page) {
	texts := s.texts()
	if len(texts) == 0 || len(s.versions) == 0 {
		page.Faint("", "No text to show.")
		return
	}
	name := texts[min(s.field, len(texts)-1)]
	page.Line(draw.Of(m.theme.Field, "◆ "+draw.Show(name)).Add(m.theme.Faint, draw.Showf("  text %d of %d, ] shows the next", min(s.field, len(texts)-1)+1, len(texts))))
	page.Blank()
	switch {
	case s.blamed.field != name || s.blamed.version != s.versions[0].Number:
		page.Faint("", "…")
		return
	case s.blamed.err != nil:
		page.Text("", wording.OneLine(s.blamed.err))
		return
	}
	by := map[int]history.Version{}
	for _, v := range s.versions {
		by[v.Number] = v
	}
	last := 0
	for _, l := range s.blamed.lines {
		who := draw.Safe("")
		if v := by[l.Version]; l.Version != last {
			who = draw.Showf("v%d %s", l.Version, v.Author)
			if v.DecidedBy != "" && v.DecidedBy != v.Author {
				who += draw.Showf(", %s", v.DecidedBy)
			}
		}
		last = l.Version
		page.Item(draw.Of(m.theme.Faint, draw.Pad(who, m.layout.Blame)+"│ "), l.Text)
	}
}
