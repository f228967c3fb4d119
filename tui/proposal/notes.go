// Findings and comments in the diff, and comments on its lines.

package proposal

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// Keys implements tab.
func (t *diffPane) Keys() []screen.Key {
	here := t.inTab(tabDiff)
	return []screen.Key{
		{Name: "comment-line", Keys: []string{";"}, Label: "comment", OnTab: here, Help: "Choose a line of the diff and comment on it", Terms: "reply, note, discuss", Do: t.comment, Disabled: t.cannotComment, WhilePicking: true},
		{Name: "files", Keys: []string{"i"}, Label: "files", OnTab: func() bool { return t.noFiles() == "" }, Help: "Choose a file of the diff of a skill", Do: t.chooseFile, Disabled: t.noFiles, WhilePicking: true},
		{Name: "split", Keys: []string{"s"}, Label: "split", OnTab: here, Help: "Switch between side by side and unified", Terms: "side by side, unified", Do: func() tea.Cmd { t.split = !t.split; t.host.fill(); return nil }, Disabled: t.cannotSplit},
		{Name: "whole", Keys: []string{"E"}, Label: "whole", OnTab: here, Help: "Switch between whole texts and changes only; files that need not be read are shown with whole texts", Do: t.switchContext, Disabled: t.cannotExpand},
	}
}

// inDefinition is the prefix of paths that the diff shows.
const inDefinition = "definition."

