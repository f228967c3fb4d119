package proposal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals/facts"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
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

// thread shows the issue with its comments and decisions, in order.
func (pp *Page) thread() pager.Rows {
	d := pp.dossier
	page := prose.New(pp.frame.Theme)
	page.Blank()
	if d.Issue == nil {
		page.Faint("", "This draft has no issue yet. S submits it.")
	} else {
		page.Title("#" + strconv.Itoa(d.Issue.Number) + "  " + d.Issue.Title)
		page.Faint("", string(d.Issue.Status)+"   labels: "+strings.Join(d.Issue.Labels, ", "))
	}
	entries := pp.entries()
	pp.anchors = pp.anchors[:0]
	for _, e := range entries {
		page.Blank()
		page.Stop()
		pp.anchors = append(pp.anchors, e.on)
		page.Line(e.head)
		if text, ok := pp.quote(e.on); ok && e.on.Line > 0 {
			page.Marked(" ┃ ", text, nil)
		}
		if e.body != "" {
			pp.Texts.Prose(page, pp.frame.Theme, pp.WidthOf(pp.frame.Layout, tabThread), e.body)
		}
	}
	if len(entries) == 0 {
		page.Blank()
		page.Faint("", "No comments yet. C adds one.")
	}
	return page.Rows()
}

// entry is a comment, a decision or a waiver in the thread.
type entry struct {
	at   time.Time
	head draw.Line
	body string
	on   review.Anchor
}

// entries returns the comments, decisions and waivers in the order of their time.
func (pp *Page) entries() []entry {
	d, theme := pp.dossier, pp.frame.Theme
	var entries []entry
	for _, c := range d.Comments {
		var on review.Anchor
		head := draw.Of(theme.Strong, draw.Show(c.Author.String())).Add(theme.Faint, "  "+screen.Stamp(c.At))
		if c.Field != "" {
			on = review.Anchor{Revision: c.Revision, Field: c.Field, Line: c.Line}
			head = head.Add(theme.Faint, "  on "+draw.Show(place(on)))
		}
		entries = append(entries, entry{c.At, head, c.Body, on})
	}
	for _, x := range d.Decisions {
		word, style := draw.Safe("✓ approved"), theme.Good
		switch x.Verdict {
		case review.VerdictNeedsChanges:
			word, style = "↺ sent back", theme.Warn
		case review.VerdictRejected:
			word, style = "✗ rejected", theme.Bad
		case review.VerdictEndorsed:
			word = "✓ approved, not the last approval"
		case review.VerdictApproved:
		}
		head := draw.Of(style, word).Add(theme.Strong, "  "+draw.Show(x.By.String())).Add(theme.Faint, draw.Showf("  %s  revision %d", screen.Stamp(x.At), x.Revision))
		entries = append(entries, entry{x.At, head, x.Note, review.Anchor{}})
	}
	for _, w := range d.Waivers {
		word := draw.Safe("□ waived ")
		if w.Ends() {
			word = "■ ended the waiver of "
		}
		head := draw.Of(theme.Faint, word+draw.Show(w.Rule)+" in "+draw.Show(w.Path)).Add(theme.Strong, "  "+draw.Show(w.By)).Add(theme.Faint, "  "+screen.Stamp(w.At))
		entries = append(entries, entry{w.At, head, w.Reason, review.Anchor{}})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.at.Compare(b.at) })
	return entries
}

// history lists the versions of the subject, the newest first.
func (pp *Page) history() pager.Rows {
	page := prose.New(pp.frame.Theme)
	page.Blank()
	page.Heading("Revisions of this proposal")
	for _, r := range slices.Backward(pp.dossier.Revisions) {
		line := draw.Of(pp.frame.Theme.Strong, draw.Showf("  r%-4d", r.Number)).Add(pp.frame.Theme.Faint, screen.Stamp(r.CreatedAt)+"  ")
		origin := "content " + wording.Short(r.ContentHash) + ", against " + facts.Against(r.Draft.Base())
		if pp.WidthOf(pp.frame.Layout, tabHistory) >= 100 {
			page.Line(line.Add(pp.frame.Theme.Text, draw.Pad(draw.Show(r.Author.String()), 24)).Add(pp.frame.Theme.Faint, "  "+draw.Show(origin)))
			continue
		}
		page.Item(line, r.Author.String())
		page.Faint("        ", origin)
	}
	page.Blank()
	page.Heading("Versions of " + pp.dossier.Proposal.Subject.String())
	if len(pp.versions) == 0 {
		page.Faint("  ", "None yet.")
	}
	pp.frame.VersionRows(page, pp.WidthOf(pp.frame.Layout, tabHistory), pp.versions, pp.marked)
	return page.Rows()
}
