// Reads of the page, and their results.

package subject

import (
	"encoding/json"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/tui/difflist"
	"toolcrib/tui/screen"
)

// Reload implements screen.Page.
func (s *Page) Reload() tea.Cmd {
	s.usesRead = false
	subject, extents := s.entry.Subject, []string(nil)
	return tea.Batch(screen.Reading(s.shell, s, func() (json.RawMessage, error) { return s.Registry.Definition(s.ctx, subject) }, func(text json.RawMessage) tea.Cmd {
		s.definition = text
		s.lay()
		if !s.change {
			return nil
		}
		s.change = false
		return s.edit()
	}), screen.Reading(s.shell, s, func() ([]history.Version, error) {
		versions, err := s.Registry.Versions(s.ctx, subject, 0, screen.MaxVersions)
		extents = screen.Extents(versions)
		return versions, err
	}, func(versions []history.Version) tea.Cmd {
		s.versions, s.extents = versions, extents
		s.lay()
		if want := s.wanted; want != (screen.Span{}) {
			s.wanted = screen.Span{}
			return s.compare(want)
		}
		return s.work()
	}))
}

// shown shows a diff, unless another one has been requested since.
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

// work returns the command that loads what the current section lacks.
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
