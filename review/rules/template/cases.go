package template

import (
	"context"
	"fmt"

	"toolcrib/review/harness"
	"toolcrib/review/rules"
)

// casesRule is the rule of the T family that runs the test cases on their
// recorded answers.
func casesRule() rules.Rule {
	return rules.Rule{
		ID: "T111",
		Check: func(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
			outcomes := c.Outcomes
			if outcomes == nil {
				outcomes = harness.Suite{Cases: c.Draft.TestCases}.Run(ctx)
			}
			var found []rules.Finding
			for i, r := range outcomes {
				if r.Outcome == harness.Failed {
					found = append(found, rules.Finding{Path: fmt.Sprintf("testCases[%d]", i), Passage: r.Name, Message: "The test case did not come out as expected: " + r.Reason})
				}
			}
			return found, nil
		},
	}
}
