package storetest

import (
	"encoding/json"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
)

// Prompt returns a complete proposal of a new prompt tool in the user layer. The rule families "template", "names", and
// "lock" have no findings for this proposal. The texts of the tool contain its id, so two tools are never similar.
func Prompt(id string) proposals.Draft {
	d := proposal(registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id})
	d.Definition = registry.Definition{Tool: &registry.Tool{
		ID: id, Kind: registry.PromptTool, Name: "Tool " + id, Archetype: "Editor", Scope: registry.ScopeFile,
		UsageNotes: "Use " + id + " on one finished scene.",
		Goals:      "Find where the scene drags or hurries.",
		Guardrails: "Do not rewrite the scene.",
		Prompt:     "Read the scene.\nName each passage that is slower or faster than what it tells deserves.\nSay " + id + " at the end.",
		Approval:   &registry.Approval{Tier: registry.RequiresApproval},
	}}
	return d
}

// Action returns a complete proposal of a new action tool in the user layer. If a test must not have findings about
// names, the caller must choose an id that complies with the naming rules.
func Action(id string) proposals.Draft {
	d := proposal(registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id})
	d.Definition = registry.Definition{Tool: &registry.Tool{
		ID: id, Kind: registry.ActionTool, Name: "Action " + id, Description: "Work with the invoices of the customer.",
		InputSchema: json.RawMessage(`{"properties":{"ids":{"description":"Only these.","items":{"type":"string"},"type":"array"}},"type":"object"}`),
		Category:    "other", Approval: &registry.Approval{Tier: registry.RequiresApproval},
	}}
	return d
}

// Agent returns a complete proposal of a new agent in the user layer.
func Agent(id string) proposals.Draft {
	d := proposal(registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerUser, ID: id})
	d.Definition = registry.Definition{Agent: &registry.Agent{
		ID: id, Name: "Agent " + id, Description: "Reads at night.", Soul: "Patient and exact.",
		PromptTemplate: "$identity\n\n## Tools\n\n$tool_catalog", AllowList: &registry.AllowList{Name: "explore"},
	}}
	return d
}

// Skill returns a complete proposal of a skill with an additional file, and a function that returns the file's bytes
// for WithContents.
func Skill(id, name string, data []byte) (draft proposals.Draft, contents func(string) ([]byte, error)) {
	draft = proposal(registry.Subject{Kind: registry.KindSkill, Layer: registry.LayerUser, ID: id})
	draft.Examples, draft.TestCases = nil, nil
	draft.Definition = registry.Definition{Skill: &registry.Folder{ID: id, Path: ".claude/skills/" + id, Files: map[string]registry.File{
		registry.SkillFile: registry.NewFile(registry.KindSkill, registry.SkillFile, []byte("---\nname: "+id+"\ndescription: Shows the logo of the harbour.\n---\n\nShow the logo.\n"), false),
		name:               registry.NewFile(registry.KindSkill, name, data, false),
	}}}
	return draft, func(sha256 string) ([]byte, error) {
		if sha256 == registry.HashBytes(data) {
			return data, nil
		}
		return nil, nil
	}
}

// Modify converts d, which proposes a new tool, to a proposal that modifies version base of the tool. It does not
// modify the tool of d.
func Modify(d proposals.Draft, base int, change func(*registry.Tool)) proposals.Draft {
	tool := *d.Definition.Tool
	change(&tool)
	d.Type, d.BaseVersion, d.Definition = proposals.Modify, &base, registry.Definition{Tool: &tool}
	return d
}

// StatusChange returns a proposal of a type without a definition: to deactivate, to reactivate, or to restore an earlier
// version.
func StatusChange(t proposals.Type, s registry.Subject, base, restore int) proposals.Draft {
	d := proposal(s)
	d.Type, d.BaseVersion, d.RestoreVersion = t, &base, restore
	return d
}

// proposal returns a draft with all parts of a proposal except its definition.
func proposal(s registry.Subject) proposals.Draft {
	base := 0
	good, bad := "The scene is slow in lines 1-2.", "Cut the second half."
	return proposals.Draft{
		Type: proposals.New, Subject: s, BaseVersion: &base,
		Rationale: fmt.Sprintf("Editors ask for %s every day.", s.ID),
		Examples:  []string{"Check the pacing of Story/Scenes/harbour.md", "Where does chapter two hurry?"},
		TestCases: []proposals.TestCase{
			{
				Name: "slow scene is named", Input: "A slow scene.", Expect: proposals.ExpectPass, Output: &good,
				Checks: []proposals.Check{{Type: proposals.CheckContains, Value: json.RawMessage(`"slow"`)}},
			},
			{
				Name: "no advice without a file", Input: "Pace it.", Expect: proposals.ExpectFail, Output: &bad,
				Checks: []proposals.Check{{Type: proposals.CheckEvidence}},
			},
		},
	}
}
