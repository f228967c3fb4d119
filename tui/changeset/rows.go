// This file lays out the rows of the page, and determines which texts the user must read.

package changeset

import (
	"cmp"
	"strings"

	"toolcrib/proposals"
	"toolcrib/review/rules"
	"toolcrib/review/setpage"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// rows contains the visible rows of a page and the texts that the user must read.
type rows struct {
	pager.Fixed
	member []int // for each row, the index of its member; -1 if the row describes the whole set
	all    []text
}

// text is a text that must be on screen before the user can approve the set.
type text struct {
	track  pager.TextID
	need   int    // number of bytes that must be on screen
	member int    // index of the member; -1 if the text describes the whole set
	part   string // file or field to which a line belongs; "" for none
	line   bool   // the text is neither a heading nor a finding, so the user can choose to approve it unread
	row    int    // row that shows the text; for a folded text, the next visible row
	fold   bool   // the text is folded
	from   int    // index of an earlier member with the same lines; -1 if there is none
}

// textKey identifies a text. nth distinguishes equal texts of the same proposal: it is 1 for the first.
type textKey struct {
	of   proposals.ID
	kind setpage.Kind
	sign string
	text string
	nth  int
}

// textIDs maps texts to IDs. An ID does not change when other texts are added or removed, because the pager's
// record refers to it.
type textIDs map[textKey]pager.TextID

func (t textIDs) number(s textKey) pager.TextID {
	if _, known := t[s]; !known {
		t[s] = pager.TextID(len(t) + 1)
	}
	return t[s]
}

// maxTextWidth is the maximum width of the text column, in cells.
const maxTextWidth = 140

// maxIndent is the maximum indentation of a parameter, in steps. Deeper parameters would not fit on a narrow
// terminal.
const maxIndent = 6

// isRestore reports whether a user proposed p to restore a version. The content of such a version was approved
// before, so it need not be read again.
func isRestore(p proposals.Proposal) bool {
	return p.Type == proposals.Restore && p.Author.Kind == proposals.User
}

// layOut lays out the rows for the current theme. Unless raw is set, it folds the lines of files and of
// restored versions. The user must read all texts except restored versions, blank lines, the counts in the
// title, and imported JSON.
func (p *Page) layOut(raw bool) pager.Rows {
	if p.content.Rows == nil || raw != p.raw { // this call takes longer than the rest of layOut
		p.content, p.raw = setpage.Of(p.set, raw), raw
	}
	r := &rows{}
	times := map[textKey]int{}
	for _, row := range p.content.Rows {
		if row.Kind == setpage.Tool {
			r.StopRows = append(r.StopRows, len(r.Rows))
		}
		restored := row.Kind == setpage.Text && row.Tool >= 0 && isRestore(p.set.Members[row.Tool].Proposal)
		c, fold := cellOf(p.Frame.Theme, row), (row.Fold || restored) && !raw
		if row.Kind != setpage.Raw && row.Kind != setpage.Title && !restored && c.Text.Raw != "" {
			s := textKey{kind: row.Kind, sign: row.Sign, text: cmp.Or(row.Same, row.Part+c.Text.Raw)}
			if row.Tool >= 0 {
				s.of = p.set.Members[row.Tool].Proposal.ID
			}
			times[s]++
			s.nth = times[s]
			c.Track = p.texts.number(s)
			r.all = append(r.all, text{
				track: c.Track, need: len(c.Text.Raw), member: row.Tool, part: row.Part, row: len(r.Rows), fold: fold,
				line: row.Tool >= 0 && row.Kind == setpage.Text, from: row.From - 1,
			})
		}
		if fold {
			continue
		}
		r.Rows, r.member = append(r.Rows, pager.Row{Cells: []pager.Cell{c}}), append(r.member, row.Tool)
	}
	p.rows = r
	return r
}

// cellOf draws a row of the page as a cell.
func cellOf(th theme.Theme, row setpage.Row) pager.Cell {
	gutter, base := draw.Of("", "   "), th.Text
	name, detail := th.Accent, th.Faint
	switch row.Kind {
	case setpage.Title:
		gutter, name = draw.Of("", " "), th.Strong
	case setpage.Note:
		gutter, base = draw.Of("", " "), th.Faint
	case setpage.Tool:
		gutter, name, base = draw.Of(th.Accent, " ▌ "), th.Strong, th.Faint
	case setpage.Text:
		switch row.Sign {
		case "+":
			gutter = draw.Of(th.Good, " + ")
		case "-":
			gutter, base, name = draw.Of(th.Bad, " − "), th.Faint, th.Faint
		}
		if strings.Contains(row.Detail, "destructive") && row.Name == "hints" {
			detail = th.Warn
		}
		indent := 2 * min(row.Depth, maxIndent)
		if row.Part != "" {
			indent = 4
		}
		gutter = gutter.Add(th.Text, draw.Safe(draw.Blank(indent)))
	case setpage.Finding:
		sign, style := labels.Severity(th, row.Severity)
		if row.Waived {
			sign, style = "waived", th.Faint
		}
		gutter = draw.Of("", "   ").Add(style, draw.Pad(sign, 9))
	case setpage.Fact:
		gutter, base = draw.Of(th.Faint, "   "+draw.Pad(draw.Escape(row.Sign), 2)), th.Text
		if row.Tool < 0 { // a row about the whole set lists all facts of one kind
			gutter, row.Name = draw.Of(th.Accent, " "+draw.Pad(draw.Escape(row.Name), 8)), ""
		}
		if row.Severity == rules.Warn {
			name = th.Warn
		}
	case setpage.File:
		gutter, name = draw.Of(th.Field, "   ◆ "), th.Field
	case setpage.Raw:
		gutter, base = draw.Of("", "     "), th.Faint
	}
	text := draw.Text{Base: base, Hidden: th.Hidden, Faint: th.Faint}
	for _, part := range []struct {
		text  string
		style theme.Style
	}{{row.Name, name}, {row.Detail, detail}, {row.Text, base}} {
		if part.text == "" {
			continue
		}
		if text.Raw != "" {
			text.Raw += "  "
		}
		text.Marks = append(text.Marks, draw.Mark{Start: len(text.Raw), End: len(text.Raw) + len(part.text), Style: part.style})
		text.Raw += part.text
	}
	return pager.Cell{Gutter: gutter, Hang: draw.Of("", draw.Safe(draw.Blank(gutter.Width()))), Text: text, MaxWidth: maxTextWidth}
}
