// Package wrap implements the commands that insert the guard in front of the MCP servers of clients, remove it, and
// show which servers are guarded.
package wrap

import "toolcrib/cli/command"

// Family returns the commands that put the guard in front of servers.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newWrap},
			{Group: command.GroupRegistry, New: newUnwrap},
			{Group: command.GroupRegistry, New: newStatus},
		},
		Documents: map[string]any{
			"status": docStatus{},
			"unwrap": docWrap{},
			"wrap":   docWrap{},
		},
	}
}
