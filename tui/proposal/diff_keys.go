// This file defines the keys of the diff and their actions: comment on a line, blame a line, and choose a file.

package proposal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
)

// Keys returns the keys of the Diff tab.
func (t *diffPane) Keys() []screen.Key {
	here := t.inTab(tabDiff)
	return []screen.Key{
		{Name: "comment-line", Keys: []string{";"}, Label: "comment", OnTab: here, Help: "Choose a line of the diff and comment on it", Terms: "reply, note, discuss", Do: t.comment, Disabled: t.cannotComment, WhilePicking: true},
		{Name: "files", Keys: []string{"i"}, Label: "files", OnTab: func() bool { return t.noFiles() == "" }, Help: "Choose a file in the diff of a skill", Do: t.chooseFile, Disabled: t.noFiles, WhilePicking: true},
		{Name: "split", Keys: []string{"s"}, Label: "split", OnTab: here, Help: "Switch between side by side and unified", Terms: "side by side, unified", Do: func() tea.Cmd { t.split = !t.split; t.host.fill(); return nil }, Disabled: t.cannotSplit},
		{Name: "whole", Keys: []string{"E"}, Label: "whole", UndoLabel: "only changes", Undoes: func() bool { return t.bases.whole }, OnTab: here, Help: "Show whole texts, including files that need not be read, or only changes", Do: func() tea.Cmd { t.bases.whole = !t.bases.whole; return t.Load() }, Disabled: t.cannotExpand},
	}
}

// OpenSelected implements tab. It opens the selected finding or comment, shows the selected file, or comments on
// the picked line.
func (t *diffPane) OpenSelected() tea.Cmd {
	if note, ok := t.selectedNote(); ok {
		t.pager.Unpick()
		t.host.rememberTab(tabDiff)
		if note.Of < len(t.dossier.Standing) {
			return t.host.showFinding(t.dossier.Standing[note.Of])
		}
		return t.host.showComment(note.Of - len(t.dossier.Standing))
	}
	picked, _ := t.pager.Picked()
	if row, ok := t.list.FileAt(picked); ok {
		t.pager.Unpick()
		t.pager.ScrollTo(row)
		t.pager.StopAt(row)
		return nil
	}
	return t.commentOnLine()
}

// CannotOpen implements tab.
func (t *diffPane) CannotOpen() string {
	_, picking := t.pager.Picked()
	if _, onNote := t.selectedNote(); picking || onNote {
		return ""
	}
	return t.pane.CannotOpen()
}

// selectedNote returns the finding or comment at the picked row. If no row is picked, it uses the selected row. It
// returns false if that row contains neither.
func (t *diffPane) selectedNote() (difflist.Note, bool) {
	if t.Tab != tabDiff || t.list == nil {
		return difflist.Note{}, false
	}
	row, picking := t.pager.Picked()
	if !picking {
		row = t.pager.StopRow()
		if first, last := t.pager.Window(); row < first || row >= last {
			return difflist.Note{}, false
		}
	}
	return t.list.NoteAt(row)
}

// comment opens a dialog for a comment on the picked line. If no line is picked, it first lets the user pick one.
func (t *diffPane) comment() tea.Cmd {
	if _, picking := t.pager.Picked(); picking {
		return t.commentOnLine()
	}
	t.pager.Pick(t.list.CurrentRow(t.pager), t.frame.Theme.Accent, "comment on the line")
	return t.Shell.Say(screen.Remark, "j and k choose a line, enter comments on it, esc cancels")
}

// commentOnLine opens a dialog for a comment on the picked line.
func (t *diffPane) commentOnLine() tea.Cmd {
	row, _ := t.pager.Picked()
	path, line, ok := t.list.NewPosition(row)
	if !ok {
		return t.Shell.Say(screen.Warning, "No line is selected; select one with j or k")
	}
	at := review.Anchor{Revision: t.dossier.Revision.Number, Field: inDefinition + path, Line: line}
	if strings.HasPrefix(path, wire.SourcePath) { // imported JSON is not part of the proposal, so comment on the field that refers to it
		at.Field, at.Line = inDefinition+"source", 0
	}
	if _, ok := t.quotes.Line(t.dossier, at); !ok {
		return t.Shell.Say(screen.Warning, "%s is no longer in revision %d; C comments on the proposal", diff.Label(path), at.Revision)
	}
	t.pager.Unpick()
	return t.host.askComment(at)
}

