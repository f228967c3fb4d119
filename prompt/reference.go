package prompt

import (
	"time"

	"toolcrib/registry"
)

// Reference returns the fixed context that a review renders prompts in, so
// that what changes between two reviews is what the definitions changed: a
// fixed time and a user of whom nothing is known.
func Reference() Context {
	return Context{Now: time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC)}
}

// Rendered returns the hash of the agent's prompt in the Reference context for
// each of its channels.
func Rendered(agent registry.Agent, tools []Tool) map[string]string {
	hashes := map[string]string{}
	for _, out := range NewRenderer(Input{Agent: agent, Tools: tools, Context: Reference()}).RenderAll() {
		hashes[out.Channel] = Hash(out.Text)
	}
	return hashes
}
