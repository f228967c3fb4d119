package files

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the commands about skills and instruction files.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newList},
			{Group: command.GroupRegistry, New: newRestore},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"file.list":    reflect.TypeFor[docFiles](),
				"import.files": reflect.TypeFor[docImport](),
				"restore":      reflect.TypeFor[docRestore](),
			}
		},
	}
}
