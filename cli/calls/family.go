// Package calls has the commands that make calls of tools, read them out of a model's answer,
// answer those that wait, and list what was called.
package calls

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the commands that make calls, answer them, and list them.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRunTime, New: newParse},
			{Group: command.GroupRunTime, New: newExec, Creates: true},
			{Group: command.GroupRunTime, New: newCalls},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"call":         reflect.TypeFor[docCall](),
				"call.prune":   reflect.TypeFor[docPrune](),
				"call.list":    reflect.TypeFor[docAuditList](),
				"parsed":       reflect.TypeFor[docParsed](),
				"pending":      reflect.TypeFor[docPendingOne](),
				"pending.list": reflect.TypeFor[docPendingList](),
				"tier.list":    reflect.TypeFor[docTierList](),
			}
		},
	}
}
