// Package calls implements the commands that run tool calls, parse calls from a model's answer, decide waiting calls,
// and list the call log.
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
