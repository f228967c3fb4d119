package files

import "toolcrib/cli/command"

// Family returns the commands about skills and instruction files.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newList},
			{Group: command.GroupRegistry, New: newRestore},
		},
		Documents: map[string]any{
			"file.list":    docFiles{},
			"import.files": docImport{},
			"restore":      docRestore{},
		},
	}
}
