package subject

import (
	"encoding/json"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/history/diff"
	"toolcrib/registry"
	"toolcrib/tui/difflist"
	"toolcrib/tui/screen"
)

// then has the page do something with what was read.
func (s *Page) then(do func() tea.Cmd) tea.Msg { return screen.Then{Page: s, Do: do} }

// Reload implements screen.Page.
func (s *Page) Reload() tea.Cmd {
	s.usesRead = false
	subject := s.entry.Subject
	return tea.Batch(func() tea.Msg {
		text, err := s.Registry.Definition(s.ctx, subject)
		return s.then(func() tea.Cmd { return s.defined(text, err) })
	}, func() tea.Msg {
		versions, err := s.Registry.Versions(s.ctx, subject, 0, screen.MaxVersions)
		return s.then(func() tea.Cmd { return s.listed(versions, err) })
	})
}

// Update implements screen.Page: what the page reads comes as Then.
func (s *Page) Update(tea.Msg) tea.Cmd { return nil }

func (s *Page) defined(text json.RawMessage, err error) tea.Cmd {
	if err != nil {
		return s.shell.Fail(err)
	}
	s.definition = text
	s.lay()
	if !s.change {
		return nil
	}
	s.change = false
	return s.edit()
}

func (s *Page) listed(versions []history.Version, err error) tea.Cmd {
	if err != nil {
		return s.shell.Fail(err)
	}
	s.versions = versions
	s.lay()
	if want := s.wanted; want != (screen.Span{}) {
		s.wanted = screen.Span{}
		return s.compare(want)
	}
	return s.work()
}

// shown shows what changed, unless something else is wanted meanwhile.
func (s *Page) shown(span screen.Span, list *difflist.List, err error) tea.Cmd {
	switch {
	case span != s.compared:
		return nil
	case err != nil:
		return s.shell.Fail(err)
	}
	s.changed = list
	s.Pager.Home()
	s.lay()
	return s.shell.Say(screen.Remark, "Changes from %s to version %d; tab: next section, esc: back to the list", versionName(span.From), span.To)
}

// work returns what the section still needs.
func (s *Page) work() tea.Cmd {
	switch s.RightTab() {
	case sectionBlame:
		return s.blaming.load()
	case sectionUses:
		if !s.usesRead {
			subject := s.entry.Subject
			return func() tea.Msg {
				uses, err := s.Desk.Uses(s.ctx, subject, s.Layer)
				return s.then(func() tea.Cmd {
					s.uses, s.usesErr, s.usesRead = uses, err, true
					s.lay()
					return nil
				})
			}
		}
	}
	return nil
}

func versionName(n int) string {
	if n == 0 {
		return "nothing"
	}
	return "version " + strconv.Itoa(n)
}

// showList goes back from a comparison to the list of versions.
func (s *Page) showList() {
	s.changed, s.compared = nil, screen.Span{}
	s.Pager.Home()
	s.lay()
	s.Pager.SetStop(s.stop)
}

// compare makes the difference of two versions.
func (s *Page) compare(want screen.Span) tea.Cmd {
	text := func(n int) ([]byte, bool) {
		for _, v := range s.versions {
			if v.Number == n {
				return v.Definition, true
			}
		}
		return nil, n == 0
	}
	before, okBefore := text(want.From)
	after, okAfter := text(want.To)
	if !okBefore || !okAfter {
		return s.shell.Say(screen.Warning, "Version %d is not among the newest %d", min(want.From, want.To), screen.MaxVersions)
	}
	s.compared, s.marked, s.stop = want, 0, s.Pager.Stop()
	kind := s.entry.Subject.Kind
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
			fields, err = difflist.Compare(s.ctx, s.Desk, diff.Content{Definition: a}, diff.Content{Definition: b})
		}
		list := difflist.New(fields, difflist.DefaultContext).ListFiles(diff.Files(a, b))
		return s.then(func() tea.Cmd { return s.shown(want, list, err) })
	}
}
