package rules

import (
	"context"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/review/harness"
)

// casesRule is the rule of the T family that runs the test cases on their
// recorded answers.
func casesRule() Rule {
	surprising := sample()
	surprising.TestCases[0].Checks = []proposals.Check{{Type: proposals.CheckContains, Value: []byte(`"breathless"`)}}
	return Rule{
		ID: "T111", Name: "test-case-outcome", Severity: Warn,
		Doc: "A test case with a recorded answer did not come out as its author expects: one that should pass " +
			"was caught by a check, or one that should fail was not. Either the answer is not what the tool gives, " +
			"or the checks do not test what they should.",
		Suggestion: "Record a new answer, or fix the checks.",
		Bad:        Example{Show: `a case that should pass, whose answer lacks what its check asks for`, Draft: surprising},
		Good:       Example{Show: "cases that come out as expected", Draft: sample()},
		Check: func(ctx context.Context, c *Change) ([]Finding, error) {
			outcomes := c.Outcomes
			if outcomes == nil {
				outcomes = harness.Suite{Cases: c.Draft.TestCases}.Run(ctx)
			}
			var found []Finding
			for i, r := range outcomes {
				if r.Outcome == harness.Failed {
					found = append(found, Finding{Path: fmt.Sprintf("testCases[%d]", i), Passage: r.Name, Message: "The test case did not come out as expected: " + r.Reason})
				}
			}
			return found, nil
		},
	}
}
