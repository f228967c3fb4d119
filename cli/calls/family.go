// Package calls implements the commands that run tool calls, parse calls from a model's answer, decide waiting calls,
// and list the call log.
package calls

import "toolcrib/cli/command"

// Family returns the commands that make calls, answer them, and list them.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRunTime, New: newParse},
			{Group: command.GroupRunTime, New: newExec, Creates: true},
			{Group: command.GroupRunTime, New: newCalls},
		},
		Documents: map[string]any{
			"call":         docCall{},
			"call.prune":   docPrune{},
			"call.list":    docAuditList{},
			"parsed":       docParsed{},
			"pending":      docPendingOne{},
			"pending.list": docPendingList{},
			"tier.list":    docTierList{},
		},
	}
}
