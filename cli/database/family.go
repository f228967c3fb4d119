// Package database implements the commands for the database as a whole: health checks, backups, migrations, and drift
// of workspace files.
package database

import "toolcrib/cli/command"

// Family returns the commands about the database and its copies.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newBackup},
			{Group: command.GroupRegistry, New: newMigrate},
			{Group: command.GroupRegistry, New: newDrift},
			{Group: command.GroupOther, New: newDoctor},
		},
		Documents: map[string]any{
			"backup":  docBackup{},
			"doctor":  docDoctor{},
			"drift":   docDrift{},
			"migrate": docMigrate{},
		},
	}
}
