// This file lets the user resolve the conflicts of a rebase.

package drafting

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/dialog"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/editor"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// Conflict opens a dialog with the passages that were changed both in the proposal and in the live version. The
// user chooses a side for each passage, in the dialog or in the editor. Nothing is written until the user
// saves.
func (m *Drafting) Conflict(p proposals.Proposal, c *review.RebaseConflict) tea.Cmd {
	g := &merge{p: p, conflict: c, passages: c.Passages()}
	g.choices = make([]diff.Choice, len(g.passages))
	var d *dialog.Dialog
	question := screen.Dialog{
		Form:    proposals.Form{Title: "Conflicts with version " + strconv.Itoa(c.Live), Verb: "save the revision"},
		Content: func(page *prose.Page) { g.content(m.Shell.Frame().Theme, page) },
	}
	question.Run = func(_ string) tea.Cmd { return g.save(m, d) }
	question.Keys = []screen.Key{
		{Keys: []string{"h"}, Label: "take here", Do: func() tea.Cmd { return g.take(m, d, diff.TakeOurs) }},
		{Keys: []string{"l"}, Label: "take live", Do: func() tea.Cmd { return g.take(m, d, diff.TakeTheirs) }},
		{Keys: []string{"j"}, Label: "next", Do: func() tea.Cmd { d.Pager.Move(1); return nil }},
		{Keys: []string{"J"}, Do: func() tea.Cmd { d.Pager.NextStop(1); return nil }},
		{Keys: []string{"K"}, Do: func() tea.Cmd { d.Pager.NextStop(-1); return nil }},
		{Keys: []string{"e"}, Label: "edit", Do: func() tea.Cmd { return g.edit(m) }},
	}
	ask := m.Shell.Ask(question)
	d = m.Shell.Dialog()
	d.Pager.ShowCursor(m.Shell.Frame().Theme.Accent)
	d.Fit(m.Shell.Frame())
	return ask
}

// take chooses a side for the selected passage and selects the next undecided passage.
func (g *merge) take(m *Drafting, d *dialog.Dialog, side diff.Choice) tea.Cmd {
	at := d.Pager.Stop()
	g.choices[at] = side
	d.Fit(m.Shell.Frame())
	if next := slices.Index(g.choices[at:], diff.Undecided); next >= 0 {
		d.Pager.SetStop(at + next)
	} else {
		d.Pager.SetStop(slices.Index(g.choices, diff.Undecided))
	}
	return nil
}

// save saves the merged text as a revision. If a passage is undecided, save selects it and requests a choice
// instead.
func (g *merge) save(m *Drafting, d *dialog.Dialog) tea.Cmd {
	if open := slices.Index(g.choices, diff.Undecided); open >= 0 {
		d.Reopen()
		m.Shell.Say(screen.Warning, "Choose a side first: h for this proposal (here), l for the live version")
		d.Pager.SetStop(open)
		return nil
	}
	draft, err := g.conflict.Take(g.choices)
	if err != nil {
		return m.Shell.Fail(err)
	}
	return m.send(editor.Manuscript{ID: g.p.ID}, draft, true, "")
}

// edit opens the merged text in the editor. Passages that the user has decided are resolved.
func (g *merge) edit(m *Drafting) tea.Cmd {
	if why := m.Editor.Missing(); why != "" {
		m.Shell.Say(screen.Warning, "e: %s", why)
		return nil
	}
	merge := *g.conflict
	var err error
	if merge.Draft, err = g.conflict.Take(g.choices); err != nil {
		return m.Shell.Fail(err)
	}
	m.Shell.CloseDialog()
	return m.Edit(m.Editor.Merge(g.p, &merge))
}

// content draws each passage in three versions: before the changes, in the proposal, and in the live version.
func (g *merge) content(th theme.Theme, page *prose.Page) {
	page.Text("", "The proposal and version "+strconv.Itoa(g.conflict.Live)+" conflict. Nothing was saved.")
	for i, p := range g.passages {
		page.Blank()
		page.Stop()
		heading := draw.Of(th.Field, " ◆ "+draw.Escape(p.Path))
		if p.Line > 0 {
			heading = heading.Add(th.Faint, draw.Escapef("  line %d", p.Line))
		}
		page.Line(heading)
		ours, theirs := wordDiffs(p.Ours, p.Theirs, th.Mark)
		kept := func(side diff.Choice) draw.Span {
			if g.choices[i] == side {
				return draw.Span{Text: "✓ ", Style: th.Good}
			}
			return draw.Span{Text: "  "}
		}
		side(page, draw.Of(th.Faint, "    was   "), p.Base, nil)
		side(page, draw.Line{kept(diff.TakeOurs)}.Add(th.Good, "  here  "), p.Ours, ours)
		side(page, draw.Line{kept(diff.TakeTheirs)}.Add(th.Warn, "  live  "), p.Theirs, theirs)
	}
}

// side draws one side of a passage, line by line.
func side(page *prose.Page, sign draw.Line, text string, marks [][]draw.Mark) {
	if text == "" {
		page.FaintItem(sign, "nothing")
		return
	}
	for i, line := range strings.Split(text, "\n") {
		var marked []draw.Mark
		if i < len(marks) {
			marked = marks[i]
		}
		page.MarkedItem(sign, line, marked)
		sign = draw.Of("", draw.Safe(draw.Blank(sign.Width())))
	}
}

// wordDiffs marks the words that differ between two texts. It returns the marks for each line of the texts, or
// nil if the texts are too long.
func wordDiffs(ours, theirs string, style theme.Style) (a, b [][]draw.Mark) {
	if len(ours)+len(theirs) > screen.MaxPreview {
		return nil, nil
	}
	for _, hunk := range diff.Lines(ours, theirs).Unified(difflist.WholeText) {
		for _, l := range hunk.Words().Lines {
			marks := lists.Map(l.Spans, func(s diff.Span) draw.Mark { return draw.Mark{Start: s.Start, End: s.End, Style: style} })
			if l.Kind != diff.Insert {
				a = append(a, marks)
			}
			if l.Kind != diff.Delete {
				b = append(b, marks)
			}
		}
	}
	return a, b
}

// merge contains the conflicts of a rebase and the user's choices.
type merge struct {
	p        proposals.Proposal
	conflict *review.RebaseConflict
	passages []review.Passage
	choices  []diff.Choice // the choice for each passage
}
