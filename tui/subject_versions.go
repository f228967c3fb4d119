package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// layUses lists who has a tool, which tools an agent has, or who refers to an
// allow-list and what is in it.
func (s *subjectPage) layUses(m *Model, page *prose.Page) {
	switch {
	case !s.usesRead:
		page.Faint("", "…")
		return
	case s.usesErr != nil:
		page.Text("", wording.OneLine(s.usesErr))
		return
	case len(s.uses) == 0:
		page.Faint("", "No agent or allow-list uses it.")
		return
	}
	for _, u := range s.uses {
		sign, style := draw.Safe("  ✓ "), m.theme.Good
		if !u.In {
			sign, style = "  – ", m.theme.Faint
		}
		page.Item(draw.Of(style, sign).Add(m.theme.Text, draw.Pad(s.user(u), m.layout.Blame+8)+"  "), u.Why)
	}
}

// user names the other end of a tie.
func (s *subjectPage) user(u review.Use) draw.Safe {
	switch {
	case u.Tool != "" && s.entry.Subject.Kind != registry.KindTool:
		return draw.Show(u.Tool)
	case u.List != "" && u.Agent == (registry.Subject{}):
		return draw.Show("allow-list " + u.List)
	}
	return draw.Show(u.Agent.String())
}

func (s *subjectPage) showVersion(m *Model) tea.Cmd {
	return s.compare(m, between(s.versions, s.pager.Stop(), s.marked))
}

// markVersion has the next comparison begin with the selected version.
func (s *subjectPage) markVersion(m *Model) tea.Cmd {
	s.marked = toggled(s.marked, s.versions[s.pager.Stop()].Number)
	s.lay(m)
	m.sayMarked(s.marked)
	return nil
}

func (m *Model) sayMarked(n int) {
	if n == 0 {
		m.say(remark, "Mark removed")
		return
	}
	m.say(remark, "Version %d marked; enter on another version compares them", n)
}

// toggled returns n, or 0 when it was n already.
func toggled(before, n int) int {
	if before == n {
		return 0
	}
	return n
}

func (s *subjectPage) noVersion(m *Model) string {
	switch {
	case s.tab != sectionVersions || s.compared != (span{}):
		return "only in the list of versions"
	case s.pager.Stop() < 0:
		return "nothing is listed"
	}
	return ""
}

func (s *subjectPage) cannotRestore(m *Model) string {
	switch {
	case s.noVersion(m) != "":
		return s.noVersion(m)
	case s.entry.Locked:
		return "Locked (core)"
	case s.pager.Stop() == 0:
		return "it is the live version"
	}
	return ""
}

// askRestore asks why an earlier version should be live again.
func (s *subjectPage) askRestore(m *Model) tea.Cmd {
	v := s.versions[s.pager.Stop()]
	subject := s.entry.Subject
	draft := fmt.Sprintf("restore-%s-%d", subject.ID, v.Number)
	return m.ask(screen.Dialog{
		Form: proposals.Form{Title: "Restore a version", Verb: "propose it", Reason: true}, Writing: true,
		Draft: draft,
		Content: func(page *prose.Page) {
			page.Field("restore", subject.String())
			page.Field("", "version "+itoa(v.Number)+", content "+wording.Short(v.ContentHash))
			page.Blank()
			page.Text("", "This drafts a proposal to restore version "+itoa(v.Number)+", with your reason as its rationale. It goes live when you approve it.")
		},
		Run: m.answered(func(m *Model, reason string) tea.Cmd {
			return m.write(screen.Drafted(draft, func(ctx context.Context) (proposals.Proposal, string, error) {
				return m.cfg.Restore(ctx, subject, v.Number, reason)
			}))
		}),
	})
}
