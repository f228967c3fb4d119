package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// askConflict shows where a proposal and the live version changed the same
// thing, and has the user take sides, here or in the editor. Nothing was written.
func (m host) askConflict(p proposals.Proposal, c *review.RebaseConflict) tea.Cmd {
	g := &merging{p: p, conflict: c, passages: c.Passages()}
	g.choices = make([]diff.Choice, len(g.passages))
	var d *dialog
	question := screen.Dialog{
		Form:    proposals.Form{Title: "Conflicts with version " + strconv.Itoa(c.Live), Verb: "save the revision"},
		Content: func(page *prose.Page) { g.content(m.shell, page) },
	}
	question.Run = func(_ string) tea.Cmd { return g.save(m, d) }
	question.Keys = []screen.Key{
		{Keys: []string{"h"}, Label: "take here", Do: func() tea.Cmd { return g.take(m.shell, d, diff.TakeOurs) }},
		{Keys: []string{"l"}, Label: "take live", Do: func() tea.Cmd { return g.take(m.shell, d, diff.TakeTheirs) }},
		{Keys: []string{"j"}, Label: "next", Do: func() tea.Cmd { d.pager.Move(1); return nil }},
		{Keys: []string{"J"}, Do: func() tea.Cmd { d.pager.NextStop(1); return nil }},
		{Keys: []string{"K"}, Do: func() tea.Cmd { d.pager.NextStop(-1); return nil }},
		{Keys: []string{"e"}, Label: "edit", Do: func() tea.Cmd { return g.edit(m) }},
	}
	ask := m.Ask(question)
	d = m.dialog
	d.pager.Point(m.theme.Accent)
	d.resize(m.shell)
	return ask
}

// take takes a side of the selected passage and goes to the next that is undecided.
func (g *merging) take(m *shell, d *dialog, side diff.Choice) tea.Cmd {
	at := d.pager.Stop()
	g.choices[at] = side
	d.resize(m)
	if next := slices.Index(g.choices[at:], diff.Undecided); next >= 0 {
		d.pager.SetStop(at + next)
	} else {
		d.pager.SetStop(slices.Index(g.choices, diff.Undecided))
	}
	return nil
}

// save makes a revision of the sides, once all are decided.
func (g *merging) save(m host, d *dialog) tea.Cmd {
	if open := slices.Index(g.choices, diff.Undecided); open >= 0 {
		m.dialog = d
		m.Say(warning, "Take a side first: h takes here, l takes live")
		d.pager.SetStop(open)
		return nil
	}
	draft, err := g.conflict.Take(g.choices)
	if err != nil {
		m.Fail(err)
		return nil
	}
	return m.send(Manuscript{ID: g.p.ID}, draft, true, "")
}

// edit finishes the merge in the editor, with the sides that were taken.
func (g *merging) edit(m host) tea.Cmd {
	if why := m.noEditor(); why != "" {
		m.Say(warning, "e: %s", why)
		return nil
	}
	merge := *g.conflict
	var err error
	if merge.Draft, err = g.conflict.Take(g.choices); err != nil {
		m.Fail(err)
		return nil
	}
	m.dialog = nil
	return m.edit(m.cfg.Merge(g.p, &merge))
}

// Merge is the manuscript of a rebase that is to be finished by hand.
func (c *Config) Merge(p proposals.Proposal, conflict *review.RebaseConflict) Manuscript {
	text, ext := written(conflict.Draft)
	file := filepath.Join(c.Drafts, fmt.Sprintf("rebase-%s-r%d-v%d%s", p.ID, p.Revision, conflict.Live, ext))
	return Manuscript{p.ID, file, "Rebase of " + wording.Reference(p) + " " + p.Subject.String(), text}
}

// content shows the passages.
func (g *merging) content(m *shell, page *prose.Page) {
	th := m.theme
	page.Text("", "This proposal and version "+strconv.Itoa(g.conflict.Live)+" conflict. Nothing was saved.")
	for i, p := range g.passages {
		page.Blank()
		page.Stop()
		heading := draw.Of(th.Field, " ◆ "+draw.Show(p.Path))
		if p.Line > 0 {
			heading = heading.Add(th.Faint, draw.Showf("  line %d", p.Line))
		}
		page.Line(heading)
		ours, theirs := differing(p.Ours, p.Theirs, th.Mark)
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

// side shows what one side has, line by line, with marks.
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

// differing marks the words that each of two texts has and the other lacks, line by
// line.
func differing(ours, theirs string, style theme.Style) (a, b [][]draw.Mark) {
	if len(ours)+len(theirs) > screen.MaxGlance {
		return nil, nil
	}
	for _, hunk := range diff.Lines(ours, theirs).Unified(difflist.Everything) {
		for _, l := range hunk.Words().Lines {
			var marks []draw.Mark
			for _, s := range l.Spans {
				marks = append(marks, draw.Mark{Start: s.Start, End: s.End, Style: style})
			}
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

// merging is a rebase with conflicts whose sides the user takes one by one.
type merging struct {
	p        proposals.Proposal
	conflict *review.RebaseConflict
	passages []review.Passage
	choices  []diff.Choice // one for each passage
}
