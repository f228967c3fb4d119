package lint

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
	"toolcrib/cli/report"
)

//go:embed help
var help embed.FS

// Family returns the commands about rules.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newLint},
			{Group: command.GroupOther, New: newRules},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"branch.review": reflect.TypeFor[DocBranch](),
				"findings":      reflect.TypeFor[report.Findings](),
				"rule.list":     reflect.TypeFor[docRuleList](),
			}
		},
	}
}
