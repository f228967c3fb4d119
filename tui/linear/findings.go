package linear

import (
	"fmt"
	"strings"

	"toolcrib/review"
	"toolcrib/tui/wording"
)

// inTheWay returns why the actor who looks cannot approve, a sentence each.
func inTheWay(d review.Dossier) []string {
	ways := wording.Obstacles(d, func(blocks []review.RuleFindings) string {
		names := make([]string, len(blocks))
		for i, b := range blocks {
			names[i] = times(b)
		}
		return strings.Join(names, ", ") + "; say findings"
	})
	for i, way := range ways {
		ways[i] = stopped(way)
	}
	return ways
}

// times is a rule with how often it found something, where that is more than
// once.
func times(r review.RuleFindings) string {
	if r.Count == 1 {
		return r.Rule
	}
	return fmt.Sprintf("%s %d times", r.Rule, r.Count)
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
		lines = append(lines, fmt.Sprintf("Open findings: %s, the first: %s", times(r), findingLine(r.First)))
	}
	if len(lines) == 0 {
		return []string{"No open findings."}
	}
	return lines
}
