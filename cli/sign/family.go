package sign

import (
	"reflect"

	"toolcrib/cli/command"
)

// Family returns the commands about signers and signatures.
func Family() command.Family {
	return command.Family{
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
