package linear

import (
	"fmt"

	"toolcrib/review"
	"toolcrib/tui/wording"
)

// inTheWay returns why the actor who looks cannot approve, a sentence each.
func inTheWay(d review.Dossier) []string {
	ways := wording.Obstacles(d, wording.Ways{Findings: "; say findings", Rebase: "; say rebase"})
	for i, way := range ways {
		ways[i] = stopped(way)
	}
	return ways
}

// openFindings lists the findings that are not waived, those of a rule in one
// line.
func openFindings(d review.Dossier) []string {
	var lines []string
	for _, r := range review.OpenByRule(d.Standing) {
		if r.Count == 1 {
			lines = append(lines, "Open finding: "+findingLine(r.First))
			continue
		}
		lines = append(lines, fmt.Sprintf("Open findings: %s, the first: %s", wording.Times(r), findingLine(r.First)))
	}
	if len(lines) == 0 {
		return []string{"No open findings."}
	}
	return lines
}
