// Package imports implements the commands that propose tools from a file or a live server: import, watch, canonicalize,
// and exclude.
package imports

import "toolcrib/cli/command"

// Family returns the commands that import tools and files.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newImport, Creates: true},
			{Group: command.GroupRegistry, New: newWatch, Creates: true},
			{Group: command.GroupRegistry, New: newCanonicalize, Creates: true},
			{Group: command.GroupRegistry, New: newExclude},
		},
		Documents: map[string]any{
			"exclusion": docExcluded{},
			"import":    DocImport{},
			"migration": docMigration{},
		},
	}
}
