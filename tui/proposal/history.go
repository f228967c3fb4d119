// This file lists the revisions of the proposal and the versions of the definition.

package proposal

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// historyPane is the tab that lists the revisions of the proposal and the versions of its subject.
type historyPane struct {
	pane
	versions []history.Version
	extents  []string // number of changed lines of each version, as text
	err      error    // error of reading the versions
	marked   int      // number of the version that the user has marked for a comparison; 0 for none
}

// Load implements tab. It reads the versions of the subject.
func (t *historyPane) Load() tea.Cmd {
	s := t.dossier.Proposal.Subject
	return func() tea.Msg {
		versions, err := t.Registry.Versions(t.ctx, s, 0, screen.MaxVersions)
		extents := screen.Extents(versions)
		return t.host.then(func() tea.Cmd {
			t.versions, t.extents, t.err = versions, extents, err
			t.Fill()
			return nil
		})
	}
}

// Fill implements tab. It lists the revisions of the proposal and the versions of the subject, newest first.
func (t *historyPane) Fill() {
	page := prose.New(t.frame.Theme)
	page.Blank()
	page.Heading("Revisions of this proposal")
	for _, r := range slices.Backward(t.dossier.Revisions) {
		line := draw.Of(t.frame.Theme.Strong, draw.Escapef("  r%-4d", r.Number)).Add(t.frame.Theme.Faint, t.frame.FormatDay(r.CreatedAt)+"  ")
		author := screen.Approvers(r.Author.String(), r.Author.String())
		line = line.Add(t.frame.Theme.Text, author)
		if base := r.Draft.Base(); base > 0 {
			line = line.Add(t.frame.Theme.Faint, "  base: "+draw.Escape(facts.BaseName(base)))
		}
		page.Line(line)
		for _, d := range t.dossier.Decisions {
			if d.Revision != r.Number {
				continue
			}
			text := strings.ReplaceAll(string(d.Verdict), "_", " ") + " by " + strings.TrimPrefix(d.By.String(), "user:")
			if read := d.Reading.String(); read != "" {
				text += " · " + read
			}
			page.FaintItem(draw.Of(t.frame.Theme.Faint, "        "+t.frame.FormatDay(d.At)+"  "), text)
		}
	}
	page.Blank()
	page.Heading("Versions of " + t.dossier.Proposal.Subject.String())
	if t.err != nil && !errors.Is(t.err, proposals.ErrNotFound) {
		page.Faint("  ", t.err.Error())
	} else if len(t.versions) == 0 {
		page.Faint("  ", "None yet.")
	}
	t.frame.VersionRows(page, t.TabWidth(t.frame.Layout, tabHistory), t.versions, t.extents, t.marked)
	t.pager.Replace(page.Rows())
}

// CannotOpen implements tab.
func (t *historyPane) CannotOpen() string { return t.noneSelected() }

// OpenSelected implements tab. It shows the changes of the selected version.
func (t *historyPane) OpenSelected() tea.Cmd {
	return t.Shell.OpenEntry(screen.Opening{Entry: screen.Entry{Subject: t.dossier.Proposal.Subject}, Compare: screen.Between(t.versions, t.pager.Stop(), t.marked)})
}

// askRestore opens a dialog to restore the selected version.
func (t *historyPane) askRestore() tea.Cmd {
	v := t.versions[t.pager.Stop()]
	return t.Shell.Ask(t.frame.RestoreDialog(v, t.Shell.Write, t.Acts.Restore))
}

// cannotRestore returns the reason why the selected version cannot be restored, or "".
func (t *historyPane) cannotRestore() string {
	if t.pager.Stop() == 0 {
		return "the selected version is the live version"
	}
	return t.CannotOpen()
}

// mark toggles the mark of the selected version. While a version is marked, the enter key compares it with
// the selected version.
func (t *historyPane) mark() tea.Cmd {
	var cmd tea.Cmd
	t.marked, cmd = screen.MarkVersion(t.Shell, t.marked, t.versions[t.pager.Stop()].Number)
	t.Fill()
	return cmd
}
