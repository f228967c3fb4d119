package rules

import (
	"context"

	"toolcrib/proposals"
)

// template is the T family: is everything there that a reviewer needs? The
// checks are those of package proposals, which refuses an incomplete
// submission with the same words.
func template() []Rule {
	t := func(id string) Rule {
		return Rule{
			ID: id,
			Check: func(_ context.Context, c *Change) ([]Finding, error) {
				var found []Finding
				for _, p := range c.problems() {
					if p.Rule == id {
						found = append(found, Finding{Path: p.Path, Message: "At " + p.Path + ": " + p.Message + "."})
					}
				}
				return found, nil
			},
		}
	}
	return []Rule{
		casesRule(),
		t(proposals.RuleDefinition), t(proposals.RuleBaseVersion), t(proposals.RuleRationale), t(proposals.RuleExamples), t(proposals.RuleTestCases),
		t(proposals.RulePassAndFail), t(proposals.RuleConflictMarkers), t(proposals.RuleSubject), t(proposals.RuleChangeSet), t(proposals.RuleRestoreVersion),
	}
}

// problems returns what the draft lacks, found once for all rules.
func (c *Change) problems() proposals.Problems {
	c.once.problems.Do(func() { c.once.problemList = c.Draft.Problems() })
	return c.once.problemList
}
