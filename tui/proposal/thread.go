package proposal

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

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
		origin := "content " + wording.Short(r.ContentHash) + ", against " + wording.Against(r.Draft.Base())
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
