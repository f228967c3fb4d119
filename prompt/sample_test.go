package prompt

import (
	"toolcrib/registry"
)

// sampleAgent returns an agent with all texts and one tool of each kind.
func sampleAgent() (registry.Agent, []Tool) {
	agent := registry.Agent{
		ID: "workshop", Name: "Bram", Description: "looks after the joinery", Vibe: "unhurried",
		Soul:                "Measure twice. Say what you are unsure of before you cut.",
		PromptTemplate:      sampleTemplate,
		OperatingModel:      "Ask before anything that cannot be undone.",
		InteractionLearning: "Notice which answers were too long.",
		ChannelGuidance: map[string]string{
			Web: "The user sees tables and headings.", Telegram: "Below 4,096 characters, simple Markdown.",
			SessionOpen: "The user just came. Answer exactly WAKEUP_SILENT when there is nothing to say.",
			Scheduled:   "Nobody waits: the answer stands alone.", Heartbeat: "Answer exactly HEARTBEAT_OK when all is well.",
			"bench_display": "Three lines of forty characters.",
		},
		SessionOpen: &registry.SessionOpen{Bootstrap: "Introduce yourself.", Returning: "Say what is new."},
		Onboarding:  "Ask what is on the bench.",
		Timezone:    "Europe/Berlin",
	}
	tools := []registry.Tool{
		{
			ID: "grain_reader", Kind: registry.PromptTool, Name: "Grain Reader", Archetype: "Any", Scope: registry.ScopeProject,
			UsageNotes: "Before a cut.", Goals: "Say which way the grain runs.", Guardrails: "Guess nothing.",
			Prompt: "# How to read grain\n\n\n\nLook at the end of the board. It costs $5 and ${nothing}.",
		},
		{
			ID: "get_boards", Kind: registry.ActionTool, Name: "Get boards", Category: "tasks", Description: "Lists the boards in stock. Takes no arguments.",
			Guidance: map[string]string{Web: "Show boards as a table.", Heartbeat: "Warn when fewer than three are left."},
		},
		{ID: "update_instructions", Kind: registry.ActionTool, Name: "Update instructions", Category: "instructions", ShortDescription: "Changes the user's instructions."},
		{
			ID: "mark_board", Kind: registry.ActionTool, Name: "Mark board", Category: "other", Description: "Puts a mark on a board.",
			Tag: &registry.Tag{Prefix: "MARK", ArgPattern: `(\S+)\s+as\s+(.+)`, ArgGroups: []string{"board", "mark"}},
		},
	}
	out := make([]Tool, len(tools))
	for i := range tools {
		out[i] = Tool{Tool: &tools[i], Locked: tools[i].ID == "grain_reader"}
	}
	return agent, out
}

const sampleTemplate = `$identity

# Character

## Soul
$soul

## How to work
$operating_model

## How to learn
$interaction_learning

# Now

It is $current_time. Prices are in $$.

## This channel
$channel_guidance

## This session
$session_section

## Looked up
$bootstrap_context

# The user

## Instructions
$user_instructions

## Notes
${memory_notes}

# Tools

$tool_guidance

$tool_catalog

# Left over
$nothing_of_that_name

# Empty at the end
$bootstrap_context
`
