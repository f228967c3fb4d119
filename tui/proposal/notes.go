package proposal

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// notes returns the findings, and the comments on this revision, as the diff shows
// them under their lines: a finding by its number, a comment by its own behind them.
func (pp *Page) notes() []difflist.Note {
	d := pp.dossier
	var out []difflist.Note
	times := 0 // the last finding stands so often on its line
	for i, s := range d.Standing {
		path, ok := inDiff(s.Path)
		if !ok {
			continue
		}
		sign, style := noteSign(s)
		if i > 0 && repeats(d.Standing[i-1], s) {
			times++
			out[len(out)-1].Text = fmt.Sprintf("%s (%d times)", s.Message, times)
			continue
		}
		times = 1
		out = append(out, difflist.Note{Path: path, Line: s.Line, Passage: s.Passage, Style: style, Sign: sign + " " + draw.Show(s.Rule), Text: s.Message, Of: i})
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

// repeats reports whether a finding is the one before it again, further on in the line.
func repeats(before, s review.Standing) bool {
	return before.Path == s.Path && before.Line == s.Line && before.Rule == s.Rule && before.Message == s.Message && (before.Waiver == nil) == (s.Waiver == nil)
}

// inDiff returns how the diff names a field of a proposal; false for one that it
// has only when revisions are compared.
func inDiff(field string) (path string, ok bool) {
	path, ok = strings.CutPrefix(field, inDefinition)
	return path, ok || strings.HasPrefix(field, wire.SourcePath)
}

// noteSign returns the sign of a finding and its style in any theme.
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

// noteHere returns the note that is selected in the diff.
func (pp *Page) noteHere() (difflist.Note, bool) {
	if pp.Tab != tabDiff || pp.list == nil {
		return difflist.Note{}, false
	}
	row, picking := pp.Shown().Picked()
	if !picking {
		row = pp.Shown().StopRow()
		if first, last := pp.Shown().Window(); row < first || row >= last {
			return difflist.Note{}, false
		}
	}
	return pp.list.NoteAt(row, pp.split)
}

// followNote shows the finding or the comment that a note is of.
func (pp *Page) followNote(n difflist.Note) tea.Cmd {
	pp.Shown().Unpick()
	pp.leap(tabDiff)
	if n.Of < len(pp.dossier.Standing) {
		return pp.showFinding(n.Of)
	}
	pp.turn(tabThread)
	c := pp.dossier.Comments[n.Of-len(pp.dossier.Standing)]
	for i, a := range pp.anchors {
		if a.Field == c.Field && a.Line == c.Line && a.Revision == c.Revision {
			pp.pagers[tabThread].SetStop(i)
			break
		}
	}
	return nil
}

// showFinding goes to a finding: beside the diff, or in the assessment where there is
// one pane.
func (pp *Page) showFinding(n int) tea.Cmd {
	tab := tabAssessment
	if pp.frame.Left > 0 {
		tab = tabOverview
	}
	pp.pagers[tab].SetStop(n)
	return pp.turn(tab)
}

// leap notes which tab a jump leaves, so that esc returns to it.
func (pp *Page) leap(tab int) { pp.jumped = append(pp.jumped[:0:0], tab) }

// jumpBack returns to where a jump began; false when the tab was not reached by one.
func (pp *Page) jumpBack() bool {
	if len(pp.jumped) == 0 {
		return false
	}
	pp.turn(pp.jumped[0])
	pp.jumped = nil
	return true
}

func (pp *Page) foldNotes() tea.Cmd {
	pp.folded = !pp.folded
	pp.list.Fold(pp.folded)
	pp.pagers[tabDiff].Replace(pp.list.Rows(pp.frame.Theme, pp.split))
	return nil
}

func (pp *Page) nothingToFold() string {
	switch {
	case pp.Tab != tabDiff:
		return "only on the Diff tab"
	case pp.list == nil:
		return "the diff is still loading"
	case len(pp.notes()) == 0:
		return "there are no findings and no comments on lines"
	}
	return ""
}

// canFollow reports whether enter leads somewhere from the tab that is shown.
func (pp *Page) canFollow() bool {
	_, onNote := pp.noteHere()
	return onNote || (pp.Tab == tabOverview || pp.Tab == tabAssessment) && len(pp.dossier.Standing) > 0 || pp.Tab == tabThread || pp.Tab == tabHistory
}
