package tui

import (
	"hash/fnv"
	"strings"

	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
)

// maxPassage is how much of a passage is quoted, in bytes; all of it stands in
// the diff.
const maxPassage = 2000

// assessment lists the findings, the worst first, and what the Chief of Staff
// says. Every finding is a stop.
func (pp *proposalPage) assessment(m *Model) pager.Rows {
	d := pp.dossier
	page := prose.New(m.theme)
	page.Blank()
	a := d.Assessment()
	if a == nil {
		page.Faint("", "Nobody has assessed this revision yet.")
		return page.Rows()
	}
	advice, style := m.adviceWord(a.Recommendation)
	page.Line(draw.Of(m.theme.Faint, draw.Pad("advice", prose.LabelWidth)).Add(style, advice))
	page.Field("reviewer", a.Reviewer.String()+", "+string(m.stampOf(a.At)))
	page.Field("rules", a.RulesVersion)
	for _, s := range d.Standing {
		page.Blank()
		page.Stop()
		pp.finding(m, page, s)
	}
	page.Blank()
	page.Heading("What the reviewer says")
	page.Text("  ", a.Report.Comment)
	return page.Rows()
}

func (pp *proposalPage) finding(m *Model, page *prose.Page, s review.Standing) {
	sign, style := m.severityWord(s.Severity)
	if s.Waiver != nil {
		sign, style = "□ waived", m.theme.Faint
	}
	where := draw.Show(s.Path)
	if s.Line > 0 {
		where += draw.Showf(" %d:%d", s.Line, s.Column)
	}
	page.Line(draw.Of(style, " "+draw.Pad(sign, 9)).Add(m.theme.Strong, draw.Show(s.Rule)+"  ").Add(m.theme.Faint, where))
	page.Text("          ", s.Message)
	if s.Passage != "" {
		passage := s.Passage
		if len(passage) > maxPassage {
			passage = strings.ToValidUTF8(passage[:maxPassage], "") + " …"
		}
		id := findingID(s)
		for n, line := range strings.Split(passage, "\n") {
			page.Tracked("        ┃ ", line, m.theme.Mark, id+pager.Text(n))
		}
	}
	if s.Suggestion != "" {
		page.Faint("          ", "→ "+s.Suggestion)
	}
	if s.Waiver != nil {
		page.Faint("          ", "waived by "+s.Waiver.By+": "+s.Waiver.Reason)
	}
}

// findingID names the passage of a finding for the pager.
func findingID(s review.Standing) pager.Text {
	h := fnv.New64a()
	h.Write([]byte(review.Handle(s.Finding)))
	return pager.Text(h.Sum64()&^0xffff | 1)
}

// unseenFindings names the findings about hidden characters that have not been
// on the screen.
func unseenFindings(r *reading) []string {
	var names []string
	for _, s := range r.dossier.Standing {
		if clean(s.Passage) {
			continue
		}
		for n, line := range strings.Split(s.Passage[:min(len(s.Passage), maxPassage)], "\n") {
			if !r.finds.Seen(findingID(s)+pager.Text(n), len(strings.ToValidUTF8(line, ""))) {
				names = append(names, s.Rule+" in "+s.Path)
				break
			}
		}
	}
	return names
}
