package proposal

import (
	"fmt"
	"hash/fnv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// maxPassage is how much of a passage is quoted, in bytes; all of it stands in
// the diff.
const maxPassage = 2000

// assessment lists the findings, the worst first, and what the Chief of Staff
// says. Every finding is a stop.
func (pp *Page) assessment() pager.Rows {
	d := pp.dossier
	page := prose.New(pp.frame.Theme)
	page.Blank()
	a := d.Assessment()
	if a == nil {
		page.Faint("", "This revision has no assessment yet.")
		return page.Rows()
	}
	advice, style := labels.Advice(pp.frame.Theme, a.Recommendation)
	page.Line(draw.Of(pp.frame.Theme.Faint, draw.Pad("chief", prose.LabelWidth)).Add(style, advice))
	page.Field("reviewer", a.Reviewer.String()+", "+string(screen.Stamp(a.At)))
	rules := a.RulesVersion
	if d.OtherRules {
		rules += ", other than those in force; ctrl+r assesses it again"
	}
	page.Field("rules", rules)
	for _, s := range d.Standing {
		page.Blank()
		page.Stop()
		pp.finding(page, s)
	}
	page.Blank()
	page.Heading("Reviewer's comment")
	if a.Reviewer == proposals.BuiltinChief() {
		pp.Texts.Prose(page, pp.frame.Theme, pp.WidthOf(pp.frame.Layout, tabAssessment), a.Report.Comment)
	} else {
		reviewComment(page, pp.frame.Theme, a.Report.Comment)
	}
	if a.Report.Builtin != "" {
		page.Blank()
		page.Heading(proposals.BuiltinChief().String())
		pp.Texts.Prose(page, pp.frame.Theme, pp.WidthOf(pp.frame.Layout, tabAssessment), a.Report.Builtin)
	}
	return page.Rows()
}

func reviewComment(page *prose.Page, th theme.Theme, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		page.Marked("  ", line, strongMarks(line, th))
	}
}

// strongMarks emphasizes text between double asterisks, and keeps the asterisks,
// so that the text stays unchanged.
func strongMarks(line string, th theme.Theme) []draw.Mark {
	var marks []draw.Mark
	for from := 0; ; {
		open := strings.Index(line[from:], "**")
		if open < 0 {
			return marks
		}
		open += from
		end := strings.Index(line[open+2:], "**")
		if end < 0 {
			return marks
		}
		end += open + 2
		marks = append(marks, draw.Mark{Start: open, End: open + 2, Style: th.Off}, draw.Mark{Start: open + 2, End: end, Style: th.Strong},
			draw.Mark{Start: end, End: end + 2, Style: th.Off})
		from = end + 2
	}
}

func (pp *Page) finding(page *prose.Page, s review.Standing) {
	sign, style := labels.Severity(pp.frame.Theme, s.Severity)
	if s.Waiver != nil {
		sign, style = "□ waived", pp.frame.Theme.Faint
	}
	where := draw.Show(s.Path)
	if s.Line > 0 {
		where += draw.Showf(" %d:%d", s.Line, s.Column)
	}
	page.Line(draw.Of(style, " "+draw.Pad(sign, 9)).Add(pp.frame.Theme.Strong, draw.Show(s.Rule)+"  ").Add(pp.frame.Theme.Faint, where))
	page.Text("          ", s.Deed())
	id, need := findingID(s), pp.Seen.of[pp.id].passages
	for n, q := range pp.passage(s) {
		page.TrackedMarks("        ┃ ", q.text, pp.frame.Theme.Faint, []draw.Mark{{Start: q.start, End: q.end, Style: pp.frame.Theme.Mark}}, id+pager.Text(n))
		need[id+pager.Text(n)] = q.end
	}
	for _, remedy := range s.Remedies() {
		page.Faint("          ", "→ "+remedy)
	}
	if s.Waiver != nil {
		page.Faint("          ", "waived by "+s.Waiver.By+": "+s.Waiver.Reason)
	}
}

// quotation is a line in which a passage stands from start to before end.
type quotation struct {
	text       string
	start, end int
}

// around is how much of its line is quoted on either side of a passage, in
// characters.
const around = 32

// passageLines are the lines of a passage, as much as is quoted.
func passageLines(s review.Standing) []string {
	switch {
	case s.Passage == "":
		return nil
	case len(s.Passage) > maxPassage:
		return strings.Split(strings.ToValidUTF8(s.Passage[:maxPassage], "")+" …", "\n")
	}
	return strings.Split(s.Passage, "\n")
}

// passage quotes the passage of a finding: one line with its context, several
// without.
func (pp *Page) passage(s review.Standing) []quotation {
	lines := passageLines(s)
	out := make([]quotation, len(lines))
	for i, l := range lines {
		out[i] = quotation{l, 0, len(l)}
	}
	if len(lines) != 1 || s.Line == 0 || s.Passage != lines[0] {
		return out
	}
	line, ok := pp.line(s.Path, s.Line)
	if !ok {
		return out
	}
	runes := []rune(line)
	at := min(max(0, s.Column-1), len(runes))
	rest := string(runes[at:])
	if !strings.HasPrefix(rest, s.Passage) {
		return out
	}
	before, after := runes[max(0, at-around):at], []rune(rest[len(s.Passage):])
	q := quotation{text: string(before)}
	if at > around {
		q.text = "…" + q.text
	}
	q.start, q.end = len(q.text), len(q.text)+len(s.Passage)
	q.text += s.Passage + string(after[:min(len(after), around)])
	if len(after) > around {
		q.text += "…"
	}
	return []quotation{q}
}

// line returns a line of a field of the revision, counted from 1.
func (pp *Page) line(path string, n int) (string, bool) {
	draft := pp.dossier.Revision.Draft
	if hash := pp.dossier.Revision.ContentHash; pp.source == nil || pp.sourceOf != hash {
		doc, err := jsondoc.Parse(draft.Canonical(), jsondoc.DefaultLimits)
		if err != nil {
			return "", false
		}
		pp.source, pp.sourceOf = doc, hash
	}
	field := pp.source.Find(path)
	if below, ok := strings.CutPrefix(path, wire.SourcePath); ok {
		field = nil
		if t := draft.Definition.Tool; t != nil {
			field = wire.Unread(*t, pp.dossier.Source).Find(below)
		}
	}
	if field == nil || field.Kind != jsondoc.String {
		return "", false
	}
	lines := strings.Split(field.Text, "\n")
	if n > len(lines) {
		return "", false
	}
	return lines[n-1], true
}

// findingID names the passage of a finding for the pager.
func findingID(s review.Standing) pager.Text {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d:%d", review.Handle(s.Finding), s.Line, s.Column)
	return pager.Text(h.Sum64()&^0xffff | 1)
}
