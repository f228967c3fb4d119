// Package setup has the command init, which proposes what the clients of a machine use
// already.
package setup

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the command that begins.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newInit, Creates: true},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"init": reflect.TypeFor[docInit](),
			}
		},
	}
}
