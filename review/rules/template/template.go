// Package template implements the T family: rules about the completeness of proposals.
package template

import (
	"context"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/review/harness"
	"toolcrib/review/rules"
)

// Rules returns the T family. Package proposals performs the same checks on submissions, and
// rejects incomplete submissions with the same messages.
func Rules() []rules.Rule {
	t := func(id string) rules.Rule {
		return rules.Of(id, func(c *rules.Change) []rules.Finding {
			var found []rules.Finding
			for _, p := range rules.Computed(c, func(c *rules.Change) proposals.Problems { return c.Draft.Problems() }) {
				if p.Rule == id {
					found = append(found, rules.Finding{Path: p.Path, Message: "At " + p.Path + ": " + p.Message + "."})
				}
			}
			return found
		})
	}
	return []rules.Rule{
		{ID: "T111", Check: checkCases},
		t(proposals.RuleDefinition), t(proposals.RuleBaseVersion), t(proposals.RuleRationale), t(proposals.RuleExamples), t(proposals.RuleTestCases),
		t(proposals.RulePassAndFail), t(proposals.RuleConflictMarkers), t(proposals.RuleSubject), t(proposals.RuleChangeSet), t(proposals.RuleRestoreVersion),
	}
}

// checkCases reports failed test cases. Unless the results are known, it runs the test cases on
// their recorded outputs.
func checkCases(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	outcomes := c.Outcomes
	if outcomes == nil {
		outcomes = harness.Suite{Cases: c.Draft.TestCases}.Run(ctx)
	}
	var found []rules.Finding
	for i, r := range outcomes {
		if r.Outcome == harness.Failed {
			found = append(found, rules.Finding{Path: fmt.Sprintf("testCases[%d]", i), Passage: r.Name, Message: "The test case did not have the expected outcome: " + r.Reason})
		}
	}
	return found, nil
}
