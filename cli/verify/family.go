package verify

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
)

//go:embed help
var help embed.FS

// Family returns the commands that check the history.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newVerify},
			{Group: command.GroupRegistry, New: newCheckpoint},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"checkpoint":           reflect.TypeFor[docCheckpoint](),
				"checkpoint.key":       reflect.TypeFor[docCheckpointKey](),
				"checkpoint.proof":     reflect.TypeFor[docProof](),
				"checkpoint.published": reflect.TypeFor[docPublication](),
			}
		},
	}
}
