package proposal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/tui/screen"
)

func (t *diffPane) cannotBlame() string {
	switch why := t.none(); {
	case !t.loaded:
		return screen.Loading
	case why != "":
		return why
	case t.comparison.From == newSubject:
		return "everything is new"
	case t.bases.chosen().version == 0:
		return "only against a version; b compares with one"
	}
	return ""
}

// blame shows the version that introduced the picked line, or else the line of the current change, or else the first
// line on screen.
func (t *diffPane) blame() tea.Cmd {
	first, last := t.pager.Window()
	row, picking := t.pager.Picked()
	if !picking {
		if row = t.pager.StopRow(); row < first || row >= last {
			row = first
		}
	}
	path, line, ok := t.list.OldPosition(row, t.split)
	for n := row + 1; n < last && !picking && (!ok || line == 0); n++ { // from a heading, continue to its lines
		if p, l, there := t.list.OldPosition(n, t.split); there && (!ok || p == path) {
			path, line, ok = p, l, true
		}
	}
	version := t.bases.chosen().version
	if !ok || !t.existsInOld(path) {
		return t.Shell.Say(screen.Warning, "No version introduced this line: version %d does not contain it", version)
	}
	t.pager.Unpick()
	return t.Shell.OpenEntry(screen.Opening{
		Entry: screen.Entry{Subject: t.dossier.Proposal.Subject}, Blame: screen.Blame{Field: path, Line: line, Version: version},
	})
}

// existsInOld reports whether the definition on the old side of the diff has a field.
func (t *diffPane) existsInOld(path string) bool {
	old := t.bases.chosen().content.Definition
	if path == "" || strings.HasPrefix(path, wire.SourcePath) {
		return false
	}
	doc, err := jsondoc.Parse(old.Canonical(), jsondoc.DefaultLimits)
	return err == nil && doc.Find(path) != nil
}
