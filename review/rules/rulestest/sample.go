// This file builds the proposals that the examples of rules modify.

package rulestest

import (
	"toolcrib/proposals"
	"toolcrib/registry"
)

// Sample returns a small proposal of a prompt tool for which no rule reports a finding.
func Sample() proposals.Draft {
	base := 0
	output := "Too slow: the scene spends 400 words on the harbour before anything happens."
	return proposals.Draft{
		Type:        proposals.New,
		Subject:     registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "scene_pacer"},
		BaseVersion: &base,
		Definition: registry.Definition{Tool: &registry.Tool{
			ID: "scene_pacer", Kind: registry.PromptTool, Name: "Scene Pacer", Archetype: "Editor", Scope: registry.ScopeFile,
			UsageNotes: "Use it on one finished scene.",
			Goals:      "Find where the scene drags or hurries.",
			Guardrails: "Do not rewrite the scene.",
			Prompt:     "Read the scene and name each passage that is slower or faster than what it tells deserves.",
			Approval:   &registry.Approval{Tier: registry.AutoApprove},
		}},
		Rationale: "Editors ask for the pacing of a scene by hand every day.",
		Examples:  []string{"Check the pacing of Story/Scenes/harbour.md", "Where does chapter two hurry?"},
		TestCases: []proposals.TestCase{
			{Name: "slow scene is named", Input: "A slow scene", Expect: proposals.ExpectPass, Output: &output, Checks: []proposals.Check{{Type: proposals.CheckContains, Value: []byte(`"slow"`)}}},
			{Name: "no advice without a file", Input: "How is the pacing?", Expect: proposals.ExpectFail, Output: &output, Checks: []proposals.Check{{Type: proposals.CheckEvidence}}},
		},
	}
}

// Action returns a small proposal of an action tool with the given id.
func Action(id string) proposals.Draft {
	d := Sample()
	d.Subject.ID = id
	d.Definition = registry.Definition{Tool: &registry.Tool{
		ID: id, Kind: registry.ActionTool, Name: "Invoices", Description: "Work with the invoices of the current customer.",
		InputSchema: []byte(`{"properties":{"ids":{"description":"Only these invoices.","items":{"type":"string"},"type":"array"}},"type":"object"}`),
		Category:    "other", Approval: &registry.Approval{Tier: registry.RequiresApproval},
	}}
	return d
}

// Approves returns a function that sets the approval of a tool to the given tier. otherwise is the
// default of this approval.
func Approves(tier, otherwise registry.ApprovalTier) func(*registry.Tool) {
	return func(t *registry.Tool) { t.Approval = &registry.Approval{Tier: tier, Default: otherwise} }
}

// Change returns an example of a change to a live tool. The tool is not imported. The function live
// prepares the live version, and the function draft prepares the proposed version. An example that
// loosens a protection becomes a counterexample if the caller swaps live and draft.
func Change(live, draft func(*registry.Tool)) Example {
	before, after := Action("set_invoices"), Action("set_invoices")
	live(before.Definition.Tool)
	draft(after.Definition.Tool)
	one := 1
	after.Type, after.BaseVersion = proposals.Modify, &one
	return Example{Draft: after, Live: []registry.Live{{Subject: before.Subject, Version: 1, Definition: before.Definition}}}
}

// WithSoul returns a proposal of a small agent with the given soul.
func WithSoul(soul string) proposals.Draft {
	return soulful(func(a *registry.Agent) { a.Soul = soul })
}

// WithTemplate returns a proposal of a small agent with the given prompt template.
func WithTemplate(template string) proposals.Draft {
	return soulful(func(a *registry.Agent) { a.PromptTemplate = template })
}

// soulful passes a small agent to change, and returns a proposal of the modified agent. No rule
// reports a finding for the unmodified agent.
func soulful(change func(*registry.Agent)) proposals.Draft {
	d := Sample()
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
