package cli

import (
	"strings"

	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/review/setpage"
)

// writeSetPage prints a change set of imported tools as one page.
func writeSetPage(p *page, set review.ChangeSet, full bool) {
	for _, r := range setpage.Of(set, full).Rows {
		switch r.Kind {
		case setpage.Title:
			p.raw(p.paint(inkStrong, "Change set "+safe(r.Name)) + ": " + safe(r.Text))
		case setpage.Note:
			p.raw("  " + p.paint(inkFaint, spaced(r.Name, r.Text)))
		case setpage.Tool:
			p.blank()
			p.raw(p.paint(inkStrong, safe(r.Name)) + "  " + p.paint(inkFaint, spaced(r.Detail, r.Text)))
		case setpage.Text:
			ink := map[string]ink{"+": inkGood, "-": inkBad}[r.Sign]
			p.raw(p.paint(ink, signed(r.Sign)+strings.Repeat("  ", r.Depth)+spaced(r.Name, r.Detail, r.Text)))
		case setpage.Finding:
			writeSetFinding(p, r)
		case setpage.Raw:
			p.raw("      " + p.paint(inkFaint, safe(r.Text)))
		}
	}
	if !full {
		p.remark("The imported JSON of each tool: toolcrib show 'set:%s' --full", set.Name)
	}
}

func signed(sign string) string {
	if sign == "" {
		return "  "
	}
	return sign + " "
}

func writeSetFinding(p *page, r setpage.Row) {
	state, ink := string(r.Severity), map[rules.Severity]ink{rules.Block: inkBad, rules.Warn: inkWarn}[r.Severity]
	if r.Waived {
		state, ink = "waived", inkFaint
	}
	p.raw("    " + p.paint(ink, "! "+state+" "+safe(r.Name)) + "  " + safe(r.Text))
}

// spaced puts the parts that there are on one line, safe to print.
func spaced(parts ...string) string {
	var there []string
	for _, part := range parts {
		if part != "" {
			there = append(there, safe(part))
		}
	}
	return strings.Join(there, "  ")
}
