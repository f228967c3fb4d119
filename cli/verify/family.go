package verify

import "toolcrib/cli/command"

// Family returns the commands that check the history.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newVerify},
			{Group: command.GroupRegistry, New: newCheckpoint},
		},
		Documents: map[string]any{
			"checkpoint":           docCheckpoint{},
			"checkpoint.key":       docCheckpointKey{},
			"checkpoint.proof":     docProof{},
			"checkpoint.published": docPublication{},
		},
	}
}
