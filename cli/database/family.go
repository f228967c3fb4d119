// Package database implements the commands for the database as a whole: health checks, backups, migrations, and drift
// of workspace files.
package database

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the commands about the database and its copies.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newBackup},
			{Group: command.GroupRegistry, New: newMigrate},
			{Group: command.GroupRegistry, New: newDrift},
			{Group: command.GroupOther, New: newDoctor},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"backup":  reflect.TypeFor[docBackup](),
				"doctor":  reflect.TypeFor[docDoctor](),
				"drift":   reflect.TypeFor[docDrift](),
				"migrate": reflect.TypeFor[docMigrate](),
			}
		},
	}
}
