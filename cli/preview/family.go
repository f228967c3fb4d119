// Package preview has the command that shows the prompts and the files that a change would bring
// into the context of an agent.
package preview

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
)

//go:embed help
var help embed.FS

// Family returns the command that previews prompts.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newPreview},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"preview":      reflect.TypeFor[document.OnePreview](),
				"preview.list": reflect.TypeFor[document.PreviewList](),
			}
		},
	}
}
