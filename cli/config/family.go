package config

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the commands about settings.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newConfig},
			{Group: command.GroupOther, New: newTrust},
			{Group: command.GroupOther, New: newUntrust},
			{Group: command.GroupOther, New: newPolicy},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"config":      reflect.TypeFor[docConfig](),
				"policy.list": reflect.TypeFor[docPolicyList](),
				"policy.test": reflect.TypeFor[docPolicyTest](),
				"trust.list":  reflect.TypeFor[docTrustList](),
			}
		},
	}
}
