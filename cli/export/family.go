package export

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the command that writes the registry to files.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newExport},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"export": reflect.TypeFor[docExport](),
			}
		},
	}
}
