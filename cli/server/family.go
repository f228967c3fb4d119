// Package server has the commands that serve agents, applications and people: mcp,
// guard, and serve over HTTP and SSH with the tokens for it.
package server

import "toolcrib/cli/command"

// Family returns the commands that serve.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRunTime, New: newMCP, Creates: true},
			{Group: command.GroupRunTime, New: newGuard},
			{Group: command.GroupRunTime, New: newServe, Creates: true},
			{Group: command.GroupRunTime, New: newTokens},
		},
		Documents: map[string]any{
			"token":      docTokenOne{},
			"token.list": docTokenList{},
		},
	}
}
