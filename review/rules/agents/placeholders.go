// This file checks the placeholders in the template of an agent.

package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lazyregexp"
	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/review/rules"
)

func checkUnknownPlaceholder(_ context.Context, _ *rules.Change, a registry.Agent) ([]rules.Finding, error) {
	var found []rules.Passage
	for _, u := range prompt.Uses(a.PromptTemplate) {
		if !slices.Contains(prompt.Placeholders(), u.Name) {
			found = append(found, rules.Passage{Start: u.Offset, End: u.Offset + u.Len})
		}
	}
	return textFindings(templatePath, a.PromptTemplate, found, func(use string) string { return fmt.Sprintf("Unknown placeholder %s.", use) }), nil
}

func checkMissingPlaceholder(_ context.Context, _ *rules.Change, a registry.Agent) ([]rules.Finding, error) {
	if strings.TrimSpace(a.PromptTemplate) == "" {
		return nil, nil
	}
	uses := prompt.Uses(a.PromptTemplate)
	var found []rules.Finding
	for _, required := range []struct {
		needed      bool
		placeholder string
		omitted     string // the consequence if the template omits the placeholder
	}{
		{true, prompt.ToolCatalog, "the agent does not learn which tools it has"},
		{true, prompt.UserInstructions, "the agent never sees the user's standing instructions"},
		{a.Soul != "", prompt.Soul, "the agent never sees its soul"},
		{len(a.ChannelGuidance) > 0, prompt.ChannelGuidance, "the agent never sees its channelGuidance"},
		{a.OperatingModel != "", prompt.OperatingModel, "the agent never sees its operatingModel"},
		{a.InteractionLearning != "", prompt.InteractionLearning, "the agent never sees its interactionLearning"},
		{a.SessionOpen != nil || a.Onboarding != "", prompt.SessionSection, "the agent never sees its sessionOpen and onboarding"},
	} {
		if required.needed && !slices.ContainsFunc(uses, func(u prompt.Use) bool { return u.Name == required.placeholder }) {
			found = append(found, rules.Finding{
				Path: templatePath, Passage: "$" + required.placeholder, Message: fmt.Sprintf("The template has no $%s: %s.", required.placeholder, required.omitted),
			})
		}
	}
	return found, nil
}

// braced matches the name of a placeholder in braces. Callers must check that no "$" precedes the
// match.
var braced = lazyregexp.New(`\{\{?\s*(` + strings.Join(prompt.Placeholders(), "|") + `)\s*\}?\}`)

func checkBracePlaceholder(_ context.Context, _ *rules.Change, a registry.Agent) ([]rules.Finding, error) {
	found := lists.Filter(firstMatches(braced(), a.PromptTemplate, -1), func(p rules.Passage) bool {
		return !strings.HasSuffix(a.PromptTemplate[:p.Start], "$")
	})
	return textFindings(templatePath, a.PromptTemplate, found, func(use string) string {
		return fmt.Sprintf("%s stays in the prompt, because this template syntax is not supported.", use)
	}), nil
}
