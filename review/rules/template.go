package rules

import (
	"context"

	"toolcrib/proposals"
)

// template is the T family: is everything there that a reviewer needs? The
// checks are those of package proposals, which refuses an incomplete
// submission with the same words.
func template() []Rule {
	t := func(id, name, doc string, bad, good Example) Rule {
		return Rule{
			ID: id, Name: name, Severity: Block, Locked: true, Doc: doc, Bad: bad, Good: good,
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
	whole := Example{Show: "a complete proposal", Draft: sample()}
	without := func(show string, change func(*proposals.Draft)) Example {
		d := sample()
		change(&d)
		return Example{Show: show, Draft: d}
	}
	zero, three := 0, 3
	return []Rule{
		casesRule(),
		t(proposals.RuleDefinition, "definition",
			"The definition lacks a required key, a text is too long, or a value is not one of those allowed. A "+
				"definition that is not whole cannot go live, and one that hides half of its purpose cannot be "+
				"judged.",
			without(`"prompt": ""`, func(d *proposals.Draft) { d.Definition.Tool.Prompt = "" }), whole),
		t(proposals.RuleBaseVersion, "base-version",
			"The proposal does not say which live version it was made against. Without it nobody can tell whether somebody else changed the subject in between. A new subject has no version yet, so there it may be left out.",
			without(`a modification without "baseVersion"`, func(d *proposals.Draft) { d.Type, d.BaseVersion = proposals.Modify, nil }), whole),
		t(proposals.RuleRationale, "rationale",
			"The proposal does not say why. A reviewer who has to guess the reason approves the wrong thing.",
			without(`"rationale": ""`, func(d *proposals.Draft) { d.Rationale = "" }), whole),
		t(proposals.RuleExamples, "examples",
			"Two or three concrete invocations show what the tool is for; fewer show too little and more are not read.",
			without("one example", func(d *proposals.Draft) { d.Examples = d.Examples[:1] }), whole),
		t(proposals.RuleTestCases, "test-cases",
			"Two or three test cases, each with a name, an input and at least one check, say how the tool is tried.",
			without("one test case", func(d *proposals.Draft) { d.TestCases = d.TestCases[:1] }), whole),
		t(proposals.RulePassAndFail, "pass-and-fail",
			"At least one test case has to pass and at least one has to fail: a tool that cannot say no is only half tried.",
			without("every case expects to pass", func(d *proposals.Draft) { d.TestCases[1].Expect = proposals.ExpectPass }), whole),
		t(proposals.RuleConflictMarkers, "conflict-markers",
			"A text still holds the marks that a merge left for its author to resolve.",
			without("<<<<<<< live", func(d *proposals.Draft) {
				d.Definition.Tool.Prompt = "One.\n<<<<<<< live\nTwo.\n=======\nThree.\n>>>>>>> proposal\n"
			}), whole),
		t(proposals.RuleSubject, "subject",
			"The type or the subject is missing, or they do not fit each other.",
			without("no type", func(d *proposals.Draft) { d.Type = "" }), whole),
		t(proposals.RuleChangeSet, "change-set",
			"The name of a change set is short and plain, so that it can be typed.",
			without(`"changeSet": "../x"`, func(d *proposals.Draft) { d.ChangeSet = "../x" }), whole),
		t(proposals.RuleRestoreVersion, "restore-version",
			"A restore says which version it goes back to, and nothing else does.",
			without(`"restoreVersion": 3 in a new proposal`, func(d *proposals.Draft) { d.RestoreVersion, d.BaseVersion = three, &zero }), whole),
	}
}

// problems returns what the draft lacks, found once for all rules.
func (c *Change) problems() proposals.Problems {
	c.once.problems.Do(func() { c.once.problemList = c.Draft.Problems() })
	return c.once.problemList
}
