package tui

import (
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// blocksInTheWay lists the first open blocks, and where the others are.
func blocksInTheWay(m *Model, page *prose.Page, d review.Dossier) {
	blocks := review.BlocksByRule(d.Standing)
	for _, s := range blocks[:min(len(blocks), wording.MaxRules)] {
		sign, style := labels.Severity(m.theme, s.Severity)
		page.Item(draw.Of(style, "  "+draw.Pad(sign, 9)), wording.FirstOf(s))
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
