package tui

import (
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// openFindings lists the findings that are not waived, those of a rule in one
// row.
func openFindings(m *Model, page *prose.Page, d review.Dossier) {
	sums := review.OpenByRule(d.Standing)
	for i, s := range sums {
		label := draw.Safe("")
		if i == 0 {
			label = "findings"
		}
		sign, style := labels.Severity(m.theme, s.Severity)
		page.Item(draw.Of(m.theme.Faint, draw.Pad(label, prose.LabelWidth)).Add(style, draw.Pad(sign, 9)), firstOf(s))
	}
	if len(sums) == 0 {
		page.Field("findings", "none open")
	}
}

// firstOf is the first finding of a rule, and how many there are.
func firstOf(s review.RuleFindings) string { return wording.Times(s) + ": " + s.First.Message }

// blocksInTheWay says what the first open blocks are, and where the rest is.
func blocksInTheWay(m *Model, page *prose.Page, d review.Dossier) {
	blocks := review.BlocksByRule(d.Standing)
	for _, s := range blocks[:min(len(blocks), wording.MaxRules)] {
		sign, style := labels.Severity(m.theme, s.Severity)
		page.Item(draw.Of(style, "  "+draw.Pad(sign, 9)), firstOf(s))
	}
}

// openWord sums up the findings of a proposal that are not waived, the worst
// first.
func openWord(m *Model, d review.Dossier) (draw.Safe, theme.Style) {
	sums := review.OpenByRule(d.Standing)
	if len(sums) == 0 {
		return "no open findings", m.theme.Faint
	}
	_, style := labels.Severity(m.theme, sums[0].Severity)
	var words draw.Safe
	for len(sums) > 0 {
		n := 1
		for n < len(sums) && sums[n].Severity == sums[0].Severity {
			n++
		}
		if words != "" {
			words += "; "
		}
		sign, _ := labels.Severity(m.theme, sums[0].Severity)
		words += sign + " " + draw.Show(wording.Rules(sums[:n]))
		sums = sums[n:]
	}
	return words, style
}
