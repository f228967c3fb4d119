// This file writes the comment of an assessment and derives the recommendation.

package assessing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/harness"
	"toolcrib/review/rules"
	"toolcrib/review/rules/overlaps"
)

// comment returns the text of an assessment, with the answers to four questions: whether the change makes sense,
// whether it overlaps a core tool, whether it breaks guardrails or policy, and what must change. If no active rule
// examines a question, the answer states this. Each answer also describes the hints and the waived findings. If there
// are any, the answer does not claim that nothing was found.
func (c *Chief) comment(r review.Report, standing []review.Standing, recommendation proposals.Recommendation, o review.Opinion) string {
	open, waived := review.Unwaived(standing)
	var b strings.Builder
	b.WriteString("**Does it make sense?** ")
	b.WriteString(sense(open, r.Harness, otherFindings(standing, senseFamilies)))
	b.WriteString("\n\n**Does it overlap a core tool?** ")
	b.WriteString(c.overlap(open, otherFindings(standing, overlapFamilies)))
	b.WriteString("\n\n**Does it break guardrails or policy?** ")
	b.WriteString(c.breach(open, otherFindings(standing, breachFamilies)))
	b.WriteString("\n\n**What must change?** ")
	b.WriteString(mustChange(open, recommendation))
	if waived > 0 {
		fmt.Fprintf(&b, "\n\n**Waived by the user:** %s.", count(waived, "finding", "findings"))
	}
	if o.Comment != "" {
		b.WriteString("\n\n**The reviewer adds:** " + o.Comment)
	}
	if lowered := c.rules.Lowered(); len(lowered) > 0 {
		more := ""
		if len(lowered) > mostLowered {
			lowered, more = lowered[:mostLowered], "; and more, which `toolcrib doctor` lists"
		}
		b.WriteString("\n\n**Rules that the configuration weakens:** " + strings.Join(lowered, "; ") + more + ".")
	}
	for _, problem := range o.Problems {
		b.WriteString("\n\n**A reviewer failed:** " + problem)
	}
	return b.String()
}

// Maximum numbers of items in a comment. The full list of findings follows the comment.
const (
	mostLowered = 4 // rules that the configuration weakens
	mostSteps   = 5 // remedies
	mostFields  = 3 // fields of a remedy
)

// The rule families for each question.
const (
	senseFamilies   = "TNDB" // template, names, data and budget
	overlapFamilies = "LO"   // lock and overlap
	// breachFamilies are the rule families for security, protocol, registry, and agents, and the findings of external
	// reviewers.
	breachFamilies = "SPRA" + review.ExternalRule
)

// sense answers the first question from the findings of senseFamilies and the results of the test cases. aside contains
// the sentences about hints and waived findings.
func sense(open []rules.Finding, cases []harness.Result, aside string) string {
	if f, more := worst(open, senseFamilies); f.Message != "" {
		return verdict(f, "Not yet: ", "Mostly, but: ") + more + aside
	}
	notRun := len(lists.Filter(cases, func(c harness.Result) bool { return c.Outcome == harness.NotRun }))
	names := "nothing is missing and the names follow the conventions"
	if aside != "" {
		names = "no rule about the template, names, or data warns"
	}
	switch {
	case len(cases) == 0:
		return "Yes: " + names + "." + aside
	case notRun == 0 && aside == "":
		return "Yes: nothing is missing, the names follow the conventions, and the test cases come out as expected."
	case notRun == 0:
		return "Yes: " + names + ", and the test cases come out as expected." + aside
	}
	return fmt.Sprintf("As far as tested: %s, but %s not run. %s%s", names, count(notRun, "test case was", "test cases were"),
		cases[slices.IndexFunc(cases, func(c harness.Result) bool { return c.Outcome == harness.NotRun })].Reason, aside)
}

// overlap answers the second question from the findings of overlapFamilies. The lock rules and the rule
// overlaps.LikeCore concern core tools; all other findings concern other tools.
func (c *Chief) overlap(open []rules.Finding, aside string) string {
	f, more := worst(open, overlapFamilies)
	core, _ := worst(lists.Filter(open, func(f rules.Finding) bool { return f.Rule[:1] == "L" || f.Rule == overlaps.LikeCore }), overlapFamilies)
	switch {
	case core.Message != "":
		return "Yes: " + core.Message + more + aside
	case f.Message == "" && !c.rules.Has("O"):
		return "No id or alias of a core tool is reused. Similarity was not checked, because no rule that checks it is enabled." + aside
	case f.Message == "" && aside != "":
		return "No warnings." + aside
	case f.Message == "":
		return "No."
	}
	return "Not a core tool, but another one: " + f.Message + more + aside
}

