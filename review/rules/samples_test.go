package rules

import (
	"slices"

	"toolcrib/proposals"
	"toolcrib/registry"
)

func approves(tier, otherwise registry.ApprovalTier) func(*registry.Tool) {
	return func(t *registry.Tool) { t.Approval = &registry.Approval{Tier: tier, Default: otherwise} }
}

// change is an edit of a live tool of our own: an example of a loosening when
// it goes one way, and of none when it goes the other.
func change(from, to func(*registry.Tool)) Example {
	before, after := action("set_invoices"), action("set_invoices")
	from(before.Definition.Tool)
	to(after.Definition.Tool)
	one := 1
	after.Type, after.BaseVersion = proposals.Modify, &one
	return Example{Draft: after, Live: []registry.Live{{Subject: before.Subject, Version: 1, Definition: before.Definition}}}
}

func withSoul(soul string) proposals.Draft {
	return soulful(func(a *registry.Agent) { a.Soul = soul })
}

func withTemplate(template string) proposals.Draft {
	return soulful(func(a *registry.Agent) { a.PromptTemplate = template })
}

// soulful is a small agent that no rule objects to, with a change.
func soulful(change func(*registry.Agent)) proposals.Draft {
	d := sample()
	a := registry.Agent{
		ID: "night_reader", Name: "Night Reader", Description: "Reads along.",
		Soul:            "You would rather understand than be quick. Silence is part of your character.",
		PromptTemplate:  "$identity\n\n$soul\n\n$channel_guidance\n\n$user_instructions\n\n$tool_catalog\n",
		ChannelGuidance: map[string]string{"web": "Long answers are fine here."},
		AllowList:       &registry.AllowList{Name: "explore"},
	}
	change(&a)
	d.Subject = registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerUser, ID: a.ID}
	d.Definition = registry.Definition{Agent: &a}
	return d
}

// family returns the rules whose ids begin with a letter.
func family(letter string) []Rule {
	return slices.DeleteFunc(All(), func(r Rule) bool { return r.Family() != letter })
}
