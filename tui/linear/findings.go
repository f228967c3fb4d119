package linear

import (
	"errors"
	"fmt"
	"strings"

	"toolcrib/review"
)

// inTheWay says why the actor who looks cannot approve: by rule where blocks
// are open, as they can be many.
func inTheWay(d review.Dossier) []string {
	var out []string
	for _, o := range d.Obstacles {
		if !errors.Is(o, review.ErrBlocked) {
			out = append(out, sentence(o))
			continue
		}
		n, names := 0, []string{}
		for _, b := range review.BlocksByRule(d.Standing) {
			n += b.Count
			names = append(names, times(b))
		}
		out = append(out, count(n, "open block", "open blocks")+": "+strings.Join(names, ", ")+". Say findings.")
	}
	return out
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
		return []string{"No finding is open."}
	}
	return lines
}
