package review

import (
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/review/rules"
)

// comment answers the four questions every assessment answers: does the change
// make sense, does it overlap a core tool, does it break guardrails or policy,
// what must change. It says so when a question was not looked into.
func (d *Desk) comment(findings []rules.Finding, recommendation proposals.Recommendation, o Opinion) string {
	var b strings.Builder
	b.WriteString("**Does it make sense?** ")
	b.WriteString(answer(findings, "TNDB", "The template is whole and the names follow the conventions.", "Not yet: "))
	b.WriteString("\n\n**Does it overlap a core tool?** ")
	if d.rules.Has("O") {
		b.WriteString(answer(findings, "LO", "No.", "Yes: "))
	} else {
		b.WriteString(answer(findings, "L", "No core id or alias is taken; likeness of text was not looked into, as no rule for it is in force.", "Yes: "))
	}
	b.WriteString("\n\n**Does it break guardrails or policy?** ")
	if d.rules.Has("S") {
		b.WriteString(answer(findings, "SPRA"+ExternalRule, "Nothing was found.", "Look at this: "))
	} else {
		b.WriteString(answer(findings, "SPRA"+ExternalRule, "Not looked into: no security rule is in force. Read the text yourself.", "Look at this: "))
	}
	b.WriteString("\n\n**What must change?** ")
	b.WriteString(mustChange(findings, recommendation))
	if o.Comment != "" {
		b.WriteString("\n\n**The reviewer adds:** " + o.Comment)
	}
	if lowered := d.rules.Lowered(); len(lowered) > 0 {
		more := ""
		if len(lowered) > mostLowered {
			lowered, more = lowered[:mostLowered], "; and more, which `toolcrib doctor` lists"
		}
		b.WriteString("\n\n**Weaker than usual, by configuration:** " + strings.Join(lowered, "; ") + more + ".")
	}
	for _, problem := range o.Problems {
		b.WriteString("\n\n**A reviewer failed:** " + problem)
	}
	return b.String()
}

// mostLowered is how many weakened rules a comment names.
const mostLowered = 4

// answer gives the message of the worst finding of the given families, and how
// many there are besides.
func answer(findings []rules.Finding, families, none, some string) string {
	var first string
	n := 0
	for _, f := range findings {
		if f.Severity == rules.Info || !strings.Contains(families, f.Rule[:1]) {
			continue
		}
		if n++; n == 1 {
			first = f.Message
		}
	}
	switch n {
	case 0:
		return none
	case 1:
		return some + first
	}
	return fmt.Sprintf("%s%s (and %d more)", some, first, n-1)
}

func mustChange(findings []rules.Finding, recommendation proposals.Recommendation) string {
	var steps []string
	for _, f := range findings {
		if f.Severity == rules.Block && f.Suggestion != "" && len(steps) < 5 {
			steps = append(steps, "- "+f.Suggestion)
		}
	}
	switch {
	case len(steps) > 0:
		return "Before it can be approved:\n\n" + strings.Join(steps, "\n")
	case recommendation == proposals.RecommendApprove:
		return "Nothing."
	}
	return "See the findings; each says what to do."
}
