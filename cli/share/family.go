// Package share has the commands that bring approvals to other machines: publish writes
// the registry to where others read it, follow uses a registry that others publish.
package share

import "toolcrib/cli/command"

// Family returns the commands that bring approvals to other machines.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newPublish},
			{Group: command.GroupRegistry, New: newFollow},
		},
		Documents: map[string]any{
			"follow":  command.DocFollowing{},
			"publish": docPublish{},
		},
	}
}
