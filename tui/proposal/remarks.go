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
	"toolcrib/review/rules"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// Keys implements tab.
func (t *diffPane) Keys() []screen.Key {
	here := t.inTab(tabDiff)
	return []screen.Key{
		{Name: "comment-line", Keys: []string{";"}, Label: "comment", Here: here, Help: "Choose a line of the diff and comment on it", Terms: "reply, note, discuss", Do: t.remark, Off: t.cannotRemark, Picks: true},
		{Name: "files", Keys: []string{"i"}, Label: "files", Here: func() bool { return t.noFiles() == "" }, Help: "Choose a file of the diff of a skill", Do: t.chooseFile, Off: t.noFiles, Picks: true},
		{Name: "split", Keys: []string{"s"}, Label: "split", Here: here, Help: "Switch between side by side and unified", Terms: "side by side, unified", Do: t.switchSplit, Off: t.cannotSplit},
		{Name: "whole", Keys: []string{"E"}, Label: "whole", Here: here, Help: "Switch between whole texts and changes only; files that need not be read are shown with whole texts", Do: t.switchContext, Off: t.cannotWiden},
	}
}

// inDefinition is the prefix of paths that the diff shows.
const inDefinition = "definition."

// Follow implements tab. It opens the selected finding, comment, or file, or comments on the picked line.
func (t *diffPane) Follow() tea.Cmd {
	if note, ok := t.noteHere(); ok {
		t.pager.Unpick()
		t.book.leap(tabDiff)
		if note.Of < len(t.dossier.Standing) {
			return t.book.showFinding(note.Of)
		}
		return t.book.showComment(note.Of - len(t.dossier.Standing))
	}
	if row, ok := t.fileHere(); ok {
		t.pager.Unpick()
		t.pager.Top(row)
		t.pager.StopAt(row)
		return nil
	}
	return t.remarkHere()
}

// CannotFollow implements tab.
func (t *diffPane) CannotFollow() string {
	_, picking := t.pager.Picked()
	if _, onNote := t.noteHere(); picking || onNote {
		return ""
	}
	return t.pane.CannotFollow()
}

// remark starts picking a line, or comments on the picked line.
func (t *diffPane) remark() tea.Cmd {
	p := t.pager
	if _, picking := p.Picked(); picking {
		return t.remarkHere()
	}
	p.Pick(t.list.Current(p, t.split), t.frame.Theme.Accent, "comment on the line")
	return t.Shell.Say(screen.Remark, "j and k choose a line, enter comments on it, esc leaves")
}

func (t *diffPane) cannotRemark() string {
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

// remarkHere asks for a comment on the picked line.
func (t *diffPane) remarkHere() tea.Cmd {
	row, _ := t.pager.Picked()
	path, line, ok := t.list.At(row, t.split)
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
	return t.book.askComment(at)
}

// place describes the position of an anchor.
func place(at review.Anchor) string {
	where := wording.Place(at.Field)
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
		if i > 0 && repeats(d.Standing[i-1], s) {
			times++
			out[len(out)-1].Text = fmt.Sprintf("%s (%d times)", s.Deed(), times)
			continue
		}
		times = 1
		out = append(out, difflist.Note{Path: path, Line: s.Line, Passage: s.Passage, Style: style, Sign: sign + " " + draw.Show(s.Rule), Text: s.Deed(), Of: i})
	}
	for i, c := range d.Comments {
		path, ok := inDiff(c.Field)
		if !ok || c.Revision != d.Revision.Number {
			continue
		}
		out = append(out, difflist.Note{
			Path: path, Line: c.Line, Style: func(th theme.Theme) theme.Style { return th.Accent }, Sign: "» " + draw.Show(c.Author.Name+":"),
			Text: strings.Join(strings.Fields(c.Body), " "), Of: len(d.Standing) + i,
		})
	}
	return out
}

// repeats reports whether a finding repeats the previous one, later in the same line.
func repeats(before, s review.Standing) bool {
	return before.Path == s.Path && before.Line == s.Line && before.Rule == s.Rule && before.Message == s.Message && (before.Waiver == nil) == (s.Waiver == nil)
}

// inDiff returns the path of a field in the diff. It returns false if the diff does not show the field.
func inDiff(field string) (path string, ok bool) {
	path, ok = strings.CutPrefix(field, inDefinition)
	return path, ok || strings.HasPrefix(field, wire.SourcePath)
}

// noteSign returns the sign of a finding, and its style by theme.
func noteSign(s review.Standing) (draw.Safe, func(theme.Theme) theme.Style) {
	switch {
	case s.Waiver != nil:
		return "□", func(th theme.Theme) theme.Style { return th.Faint }
	case s.Severity == rules.Block:
		return "■", func(th theme.Theme) theme.Style { return th.Bad }
	case s.Severity == rules.Warn:
		return "▲", func(th theme.Theme) theme.Style { return th.Warn }
	}
	return "·", func(th theme.Theme) theme.Style { return th.Info }
}

// noteHere returns the selected note.
func (t *diffPane) noteHere() (difflist.Note, bool) {
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

func (t *diffPane) foldNotes() tea.Cmd {
	t.folded = !t.folded
	t.list.Fold(t.folded)
	t.Fill()
	return nil
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
	case t.Tab != tabDiff && t.Tab != tabPrompt && t.Tab != tabTests:
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

// cannotWiden returns why no more lines can be shown, or "".
func (t *diffPane) cannotWiden() string {
	if why := t.none(); why != "" {
		return why
	}
	if t.made.From == isNew && len(seen.Notes(t.dossier)) == 0 {
		return "everything is new, so all of it is shown"
	}
	return ""
}

func (t *diffPane) switchSplit() tea.Cmd {
	t.split = !t.split
	t.book.fill()
	return nil
}

func (t *diffPane) switchContext() tea.Cmd {
	if t.context == difflist.Everything {
		t.context = difflist.DefaultContext
	} else {
		t.context = difflist.Everything
	}
	return t.Load()
}

func (t *diffPane) copyDiff() tea.Cmd {
	t.Shell.Say(screen.Success, "Copied the diff")
	return tea.SetClipboard(t.list.String())
}