// blame shows which version introduced a line. This is the picked line, the current change, or the first line on
// screen, in this order.
func (t *diffPane) blame() tea.Cmd {
	first, last := t.pager.Window()
	row, picking := t.pager.Picked()
	if !picking {
		if row = t.pager.StopRow(); row < first || row >= last {
			row = first
		}
	}
	path, line, ok := t.list.OldPosition(row)
	for n := row + 1; n < last && !picking && (!ok || line == 0); n++ { // a heading has no line, so use the first line below it
		if p, l, found := t.list.OldPosition(n); found && (!ok || p == path) {
			path, line, ok = p, l, true
		}
	}
	base := t.bases.chosen()
	if !ok || !base.hasField(path) {
		return t.Shell.Say(screen.Warning, "No version introduced this line: version %d does not contain it", base.version)
	}
	t.pager.Unpick()
	return t.Shell.OpenEntry(screen.Opening{
		Entry: screen.Entry{Subject: t.dossier.Proposal.Subject}, Blame: screen.Blame{Field: path, Line: line, Version: base.version},
	})
}

// chooseFile lets the user pick a file from the list above the diff. The cursor starts at the current file.
func (t *diffPane) chooseFile() tea.Cmd {
	first, _ := t.pager.Window()
	at, _ := t.list.FileRow(first)
	t.pager.Pick(at, t.frame.Theme.Accent, "go to the file")
	return t.Shell.Say(screen.Remark, "j and k choose a file, enter shows it, esc cancels")
}

// Each function below returns the reason why a key is disabled, or "" if the key is enabled.

// none returns the reason why the tab shows no diff, or "".
func (t *diffPane) none() string {
	switch {
	case t.Tab != tabDiff && t.Tab != tabPrompt:
		return "only on the Diff tab"
	case t.list == nil:
		return screen.Loading
	}
	return ""
}

func (t *diffPane) cannotComment() string {
	if why := t.cannotAct(proposals.ActComment)(); why != "" {
		return why
	}
	switch {
	case t.Tab != tabDiff:
		return "only on the Diff tab; C comments on the proposal"
	case t.list == nil:
		return screen.Loading
	}
	return ""
}

func (t *diffPane) noFiles() string {
	if why := t.none(); why != "" {
		return why
	}
	if _, ok := t.list.FileRow(0); !ok || t.Tab != tabDiff {
		return "the diff does not have several files"
	}
	return ""
}

// cannotSplit is also used for the diffs of prompts.
func (t *diffPane) cannotSplit() string {
	if why := t.none(); why != "" {
		return why
	}
	if added, removed := t.list.Changed(); t.Tab == tabDiff && (added == 0 || removed == 0) {
		return "the diff has only one side"
	}
	return ""
}

func (t *diffPane) cannotExpand() string {
	if why := t.none(); why != "" {
		return why
	}
	if t.comparison.From == newSubject && len(seen.SkipReasons(t.dossier)) == 0 {
		return "everything is new, so the diff shows whole texts"
	}
	return ""
}

func (t *diffPane) cannotBlame() string {
	switch why := t.none(); {
	case !t.loaded:
		return screen.Loading
	case why != "":
		return why
	case t.comparison.From == newSubject:
		return "everything is new"
	case t.bases.chosen().version == 0:
		return "only in a comparison with a version; b chooses a version"
	}
	return ""
}

func (t *diffPane) nothingToFold() string {
	switch {
	case t.Tab != tabDiff:
		return "only on the Diff tab"
	case t.list == nil:
		return screen.Loading
	case len(notes(t.dossier)) == 0:
		return "no findings or comments on lines"
	}
	return ""
}
