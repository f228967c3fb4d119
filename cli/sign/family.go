package sign

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the commands about signers and signatures.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newSigners},
			{Group: command.GroupOther, New: newSign},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"signature": reflect.TypeFor[docSignature](),
				"signers":   reflect.TypeFor[DocSigners](),
			}
		},
	}
}