// breach answers the third question from the findings of breachFamilies.
func (c *Chief) breach(open []rules.Finding, aside string) string {
	f, more := worst(open, breachFamilies)
	switch {
	case f.Message != "":
		return verdict(f, "Yes: ", "Perhaps: ") + more + aside
	case !c.rules.Has("S"):
		return "Not checked, because no security rule is enabled. Read the text yourself." + aside
	case aside != "":
		return "No warnings." + aside
	}
	return "No violation found."
}

// otherFindings returns sentences about the hints and the waived findings of the given families. It returns "" if there
// are no such findings.
func otherFindings(standing []review.Standing, families string) string {
	hints, waived, first := 0, 0, ""
	for _, s := range standing {
		switch {
		case !strings.Contains(families, s.Rule[:1]):
		case s.Carried: // listed with the version that contains it
		case !s.Open():
			waived++
		case s.Severity == rules.Info:
			if hints++; hints == 1 {
				first = s.Message
			}
		}
	}
	var b strings.Builder
	switch {
	case hints == 1:
		b.WriteString(" One hint: " + first)
	case hints > 1:
		fmt.Fprintf(&b, " %d hints, the first: %s", hints, first)
	}
	if waived > 0 {
		fmt.Fprintf(&b, " The user waived %s of this kind.", count(waived, "finding", "findings"))
	}
	return b.String()
}

// worst returns the most severe finding of the given families, and a note with the number of further findings. It
// ignores findings of the severity info.
func worst(open []rules.Finding, families string) (rules.Finding, string) {
	var first rules.Finding
	n := 0
	for _, f := range open {
		if f.Severity == rules.Info || !strings.Contains(families, f.Rule[:1]) {
			continue
		}
		if n++; n == 1 || f.Severity.Rank() > first.Severity.Rank() {
			first = f
		}
	}
	if n < 2 {
		return first, ""
	}
	return first, fmt.Sprintf(" (and %d more)", n-1)
}

// verdict returns the message of f with a prefix. The prefix is the argument block if f has the severity block, and the
// argument warn otherwise.
func verdict(f rules.Finding, block, warn string) string {
	if f.Severity == rules.Block {
		return block + f.Message
	}
	return warn + f.Message
}

// mustChange lists the remedies of the blocking findings. If no finding blocks, it lists the remedies of the findings
// that prevent a recommendation to approve.
func mustChange(open []rules.Finding, recommendation proposals.Recommendation) string {
	if list := steps(open, func(f rules.Finding) bool { return f.Severity == rules.Block }); list != "" {
		return "Before it can be approved:\n\n" + list
	}
	list := steps(open, func(f rules.Finding) bool { return Recommend([]rules.Finding{f}) != proposals.RecommendApprove })
	switch {
	case list != "":
		return "It can be approved, but this should change:\n\n" + list
	case recommendation == proposals.RecommendApprove:
		return "Nothing."
	}
	return "See the reviewer's comment."
}

// steps lists the distinct remedies of the findings for which include returns true. It lists each remedy after the
// fields that the remedy applies to.
func steps(open []rules.Finding, include func(rules.Finding) bool) string {
	var order []string
	fields := map[string][]string{}
	for _, f := range open {
		if !include(f) {
			continue
		}
		what := cmp.Or(f.Importer, f.Suggestion, f.Message)
		if _, known := fields[what]; !known {
			order = append(order, what)
		}
		if !slices.Contains(fields[what], f.Path) {
			fields[what] = append(fields[what], f.Path)
		}
	}
	var lines []string
	for i, what := range order {
		if i == mostSteps {
			lines = append(lines, fmt.Sprintf("- %s; see the findings.", count(len(order)-i, "more thing", "more things")))
			break
		}
		where, more := fields[what], ""
		if len(where) > mostFields {
			where, more = where[:mostFields], fmt.Sprintf(" and %s", count(len(where)-mostFields, "more field", "more fields"))
		}
		lines = append(lines, fmt.Sprintf("- %s%s: %s", strings.Join(where, ", "), more, what))
	}
	return strings.Join(lines, "\n")
}

// count returns n with a noun: singular if n is 1, and plural otherwise.
func count(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprintf("%d %s", n, plural)
}

// Recommend derives a recommendation from the open findings:
//
//   - reject if a finding of family L or S blocks, because the change affects a core tool or is certainly dangerous;
//   - needs_changes if any other finding blocks;
//   - needs_changes for a warning of family S, P, O, or T, because the text could turn an agent against its user or its
//     protocol, the tool duplicates another one, or a test case failed;
//   - needs_changes for a warning of F106, F109, or F111, because a reader or another program could interpret the file
//     differently;
//   - approve otherwise. The user weighs all other warnings.
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

// notAsRead lists the rules about files that have a different effect than their visible text suggests.
var notAsRead = []string{"F106", "F109", "F111"}
