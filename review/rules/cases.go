package rules

import (
	"context"
	"fmt"

	"toolcrib/review/harness"
)

// casesRule is the rule of the T family that runs the test cases on their
// recorded answers.
func casesRule() Rule {
	return Rule{
		ID: "T111",
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
