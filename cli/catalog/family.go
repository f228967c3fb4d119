// Package catalog implements the commands that read the registry: the live definitions, the tools of an agent, and the
// history of both.
package catalog

import (
	"toolcrib/cli/command"
	"toolcrib/registry"
)

// Family returns the commands that read the registry and its history.
func Family() command.Family {
	return command.Family{
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
		Documents: map[string]any{
			"agent.list":   docAgentList{},
			"blame":        docBlame{},
			"event.list":   docEventList{},
			"list.list":    docListList{},
			"reach":        docReach{},
			"resolution":   docResolution{},
			"tool.list":    docToolList{},
			"version.list": docVersionList{},
		},
	}
}
