// This file checks the placeholders in the template of an agent.

package agents

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

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

// requiredPlaceholders returns pairs of a placeholder that the template needs to include a text of
// the agent, and the consequence of omitting it.
func requiredPlaceholders(a registry.Agent) [][2]string {
	list := [][2]string{
		{prompt.ToolCatalog, "the agent does not learn which tools it has"},
		{prompt.UserInstructions, "the agent never sees the user's standing instructions"},
	}
	for _, text := range []struct {
		set         bool
		placeholder string
		key         string
	}{
		{a.Soul != "", prompt.Soul, "soul"},
		{len(a.ChannelGuidance) > 0, prompt.ChannelGuidance, "channelGuidance"},
		{a.OperatingModel != "", prompt.OperatingModel, "operatingModel"},
		{a.InteractionLearning != "", prompt.InteractionLearning, "interactionLearning"},
		{a.SessionOpen != nil || a.Onboarding != "", prompt.SessionSection, "sessionOpen and onboarding"},
	} {
		if text.set {
			list = append(list, [2]string{text.placeholder, "the agent never sees its " + text.key})
		}
	}
	return list
}

func checkMissingPlaceholder(_ context.Context, _ *rules.Change, a registry.Agent) ([]rules.Finding, error) {
	if strings.TrimSpace(a.PromptTemplate) == "" {
		return nil, nil
	}
	uses := prompt.Uses(a.PromptTemplate)
	var found []rules.Finding
	for _, w := range requiredPlaceholders(a) {
		if !slices.ContainsFunc(uses, func(u prompt.Use) bool { return u.Name == w[0] }) {
			found = append(found, rules.Finding{Path: templatePath, Passage: "$" + w[0], Message: fmt.Sprintf("The template has no $%s: %s.", w[0], w[1])})
		}
	}
	return found, nil
}

// braced matches placeholder names in braces. Callers must check that no "$" precedes them.
var braced = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{?\s*(` + strings.Join(prompt.Placeholders(), "|") + `)\s*\}?\}`)
})

func checkBracePlaceholder(_ context.Context, _ *rules.Change, a registry.Agent) ([]rules.Finding, error) {
	var found []rules.Passage
	for _, p := range firstMatches(braced(), a.PromptTemplate, -1) {
		if !strings.HasSuffix(a.PromptTemplate[:p.Start], "$") {
			found = append(found, p)
		}
	}
	return textFindings(templatePath, a.PromptTemplate, found, func(use string) string { return fmt.Sprintf("%s is not a placeholder here.", use) }), nil
}
