// Package check has the command that compares the tools of an application, a bundle, and
// instruction files with the registry.
package check

import (
	"embed"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the command that compares code and files with the registry.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newCheck},
		},
	}
}
