// This file shows the comments, decisions, and waivers of the proposal.

package proposal

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// threadPane is the tab that shows the issue with its comments, decisions, and waivers.
type threadPane struct {
	pane
	anchors []review.Anchor // anchor of the entry at each stop of the pager
}

// Count implements tab.
func (t *threadPane) Count() int {
	return len(t.dossier.Comments) + len(t.dossier.Decisions) + len(t.dossier.Waivers)
}

// Fill implements tab. It draws the issue and its entries in chronological order.
func (t *threadPane) Fill() {
	d := t.dossier
	page := prose.New(t.frame.Theme)
	page.Blank()
	if d.Issue == nil {
		page.Faint("", "This draft has no issue yet. S submits it.")
	} else {
		page.Title("#" + strconv.Itoa(d.Issue.Number) + "  " + d.Issue.Title)
		page.Faint("", string(d.Issue.Status)+"   labels: "+strings.Join(d.Issue.Labels, ", "))
	}
	entries := t.entries()
	t.anchors = t.anchors[:0]
	for _, e := range entries {
		page.Blank()
		page.Stop()
		t.anchors = append(t.anchors, e.on)
		page.Line(e.head)
		if text, ok := t.quotes.Line(t.dossier, e.on); ok && e.on.Line > 0 {
			page.TextLine(" ┃ ", text)
		}
		if e.body != "" {
			t.Texts.Prose(page, t.frame.Theme, t.TabWidth(t.frame.Layout, tabThread), e.body)
		}
	}
	if len(entries) == 0 {
		page.Blank()
		page.Faint("", "No comments yet. C adds one.")
	}
	t.pager.Replace(page.Rows())
}

// entry is a comment, a decision, or a waiver in the thread.
type entry struct {
	at   time.Time
	head draw.Line
	body string
	on   review.Anchor
}

// entries returns the comments, decisions, and waivers in chronological order.
func (t *threadPane) entries() []entry {
	d, theme := t.dossier, t.frame.Theme
	var entries []entry
	for _, c := range d.Comments {
		var on review.Anchor
		head := draw.Of(theme.Strong, draw.Escape(c.Author.String())).Add(theme.Faint, "  "+screen.FormatTime(c.At))
		if c.Field != "" {
			on = review.Anchor{Revision: c.Revision, Field: c.Field, Line: c.Line}
			head = head.Add(theme.Faint, "  on "+draw.Escape(place(on)))
		}
		entries = append(entries, entry{c.At, head, c.Body, on})
	}
	for _, x := range d.Decisions {
		word, style := draw.Safe("✓ approved"), theme.Good
		switch x.Verdict {
		case proposals.VerdictNeedsChanges:
			word, style = "↺ sent back", theme.Warn
		case proposals.VerdictRejected:
			word, style = "✗ rejected", theme.Bad
		case proposals.VerdictEndorsed:
			word = "✓ approved; other approvals were still required"
		case proposals.VerdictApproved:
		}
		head := draw.Of(style, word).Add(theme.Strong, "  "+draw.Escape(x.By.String())).Add(theme.Faint, draw.Escapef("  %s  revision %d", screen.FormatTime(x.At), x.Revision))
		entries = append(entries, entry{x.At, head, x.Note, review.Anchor{}})
	}
	for _, w := range d.Waivers {
		word := draw.Safe("□ waived ")
		if w.Ends() {
			word = "■ ended the waiver of "
		}
		head := draw.Of(theme.Faint, word+draw.Escape(w.Rule)+" in "+draw.Escape(wording.FieldName(w.Path))).Add(theme.Strong, "  "+draw.Escape(w.By)).Add(theme.Faint, "  "+screen.FormatTime(w.At))
		entries = append(entries, entry{w.At, head, w.Reason, review.Anchor{}})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.at.Compare(b.at) })
	return entries
}

// show selects comment number n.
func (t *threadPane) show(n int) {
	c := t.dossier.Comments[n]
	for i, a := range t.anchors {
		if a.Field == c.Field && a.Line == c.Line && a.Revision == c.Revision {
			t.pager.SetStop(i)
			return
		}
	}
}

// CannotOpen implements tab.
func (t *threadPane) CannotOpen() string { return t.noneSelected() }

// OpenSelected implements tab. It shows the line to which the selected comment refers.
func (t *threadPane) OpenSelected() tea.Cmd {
	n := t.pager.Stop()
	if n < 0 || n >= len(t.anchors) || t.anchors[n].Field == "" {
		return t.Shell.Say(screen.Warning, "This comment is on the whole proposal")
	}
	at := t.anchors[n]
	if at.Revision != t.dossier.Revision.Number {
		t.Shell.Say(screen.Remark, "The comment is on revision %d; the current revision is %d", at.Revision, t.dossier.Revision.Number)
	}
	t.host.rememberTab(tabThread)
	return t.host.showLine(at.Field, at.Line)
}
