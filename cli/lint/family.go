package lint

import (
	"toolcrib/cli/command"
	"toolcrib/cli/report"
)

// Family returns the commands about rules.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newLint},
			{Group: command.GroupOther, New: newRules},
		},
		Documents: map[string]any{
			"branch.review": DocBranch{},
			"findings":      report.Findings{},
			"rule.list":     docRuleList{},
		},
	}
}
