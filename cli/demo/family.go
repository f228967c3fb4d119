// Package demo has the command that plays the whole workflow on a scratch database.
package demo

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the command that shows the workflow.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newDemo},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"demo": reflect.TypeFor[docDemo](),
			}
		},
	}
}
