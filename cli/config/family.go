package config

import "toolcrib/cli/command"

// Family returns the commands about settings.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newConfig},
			{Group: command.GroupOther, New: newTrust},
			{Group: command.GroupOther, New: newUntrust},
			{Group: command.GroupOther, New: newPolicy},
		},
		Documents: map[string]any{
			"config":      docConfig{},
			"policy.list": docPolicyList{},
			"policy.test": docPolicyTest{},
			"trust.list":  docTrustList{},
		},
	}
}
