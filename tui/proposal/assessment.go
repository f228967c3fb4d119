// This file shows the findings, and the comment of the reviewer called Chief of Staff.

package proposal

import (
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// assessmentPane is the tab with the findings, sorted by severity, and the comment of the Chief of
// Staff.
type assessmentPane struct{ findingPane }

// Count implements tab.
func (t *assessmentPane) Count() int { return len(t.dossier.Standing) }

// Fill implements tab. Each finding is a stop of the pager.
func (t *assessmentPane) Fill() {
	d := t.dossier
	page := prose.New(t.frame.Theme)
	defer func() { t.pager.Replace(page.Rows()) }()
	page.Blank()
	a := d.Assessment()
	if a == nil {
		page.Faint("", "This revision has no assessment yet.")
		return
	}
	advice, style := labels.Advice(t.frame.Theme, a.Recommendation)
	page.Line(draw.Of(t.frame.Theme.Faint, draw.Pad("chief", prose.LabelWidth)).Add(style, advice))
	page.Field("reviewer", a.Reviewer.String()+", "+string(screen.FormatTime(a.At)))
	rules := a.RulesVersion
	if d.OtherRules {
		rules += ", not the rules in force; ctrl+r reviews the revision again"
	}
	page.Field("rules", rules)
	if page.Blank(); len(t.findings) > 0 {
		t.quotes.Findings(page, t.frame.Theme, d, t.findings, t.reading().Passages)
		page.Blank()
	}
	page.Heading("Reviewer's comment")
	t.Texts.Prose(page, t.frame.Theme, t.TabWidth(t.frame.Layout, tabAssessment), a.Report.Comment)
	if a.Report.Builtin != "" {
		page.Blank()
		page.Heading(proposals.BuiltinChief().String())
		t.Texts.Prose(page, t.frame.Theme, t.TabWidth(t.frame.Layout, tabAssessment), a.Report.Builtin)
	}
}
