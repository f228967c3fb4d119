// Package server has the commands that serve agents, applications and people: mcp,
// guard, and serve over HTTP and SSH with the tokens for it.
package server

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the commands that serve.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRunTime, New: newMCP, Creates: true},
			{Group: command.GroupRunTime, New: newGuard},
			{Group: command.GroupRunTime, New: newServe, Creates: true},
			{Group: command.GroupRunTime, New: newTokens},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"token":      reflect.TypeFor[docTokenOne](),
				"token.list": reflect.TypeFor[docTokenList](),
			}
		},
	}
}
