package shipped

import (
	"fmt"
	"slices"
	"sync"

	"toolcrib/registry"
)

// The shipped agents. The assistant's allow-list has the same id.
const (
	AssistantID = "assistant"
	AuthorID    = "author"
)

// Assistant returns the action tools of the assistant in the order in which
// they are documented. They stand in the global layer and are not core: they
// change through proposals.
func Assistant() []registry.Definition { return slices.Clone(assistant()) }

var assistant = sync.OnceValue(func() []registry.Definition {
	list, _ := List(AssistantID)
	var tools []registry.Definition
	for _, id := range list.Tools {
		name := "assistant/" + id + ".json"
		d, err := registry.DecodeDefinition(registry.KindTool, read(name))
		if err != nil {
			panic(fmt.Sprintf("shipped: %s: %v", name, err))
		}
		tools = append(tools, d)
	}
	return tools
})

// Agents returns the agents that are shipped, in the global layer.
func Agents() []registry.Definition { return slices.Clone(agents()) }

var agents = sync.OnceValue(func() []registry.Definition {
	return []registry.Definition{
		readMarkdown(registry.KindAgent, "agents/"+AssistantID+".md"),
		readMarkdown(registry.KindAgent, "agents/"+AuthorID+".md"),
	}
})
