package export

import (
	"reflect"

	"toolcrib/cli/command"
)

// Family returns the command that writes the registry to files.
func Family() command.Family {
	return command.Family{
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
