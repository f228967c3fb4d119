// Package share has the commands that bring approvals to other machines: publish writes
// the registry to where others read it, follow uses a registry that others publish.
package share

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the commands that bring approvals to other machines.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newPublish},
			{Group: command.GroupRegistry, New: newFollow},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"follow":  reflect.TypeFor[command.DocFollowing](),
				"publish": reflect.TypeFor[docPublish](),
			}
		},
	}
}
