package review

import "toolcrib/review/rules"

// RuleFindings is the open findings of one rule in one revision.
type RuleFindings struct {
	Rule     string
	Severity rules.Severity
	Count    int
	First    Standing
}

// OpenByRule sums findings that are open up by rule, in the order in which the
// rules come first.
func OpenByRule(standing []Standing) []RuleFindings {
	var sums []RuleFindings
	at := map[string]int{}
	for _, s := range standing {
		if !s.Open() {
			continue
		}
		i, known := at[s.Rule]
		if !known {
			i, at[s.Rule] = len(sums), len(sums)
			sums = append(sums, RuleFindings{Rule: s.Rule, Severity: s.Severity, First: s})
		}
		sums[i].Count++
	}
	return sums
}

// BlocksByRule is OpenByRule for the findings that keep a revision from being
// approved.
func BlocksByRule(standing []Standing) []RuleFindings {
	var blocks []Standing
	for _, s := range standing {
		if s.Blocks() {
			blocks = append(blocks, s)
		}
	}
	return OpenByRule(blocks)
}