// OpenSelected implements tab. It opens the selected finding, comment, or file, or comments on the picked line.
func (t *diffPane) OpenSelected() tea.Cmd {
	if note, ok := t.selectedNote(); ok {
		t.pager.Unpick()
		t.host.rememberTab(tabDiff)
		if note.Of < len(t.dossier.Standing) {
			return t.host.showFinding(note.Of)
		}
		return t.host.showComment(note.Of - len(t.dossier.Standing))
	}
	if row, ok := t.selectedFile(); ok {
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

// comment starts picking a line, or comments on the picked line.
func (t *diffPane) comment() tea.Cmd {
	p := t.pager
	if _, picking := p.Picked(); picking {
		return t.commentOnLine()
	}
	p.Pick(t.list.CurrentRow(p, t.split), t.frame.Theme.Accent, "comment on the line")
	return t.Shell.Say(screen.Remark, "j and k choose a line, enter comments on it, esc leaves")
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

// commentOnLine asks for a comment on the picked line.
func (t *diffPane) commentOnLine() tea.Cmd {
	row, _ := t.pager.Picked()
	path, line, ok := t.list.NewPosition(row, t.split)
	if !ok {
		return t.Shell.Say(screen.Warning, "No line here; j and k choose one")
	}
	at := review.Anchor{Revision: t.dossier.Revision.Number, Field: inDefinition + path, Line: line}
	if strings.HasPrefix(path, wire.SourcePath) { // the source is not part of the proposal, so the comment is on the reference to it
		at.Field, at.Line = inDefinition+"source", 0
	}
	if _, ok := t.quotes.Line(t.dossier, at); !ok {
		return t.Shell.Say(screen.Warning, "%s is no longer in revision %d; C comments on the proposal", diff.Label(path), at.Revision)
	}
	t.pager.Unpick()
	return t.host.askComment(at)
}

// place describes the position of an anchor.
func place(at review.Anchor) string {
	where := wording.FieldName(at.Field)
	if at.Line > 0 {
		where += ", line " + strconv.Itoa(at.Line)
	}
	return where + " of revision " + strconv.Itoa(at.Revision)
}

// draftOf returns the file name of a comment, which contains its anchor unless the name would be too long.
func draftOf(id proposals.ID, at review.Anchor) string {
	name := "comment-" + string(id)
	if at.Field == "" {
		return name
	}
	long := name + "@" + url.PathEscape(at.Field) + "@" + strconv.Itoa(at.Line) + "@" + strconv.Itoa(at.Revision)
	if len(long) > 200 {
		return name
	}
	return long
}

// anchorOf parses a file name that draftOf returned.
func anchorOf(file string) (review.Anchor, bool) {
	parts := strings.Split(strings.TrimSuffix(file, filepath.Ext(file)), "@")
	if len(parts) != 4 {
		return review.Anchor{}, false
	}
	field, err := url.PathUnescape(parts[1])
	line, errLine := strconv.Atoi(parts[2])
	revision, errRevision := strconv.Atoi(parts[3])
	return review.Anchor{Field: field, Line: line, Revision: revision}, err == nil && errLine == nil && errRevision == nil
}

// notes returns the findings, and the comments on this revision, for the diff. Note.Of is the index of a finding, or
// the number of findings plus the index of a comment.
func (t *diffPane) notes() []difflist.Note {
	d := t.dossier
	var out []difflist.Note
	times := 0 // number of times that the last finding occurs on its line
	for i, s := range d.Standing {
		path, ok := inDiff(s.Path)
		if !ok {
			continue
		}
		sign, style := noteSign(s)
		before := d.Standing[max(0, i-1)]
		if i > 0 && before.Path == s.Path && before.Line == s.Line && before.Rule == s.Rule && before.Message == s.Message && (before.Waiver == nil) == (s.Waiver == nil) {
			times++
			out[len(out)-1].Text = fmt.Sprintf("%s (%d times)", s.Deed(), times)
			continue
		}
		times = 1
		out = append(out, difflist.Note{Path: path, Line: s.Line, Passage: s.Passage, Style: style, Sign: sign + " " + draw.Escape(s.Rule), Text: s.Deed(), Of: i})
	}
	for i, c := range d.Comments {
		path, ok := inDiff(c.Field)
		if !ok || c.Revision != d.Revision.Number {
			continue
		}
		out = append(out, difflist.Note{
			Path: path, Line: c.Line, Style: func(th theme.Theme) theme.Style { return th.Accent }, Sign: "» " + draw.Escape(c.Author.Name+":"),
			Text: strings.Join(strings.Fields(c.Body), " "), Of: len(d.Standing) + i,
		})
	}
	return out
}

// inDiff returns the path of a field in the diff. It returns false if the diff does not show the field.
func inDiff(field string) (path string, ok bool) {
	path, ok = strings.CutPrefix(field, inDefinition)
	return path, ok || strings.HasPrefix(field, wire.SourcePath)
}

// noteSign returns the sign of a finding, and its style by theme.
func noteSign(s review.Standing) (draw.Safe, func(theme.Theme) theme.Style) {
	if s.Waiver != nil {
		return "□", func(th theme.Theme) theme.Style { return th.Faint }
	}
	word, _ := labels.Severity(theme.Theme{}, s.Severity)
	sign, _, _ := strings.Cut(string(word), " ")
	return draw.Safe(sign), func(th theme.Theme) theme.Style { _, style := labels.Severity(th, s.Severity); return style }
}

// selectedNote returns the selected note.
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
	return t.list.NoteAt(row, t.split)
}

func (t *diffPane) nothingToFold() string {
	switch {
	case t.Tab != tabDiff:
		return "only on the Diff tab"
	case t.list == nil:
		return screen.Loading
	case len(t.notes()) == 0:
		return "no findings or comments on lines"
	}
	return ""
}

// none returns why there is no diff to act on, or "".
func (t *diffPane) none() string {
	switch {
	case t.Tab != tabDiff && t.Tab != tabPrompt:
		return "only on the Diff tab"
	case t.list == nil:
		return screen.Loading
	}
	return ""
}

// cannotSplit returns why a split diff would be useless, or "".
func (t *diffPane) cannotSplit() string {
	if why := t.none(); why != "" {
		return why
	}
	if added, removed := t.list.Changed(); t.Tab == tabDiff && (added == 0 || removed == 0) {
		return "the diff has only one side"
	}
	return ""
}

// cannotExpand returns why no more lines can be shown, or "".
func (t *diffPane) cannotExpand() string {
	if why := t.none(); why != "" {
		return why
	}
	if t.comparison.From == newSubject && len(seen.SkipReasons(t.dossier)) == 0 {
		return "everything is new, so all of it is shown"
	}
	return ""
}

func (t *diffPane) switchContext() tea.Cmd {
	if t.context == difflist.WholeText {
		t.context = difflist.DefaultContext
	} else {
		t.context = difflist.WholeText
	}
	return t.Load()
}
