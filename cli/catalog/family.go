// Package catalog implements the commands that read the registry: the live definitions, the tools of an agent, and the
// history of both.
package catalog

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
	"toolcrib/registry"
)

//go:embed help
var help embed.FS

// Family returns the commands that read the registry and its history.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newCatalog(registry.KindTool, "tools [ID | SUBJECT]")},
			{Group: command.GroupRegistry, New: newCatalog(registry.KindAgent, "agents [ID | SUBJECT]")},
			{Group: command.GroupRegistry, New: newCatalog(registry.KindList, "lists [NAME | SUBJECT]")},
			{Group: command.GroupRegistry, New: newReach},
			{Group: command.GroupRegistry, New: newHistory},
			{Group: command.GroupRegistry, New: newBlame},
			{Group: command.GroupRegistry, New: newLog},
			{Group: command.GroupRegistry, New: newResolve},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"agent.list":   reflect.TypeFor[docAgentList](),
				"blame":        reflect.TypeFor[docBlame](),
				"event.list":   reflect.TypeFor[docEventList](),
				"list.list":    reflect.TypeFor[docListList](),
				"reach":        reflect.TypeFor[docReach](),
				"resolution":   reflect.TypeFor[docResolution](),
				"tool.list":    reflect.TypeFor[docToolList](),
				"version.list": reflect.TypeFor[docVersionList](),
			}
		},
	}
}
