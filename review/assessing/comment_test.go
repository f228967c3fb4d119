package assessing

import (
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/harness"
	"toolcrib/review/rules"
	"toolcrib/review/rules/overlaps"
	"toolcrib/review/rules/ruleset"
)

// TestRecommend checks the recommendation for every family and severity.
func TestRecommend(t *testing.T) {
	shortrun.OneGoroutine(t)
	const approve, change, reject = proposals.RecommendApprove, proposals.RecommendNeedsChanges, proposals.RecommendReject
	for _, family := range strings.Split("T N L S P O D R A B X", " ") {
		want := map[rules.Severity]proposals.Recommendation{rules.Block: change, rules.Warn: approve, rules.Info: approve}
		if strings.Contains("LS", family) {
			want[rules.Block] = reject
		}
		if strings.Contains("SPOT", family) {
			want[rules.Warn] = change
		}
		for severity, recommendation := range want {
			if got := Recommend([]rules.Finding{{Rule: family + "101", Severity: severity}}); got != recommendation {
				t.Errorf("%s of %s: %s, want %s", severity, family, got, recommendation)
			}
		}
	}
	if got := Recommend([]rules.Finding{{Rule: "S101", Severity: rules.Block}, {Rule: "O101", Severity: rules.Warn}}); got != reject {
		t.Errorf("the worst does not count: %s", got)
	}
	if got := Recommend(nil); got != approve {
		t.Errorf("no findings: %s", got)
	}
}

func standing(rule string, severity rules.Severity, path, suggestion string) review.Standing {
	return review.Standing{Finding: rules.Finding{Rule: rule, Severity: severity, Path: path, Message: "Message of " + rule + ".", Suggestion: suggestion}}
}

// The results of the test cases.
var passedCase, notRunCase = harness.Result{Outcome: harness.Passed}, harness.Result{Outcome: harness.NotRun, Reason: "No model is connected."}

// comments contains findings and test cases, and the text that the comment must and must not contain.
var comments = map[string]struct {
	standing []review.Standing
	cases    []harness.Result
	want     []string
	not      []string
}{
	"like a core tool and another one": {
		[]review.Standing{standing("O102", rules.Block, "definition", ""), standing(overlaps.LikeCore, rules.Warn, "definition", "")},
		nil,
		[]string{"core tool?** Yes: Message of " + overlaps.LikeCore + ". (and 1 more)"},
		[]string{"Not a core tool"},
	},
	"clean": {
		nil,
		[]harness.Result{passedCase, passedCase},
		[]string{"sense?** Yes: ", "come out as expected.", "core tool?** No.", "policy?** No violation found.", "change?** Nothing."},
		[]string{"waived", "not looked into"},
	},
	"not tried": {nil, []harness.Result{passedCase, notRunCase}, []string{"As far as tested", "1 test case was not run. No model is connected."}, []string{"as expected"}},
	"blocks": {
		[]review.Standing{
			standing("S102", rules.Block, "definition.prompt", "Remove it."), standing("S102", rules.Block, "definition.goals", "Remove it."),
			standing("S102", rules.Block, "definition.prompt", "Remove it."), standing("N103", rules.Block, "definition.aliases[0]", "Choose another."),
			standing("O101", rules.Warn, "definition", "Change the other."),
		},
		nil,
		[]string{
			"sense?** Not yet: Message of N103.", "core tool?** Yes: Message of O101.", "policy?** Yes: Message of S102. (and 2 more)",
			"Before it can be approved:\n\n- definition.prompt, definition.goals: Remove it.\n- definition.aliases[0]: Choose another.",
		},
		[]string{"Change the other."},
	},
	"warnings": {
		[]review.Standing{standing("O103", rules.Warn, "definition.name", "Rename it."), standing("R103", rules.Warn, "definition.approval", "Ask."), standing("S139", rules.Info, "definition.prompt", "Hm.")},
		nil,
		[]string{"core tool?** Not a core tool, but another one: Message of O103.", "policy?** Perhaps: Message of R103. One hint: Message of S139.", "should change:\n\n- definition.name: Rename it."},
		[]string{"Hm.", "Ask."},
	},
	"hints": {
		[]review.Standing{
			standing("S101", rules.Info, "definition.prompt", "Hm."), standing("S103", rules.Info, "definition.prompt", "Hm."), standing("O104", rules.Info, "definition", "Hm."),
			standing("B103", rules.Info, "definition", "Hm."),
		},
		nil,
		[]string{
			"sense?** Yes: no rule about the template, names, or data warns. One hint: Message of B103.", "core tool?** No warnings. One hint: Message of O104.",
			"policy?** No warnings. 2 hints, the first: Message of S101.", "change?** Nothing.",
		},
		[]string{"nothing is missing", "No violation"},
	},
	"waived": {
		[]review.Standing{{Finding: standing("S101", rules.Block, "definition.prompt", "Remove it.").Finding, Waiver: &history.Waiver{}}},
		nil,
		[]string{"policy?** No warnings. The user waived 1 finding of this kind.", "change?** Nothing.", "**Waived by the user:** 1 finding."},
		[]string{"S101", "No violation"},
	},
	"many": {
		[]review.Standing{
			standing("P101", rules.Block, "a", "1"), standing("P101", rules.Block, "b", "1"), standing("P101", rules.Block, "c", "1"), standing("P101", rules.Block, "d", "1"),
			standing("P101", rules.Block, "a", "2"), standing("P101", rules.Block, "a", "3"), standing("P101", rules.Block, "a", "4"), standing("P101", rules.Block, "a", "5"),
			standing("P101", rules.Block, "a", "6"), standing("P101", rules.Block, "a", "7"),
		},
		nil,
		[]string{"- a, b, c and 1 more field: 1\n", "- a: 5\n- 2 more things; see the findings."},
		[]string{"- a: 6"},
	},
}

func TestCommentAnswersFourQuestions(t *testing.T) {
	shortrun.OneGoroutine(t)
	set, err := ruleset.NewSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &Chief{rules: set}
	for name, tt := range comments {
		t.Run(name, func(t *testing.T) {
			open, _ := review.Unwaived(tt.standing)
			got := d.comment(review.Report{Harness: tt.cases}, tt.standing, Recommend(open), review.Opinion{})
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("it lacks %q:\n%s", want, got)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(got, not) {
					t.Errorf("it says %q:\n%s", not, got)
				}
			}
		})
	}
}

// TestCarriedIsNotWaived checks that the comment does not describe a carried-over finding as waived.
func TestCarriedIsNotWaived(t *testing.T) {
	if got := otherFindings([]review.Standing{{Finding: rules.Finding{Rule: "S162", Carried: true}}}, "S"); got != "" {
		t.Errorf("%q", got)
	}
}
