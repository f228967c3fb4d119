// This file contains the sections with versions and uses, and the keys of the page.

package subject

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// layUses lists the uses of the definition. A tool is used by agents. For an agent, layUses lists its tools,
// and for an allow-list, agents and entries.
func (s *Page) layUses(page *prose.Page) {
	th := s.Frame.Theme
	switch {
	case !s.usesRead:
		page.Faint("", "…")
		return
	case s.usesErr != nil:
		page.Text("", wording.OneLine(s.usesErr))
		return
	case len(s.uses) == 0:
		page.Faint("", "No agent or allow-list uses this definition.")
		return
	}
	for _, u := range s.uses {
		sign, style := draw.Safe("  ✓ "), th.Good
		if !u.In {
			sign, style = "  – ", th.Faint
		}
		page.Item(draw.Of(style, sign).Add(th.Text, draw.Pad(s.useName(u), s.Frame.Blame+4)+"  "), u.Why)
	}
}

// useName returns the name of the other definition in the use u.
func (s *Page) useName(u impact.Use) draw.Safe {
	switch {
	case u.Tool != "" && s.entry.Subject.Kind != registry.KindTool:
		return draw.Escape(u.Tool)
	case u.List != "" && u.Agent == (registry.Subject{}):
		return draw.Escape("allow-list " + u.List)
	}
	return draw.Escape(u.Agent.String())
}

// Keys implements screen.Page.
func (s *Page) Keys() []screen.Key {
	in := func(sections ...int) func() bool { return func() bool { return slices.Contains(sections, s.Tab) } }
	turn := func(step int) func() tea.Cmd {
		return func() tea.Cmd { return s.show((s.Tab + step + sectionCount) % sectionCount) }
	}
	field := func(step int) func() tea.Cmd {
		return func() tea.Cmd { return s.blame.turn(step) }
	}
	return slices.Concat([]screen.Key{
		{Name: "version-diff", Keys: []string{"enter"}, Label: "open", OnTab: in(sectionVersions, sectionBlame), Help: "Show the changes of the selected version, or its differences from the marked version; in the blame, open the proposal of the line", Terms: "compare, diff, history, versions", Do: s.openRow, Disabled: s.noRow},
		{Name: "version-mark", Keys: []string{"b"}, Label: "compare", OnTab: in(sectionVersions), Help: "Mark the selected version for comparison", Terms: "compare, diff", Do: s.markVersion, Disabled: s.noVersion},
		{Name: "undo", Keys: []string{"U"}, Label: "restore", OnTab: in(sectionVersions), Help: "Propose to restore the selected version", Terms: "restore, rollback, roll back, revert, undo, go back to a version, downgrade", Do: s.askRestore, Disabled: s.cannotRestore},
		{Name: "next-field", Keys: []string{"]"}, Label: "next text", OnTab: in(sectionBlame), Help: "Go to the next text of the blame", Terms: "blame, annotate, who wrote it", Do: field(1)},
		{Name: "previous-field", Keys: []string{"["}, Help: "Go to the previous text of the blame", Do: field(-1)},
		{Name: "next-section", Keys: []string{"tab"}, Label: "next section", Help: "Show the next section: definition, versions, blame, users", Terms: "blame, annotate, history, versions, users", Do: turn(1)},
		{Name: "previous-section", Keys: []string{"shift+tab"}, Help: "Show the previous section", Do: turn(-1)},
	}, screen.EntryKeys(s.shell, s.Selected, s.edit, s.NoEditor), screen.PaneKeys(s.shell, s), screen.TextKeys(s.shell, s))
}

// edit opens the definition in the editor, as soon as the definition has been read.
func (s *Page) edit() tea.Cmd {
	if s.definition == nil {
		s.change = true
		return nil
	}
	d, err := registry.DecodeDefinition(s.entry.Subject.Kind, s.definition)
	if err != nil {
		return s.shell.Fail(err)
	}
	version := s.entry.Version
	if len(s.versions) > 0 {
		version = s.versions[0].Number
	}
	at := s.definitionPager.CurrentText()
	if text, line := s.blame.selected(); s.Tab == sectionBlame && line >= 0 {
		at = s.blame.results[text].lines[line].Text
	}
	return s.shell.EditLive(s.entry.Subject, d, version, at)
}

// openRow opens the target of the selected row. In the list of versions, it shows the changes of the
// version. In the blame, it opens the proposal that introduced the line.
func (s *Page) openRow() tea.Cmd {
	if s.Tab == sectionBlame {
		v, _ := s.blame.line()
		return s.shell.Open(proposals.Proposal{ID: proposals.ID(v.Proposal)}, false)
	}
	return s.compare(screen.Between(s.versions, s.Pager.Stop(), s.marked))
}

// markVersion toggles the mark of the selected version. While a version is marked, the enter key compares it
// with the selected version.
func (s *Page) markVersion() tea.Cmd {
	var cmd tea.Cmd
	s.marked, cmd = screen.MarkVersion(s.shell, s.marked, s.versions[s.Pager.Stop()].Number)
	s.layOut()
	return cmd
}

func (s *Page) noRow() string {
	if s.Tab == sectionBlame {
		switch v, ok := s.blame.line(); {
		case !ok:
			return "no line is selected"
		case v.Proposal == "":
			return "version " + strconv.Itoa(v.Number) + " was shipped with toolcrib, without a proposal"
		}
		return ""
	}
	return s.noVersion()
}

func (s *Page) noVersion() string {
	switch {
	case s.Tab != sectionVersions || s.compared != (screen.Span{}):
		return "only in the list of versions"
	case s.Pager.Stop() < 0:
		return "nothing is listed"
	}
	return ""
}

func (s *Page) cannotRestore() string {
	switch {
	case s.noVersion() != "":
		return s.noVersion()
	case s.entry.Locked:
		return "Locked (core)"
	case s.Pager.Stop() == 0:
		return "the selected version is the live version"
	}
	return ""
}

// askRestore opens a dialog to restore the selected version.
func (s *Page) askRestore() tea.Cmd {
	v := s.versions[s.Pager.Stop()]
	return s.shell.Ask(s.Frame.RestoreDialog(v, s.shell.Write, s.Restore))
}
