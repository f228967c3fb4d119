package prompt

import (
	"maps"
	"slices"

	"toolcrib/registry"
)

// The channels every agent has.
const (
	Web         = "web"
	Telegram    = "telegram"     // short answers in simple Markdown
	SessionOpen = "session_open" // the user just came; may answer WAKEUP_SILENT
	Scheduled   = "scheduled"    // nobody waits for the answer
	Heartbeat   = "heartbeat"    // a check; answers HEARTBEAT_OK when all is well
)

// standard lists the channels every agent has, in the order they are shown in.
var standard = [...]string{Web, Telegram, SessionOpen, Scheduled, Heartbeat}

// Channels returns the channels of an agent in the order they are shown in:
// those every agent has, then by name those its channel guidance adds.
func Channels(agent registry.Agent) []string {
	channels := slices.Clone(standard[:])
	for _, c := range slices.Sorted(maps.Keys(agent.ChannelGuidance)) {
		if !slices.Contains(standard[:], c) {
			channels = append(channels, c)
		}
	}
	return channels
}

// guidance returns what the agent says about a channel. A channel it says
// nothing about is treated as Web; an empty text is something said.
func guidance(agent registry.Agent, channel string) string {
	if text, ok := agent.ChannelGuidance[channel]; ok {
		return text
	}
	return agent.ChannelGuidance[Web]
}
