package sign

import "toolcrib/cli/command"

// Family returns the commands about signers and signatures.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newSigners},
			{Group: command.GroupOther, New: newSign},
		},
		Documents: map[string]any{
			"signature": docSignature{},
			"signers":   DocSigners{},
		},
	}
}
