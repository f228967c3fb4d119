package assessing

import (
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/review/rules"
)

// Recommend is the policy by which findings that nobody waived become a
// recommendation:
//
//   - reject, when a core tool is touched or something dangerous is certain: a
//     block of family L or S;
//   - needs_changes, when any other finding blocks, or a warning says that
//     the text could turn an agent against its user or its protocol, that
//     there is such a tool already, or that a test case did not come out as
//     expected: a warning of family S, P, O or T; or one that nobody can read a file as
//     its reader will, or that another program may obey it (F106, F109, F111);
//   - approve otherwise; other warnings are for the user to weigh.
func Recommend(findings []rules.Finding) proposals.Recommendation {
	worst := proposals.RecommendApprove
	for _, f := range findings {
		family := f.Rule[:1]
		switch {
		case f.Severity == rules.Block && (family == "L" || family == "S"):
			worst = worst.Lower(proposals.RecommendReject)
		case f.Severity == rules.Block, f.Severity == rules.Warn && (strings.Contains("SPOT", family) || slices.Contains(notAsRead, f.Rule)):
			worst = worst.Lower(proposals.RecommendNeedsChanges)
		}
	}
	return worst
}

// notAsRead are the rules about files whose effect differs from what a person can read.
var notAsRead = []string{"F106", "F109", "F111"}
