// This file creates skeletons of proposals that authors complete.

package proposals

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"toolcrib/registry"
)

// placeholderMark is the prefix of every placeholder in a skeleton.
const placeholderMark = "FILL IN "

// placeholders are the texts that follow placeholderMark in skeletons. A line that
// consists of the mark and such a text has not been filled in.
var placeholders = []string{
	askDescription, askSkill, askInstructions, askListed, askUsage, askGoals, askGuardrails, askPrompt, askSoul, askRationale,
	askExample, askOther, askPassName, askFailName, askPassInput, askFailInput, askText,
}

const (
	askDescription  = "what the agent does, in a sentence"
	askSkill        = "what the skill does and when to use it, in a sentence"
	askListed       = "which work the list is for, in a sentence"
	askUsage        = "when to use the tool, and when not to use it"
	askGoals        = "what the tool must achieve"
	askGuardrails   = "what the tool must never do"
	askPrompt       = "the text that is injected into the agent's context"
	askSoul         = "the agent's philosophy of behavior, without headings, tool names or instructions"
	askInstructions = "what the agent is to do, as Markdown"
	askRationale    = "why the change is wanted, for the person who decides"
	askExample      = "a concrete invocation, as a user would write it"
	askOther        = "another concrete invocation, of a different kind"
	askPassName     = "what a good answer shows, in a few words"
	askFailName     = "what a bad answer shows, in a few words"
	askPassInput    = "what the model is given when it should do well"
	askFailInput    = "what the model is given when the checks should catch it"
	askText         = "a text that a good answer contains"
)

func fillIn(content string) string { return placeholderMark + content }

// placeholderIn returns the text of the first placeholder in text, without the mark.
func placeholderIn(text string) (content string, ok bool) {
	if !strings.Contains(text, placeholderMark) {
		return "", false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if key, value, front := strings.Cut(line, ": "); front && !strings.Contains(key, " ") {
			line = value
		}
		content, ok = strings.CutPrefix(line, placeholderMark)
		if ok && slices.Contains(placeholders, content) {
			return content, true
		}
	}
	return "", false
}

// Template returns a skeleton of a proposal. live is the live definition of the subject,
// and base is its version. For a new subject, live is nil and base is 0. Texts that only
// the author can provide are placeholders, which Problems reports until they are
// replaced.
func Template(t Type, subject registry.Subject, live *registry.Definition, base int) Draft {
	d := Draft{
		Type:        t,
		Subject:     subject,
		BaseVersion: &base,
		Rationale:   fillIn(askRationale),
		Examples:    []string{fillIn(askExample), fillIn(askOther)},
		TestCases: []TestCase{
			{
				Name: fillIn(askPassName), Input: fillIn(askPassInput), Expect: ExpectPass,
				Checks: []Check{{Type: CheckContains, Value: []byte(strconv.Quote(fillIn(askText)))}},
			},
			{
				Name: fillIn(askFailName), Input: fillIn(askFailInput), Expect: ExpectFail,
				Checks: []Check{{Type: CheckEvidence}},
			},
		},
	}
	if subject.Kind.InFiles() { // files have no invocations and no test cases
		d.Examples, d.TestCases = nil, nil
	}
	switch {
	case t == Restore:
		d.RestoreVersion = max(base-1, 0)
	case t != New && t != Modify: // all other types keep the live definition
	case live != nil:
		d.Definition = *live
	case subject.Kind == registry.KindAgent:
		d.Definition.Agent = &registry.Agent{
			ID: subject.ID, Name: label(subject.ID), Description: fillIn(askDescription), Soul: fillIn(askSoul),
			AllowList: &registry.AllowList{Name: "explore"},
		}
	case subject.Kind == registry.KindList:
		d.Definition.List = &registry.List{ID: subject.ID, Name: label(subject.ID), Description: fillIn(askListed), Tools: []string{"file_reader"}}
	case subject.Kind == registry.KindSkill:
		name := strings.ReplaceAll(subject.ID, "_", "-")
		text := "---\nname: " + name + "\ndescription: " + fillIn(askSkill) + "\n---\n\n" + fillIn(askInstructions) + "\n"
		d.Definition.Skill = &registry.Folder{
			ID: subject.ID, Path: ".claude/skills/" + name, Files: map[string]registry.File{registry.SkillFile: {Text: text}},
		}
	case subject.Kind == registry.KindInstructions:
		d.Definition.Instructions = &registry.Folder{
			ID: subject.ID, Path: "AGENTS.md", Files: map[string]registry.File{"AGENTS.md": {Text: fillIn(askInstructions) + "\n"}},
		}
	default:
		d.Definition.Tool = &registry.Tool{
			ID: subject.ID, Kind: registry.PromptTool, Name: label(subject.ID), Archetype: "Any", Scope: registry.ScopeFile,
			UsageNotes: fillIn(askUsage), Goals: fillIn(askGoals), Guardrails: fillIn(askGuardrails), Prompt: fillIn(askPrompt),
			Approval: &registry.Approval{Tier: registry.RequiresApproval},
		}
	}
	return d
}

// label converts an id to a label: scene_pacer becomes "Scene Pacer".
func label(id string) string {
	words := strings.Split(id, "_")
	for i, w := range words {
		if w != "" {
			words[i] = string(unicode.ToUpper(rune(w[0]))) + w[1:]
		}
	}
	return strings.Join(words, " ")
}
