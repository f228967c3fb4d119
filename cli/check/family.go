// Package check has the command that compares the tools of an application, a bundle, and
// instruction files with the registry.
package check

import (
	"toolcrib/cli/command"
)

// Family returns the command that compares code and files with the registry.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newCheck},
		},
	}
}
