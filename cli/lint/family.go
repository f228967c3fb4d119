package lint

import (
	"reflect"

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
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"findings":  reflect.TypeFor[report.Findings](),
				"rule.list": reflect.TypeFor[docRuleList](),
			}
		},
	}
}
