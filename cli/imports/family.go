// Package imports implements the commands that propose tools from a file or a live server: import, watch, canonicalize,
// and exclude.
package imports

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the commands that import tools and files.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newImport, Creates: true},
			{Group: command.GroupRegistry, New: newWatch, Creates: true},
			{Group: command.GroupRegistry, New: newCanonicalize, Creates: true},
			{Group: command.GroupRegistry, New: newExclude},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"exclusion": reflect.TypeFor[docExcluded](),
				"import":    reflect.TypeFor[DocImport](),
				"migration": reflect.TypeFor[docMigration](),
			}
		},
	}
}
