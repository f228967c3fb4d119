// Package wrap implements the commands that insert the guard in front of the MCP servers of clients, remove it, and
// show which servers are guarded.
package wrap

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the commands that put the guard in front of servers.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newWrap},
			{Group: command.GroupRegistry, New: newUnwrap},
			{Group: command.GroupRegistry, New: newStatus},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"status": reflect.TypeFor[docStatus](),
				"unwrap": reflect.TypeFor[docWrap](),
				"wrap":   reflect.TypeFor[docWrap](),
			}
		},
	}
}
