package proposals

import (
	"bytes"
	"encoding/json"

	"toolcrib/registry"
)

// same reports whether two drafts are equal.
func same(a, b Draft) bool { return bytes.Equal(a.Canonical(), b.Canonical()) }

func toolSubject(id string) registry.Subject {
	return registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id}
}

func checkOf(t CheckType, value string) Check {
	if value == "" {
		return Check{Type: t}
	}
	return Check{Type: t, Value: json.RawMessage(value)}
}

// pacer returns a complete proposal of a new tool.
func pacer() Draft {
	return Draft{
		Type:        New,
		Subject:     toolSubject("scene_pacer"),
		BaseVersion: new(int),
		Definition: registry.Definition{Tool: &registry.Tool{
			ID:         "scene_pacer",
			Kind:       registry.PromptTool,
			Name:       "Scene Pacer",
			Archetype:  "Editor",
			Scope:      registry.ScopeFile,
			UsageNotes: "Use it when a scene drags.\n\nNot for whole chapters.",
			Goals:      "Name the paragraphs that slow a scene down.",
			Guardrails: "Change nothing; cite the lines.",
			Prompt:     "Read the scene.\n\n## What to look for\n\n* long description\n* repeated beats\n\nAnswer < 200 words & cite lines.",
			Category:   "analysis",
			Aliases:    []string{"pace_scene"},
			Approval:   &registry.Approval{Tier: registry.AutoApprove},
		}},
		Rationale: "Editors ask for it in every second review.\n\nToday they paste the prompt by hand.",
		Examples: []string{
			"Check the pacing of Story/Scenes/SCN-harbour.md",
			"Where does the chase slow down?\n- only the second half\n\nName the lines.",
		},
		TestCases: []TestCase{
			{
				Name: "slow scene is named", Input: "Pace this scene:\nThe harbour lay still. It lay very still.", Expect: ExpectPass,
				Output: new("The scene is slow in lines 1-2."),
				Checks: []Check{checkOf(CheckContains, `"slow"`), checkOf(CheckMaxChars, "400")},
			},
			{
				Name: "no advice without a file", Input: "Pace it.", Expect: ExpectFail,
				Output: new("Cut the second half."),
				Checks: []Check{checkOf(CheckEvidence, "")},
			},
		},
		ChangeSet: "pacing tools",
	}
}

// assistant returns a complete change of an agent.
func assistant() Draft {
	d := pacer()
	d.Type = Modify
	d.Subject = registry.Subject{Kind: registry.KindAgent, Layer: registry.ProjectLayer("novel"), ID: "night_reader"}
	d.BaseVersion = new(4)
	d.ChangeSet = ""
	d.Definition = registry.Definition{Agent: &registry.Agent{
		ID:              "night_reader",
		Name:            "Night Reader",
		Vibe:            "calm: and exact",
		Soul:            "Reads twice before speaking.",
		PromptTemplate:  "$identity\n\n## Tools\n\n$tool_catalog",
		ChannelGuidance: map[string]string{"telegram": "Short.", "web": "Long is fine."},
		SessionOpen:     &registry.SessionOpen{Bootstrap: "Say hello.", Returning: "Say what changed."},
		AllowList:       &registry.AllowList{Tools: []string{"file_reader", "prose_analyzer"}, Categories: []string{"search"}},
		Timezone:        "Europe/Berlin",
	}}
	d.TestCases[1].Checks = []Check{
		checkOf(CheckJSONSchema, `{"properties":{"tool":{"enum":["a",null,1.50]}},"type":"object"}`),
		checkOf(CheckMatches, `"(?i)^cut\\b"`),
		checkOf(CheckNotContains, "\"```\""),
	}
	return d
}

// restore returns a complete proposal to restore an earlier version.
func restore() Draft {
	d := pacer()
	d.Type, d.BaseVersion, d.RestoreVersion = Restore, new(3), 1
	d.Definition = registry.Definition{}
	return d
}

// hardTexts returns a draft with texts that sections, bullets and headings cannot
// represent.
func hardTexts() Draft {
	d := pacer()
	tool := d.Definition.Tool
	tool.UsageNotes = "ends in a blank line\n"
	tool.Goals = "\r\nbegins with a line end of Windows"
	tool.Guardrails = "## Prompt\n\\## Prompt\n---\nhidden: \u200b\u202e"
	tool.InputSchema = json.RawMessage(`{"properties":{"n":{"default":1e+21,"enum":[null,"null","- a","1"]}},"type":"object"}`)
	d.Rationale = " "
	d.Examples = []string{"", "- a bullet\n\n   \nwith blanks ", "```\nfence\n```"}
	d.TestCases[0].Name = "two\nlines"
	d.TestCases[1].Output = new("")
	d.TestCases = append(d.TestCases, TestCase{})
	return d
}
