// Package demo has the command that plays the whole workflow on a scratch database.
package demo

import (
	"reflect"

	"toolcrib/cli/command"
)

// Family returns the command that shows the workflow.
func Family() command.Family {
	return command.Family{
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
