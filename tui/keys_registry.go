package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/screen"
)

func registryKeys() []key {
	return slices.Concat([]key{
		{name: "entry-open", keys: []string{"enter", "right", "l"}, label: "open", help: "Open the selected row; on a group: fold or unfold it", do: (*Model).openEntry, off: (*Model).noEntry},
		{name: "fold", keys: []string{"F"}, label: "fold", late: always, help: "Fold the group of the selected row, or unfold it", do: on((*registryPage).fold), off: ask((*registryPage).cannotFold)},
		{name: "fold-all", keys: []string{"E"}, help: "Unfold all groups; again: fold them", do: on((*registryPage).foldAll), off: ask((*registryPage).cannotFold)},
		{name: "filter", keys: []string{"/"}, label: "filter", help: "Filter by id or name", do: (*Model).askFilter},
		{name: "fork", keys: []string{"f"}, label: "fork", help: "Draft a tool of your own from a core tool", do: (*Model).forkEntry, off: (*Model).cannotFork},
		{name: "change", keys: []string{"e"}, label: "change", help: "Propose a change to it in the editor", do: (*Model).changeEntry, off: (*Model).cannotChange},
		{name: "new", keys: []string{"ctrl+n"}, label: "new", late: always, help: "Draft a new proposal in the editor", do: (*Model).draftNew, off: (*Model).noEditor},
		{name: "export", keys: []string{"ctrl+e"}, label: "export", late: always, help: "Export the live registry to a file; esc cancels", do: (*Model).askExport, off: (*Model).cannotExport},
	}, paneKeys(), previewKeys(), listKeys())
}

// inSection reports whether a subject shows one of some sections.
func inSection(sections ...int) func(*Model) bool {
	return ask(func(s *subjectPage, _ *Model) bool { return slices.Contains(sections, s.tab) })
}

func subjectKeys() []key {
	keys := []key{
		{name: "version-diff", keys: []string{"enter"}, label: "changes", here: inSection(sectionVersions), help: "Show the changes of the selected version, or since the marked one", do: on((*subjectPage).showVersion), off: ask((*subjectPage).noVersion)},
		{name: "version-mark", keys: []string{"b"}, label: "compare", here: inSection(sectionVersions), help: "Mark the selected version for comparison", do: on((*subjectPage).markVersion), off: ask((*subjectPage).noVersion)},
		{name: "undo", keys: []string{"U"}, label: "restore", here: inSection(sectionVersions), help: "Propose to restore the selected version", do: on((*subjectPage).askRestore), off: ask((*subjectPage).cannotRestore)},
		{name: "next-field", keys: []string{"]"}, label: "next text", here: inSection(sectionBlame), help: "Show blame for the next text", do: on(func(s *subjectPage, m *Model) tea.Cmd { return s.nextField(m, 1) })},
		{name: "previous-field", keys: []string{"["}, help: "Show blame for the previous text", do: on(func(s *subjectPage, m *Model) tea.Cmd { return s.nextField(m, -1) })},
		{name: "next-section", keys: []string{"tab"}, label: "switch", help: "Show the next section: definition, versions, blame, users", do: subjectTab(1)},
		{name: "previous-section", keys: []string{"shift+tab"}, help: "Show the previous section", do: subjectTab(-1)},
		{name: "fork", keys: []string{"f"}, label: "fork", help: "Draft a tool of your own from a core tool", do: (*Model).forkEntry, off: (*Model).cannotFork},
		{name: "change", keys: []string{"e"}, label: "change", help: "Propose a change to it in the editor", do: (*Model).changeEntry, off: (*Model).cannotChange},
	}
	return slices.Concat(keys, paneKeys(), textKeys())
}

// entry returns the tool or agent the keys act on.
func (m *Model) entry() (Entry, bool) {
	if p, ok := m.page.(ofEntry); ok {
		return p.selected()
	}
	return Entry{}, false
}

func (m *Model) noEntry() string {
	if r, list := m.page.(*registryPage); list && r.outline.len() > 0 {
		return "" // a group folds
	}
	if _, ok := m.entry(); !ok {
		return "nothing is selected"
	}
	return ""
}

func (m *Model) openEntry() tea.Cmd {
	e, ok := m.entry()
	if r, list := m.page.(*registryPage); list && !ok {
		return r.fold(m)
	}
	return m.openSubject(e, span{})
}

func (m *Model) cannotFork() string {
	e, ok := m.entry()
	switch {
	case !ok:
		return "no tool is selected"
	case !e.Locked:
		return "not a core tool; e proposes a change"
	}
	return ""
}

func (m *Model) forkEntry() tea.Cmd {
	e, _ := m.entry()
	return m.write(screen.Drafted("", func(ctx context.Context) (proposals.Proposal, string, error) { return m.cfg.Fork(ctx, e.Subject.ID) }))
}

func (m *Model) cannotChange() string {
	e, ok := m.entry()
	switch {
	case !ok:
		return "no row with a definition is selected"
	case e.Locked:
		return "Locked (core); f drafts your own tool from it"
	}
	return m.noEditor()
}

// changeEntry opens the definition in the editor once it is read.
func (m *Model) changeEntry() tea.Cmd {
	e, _ := m.entry()
	if s, ok := m.page.(*subjectPage); ok && s.definition != nil {
		return s.changeSubject(m)
	}
	s := m.newSubjectPage(e, span{})
	s.change = true
	return m.visit(s)
}

func (s *subjectPage) changeSubject(m *Model) tea.Cmd {
	d, err := registry.DecodeDefinition(s.entry.Subject.Kind, s.definition)
	if err != nil {
		m.fail(err)
		return nil
	}
	version := s.entry.Version
	if len(s.versions) > 0 {
		version = s.versions[0].Number
	}
	return m.edit(m.cfg.Draft(s.entry.Subject, &d, version))
}
