package rules

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
)

// granted returns the allow-list of an agent spelled out, with the categories
// that the profile adds to it.
func granted(a *registry.Agent) registry.AllowList {
	var list registry.AllowList
	if a.AllowList != nil {
		list = *a.AllowList
	}
	if list.Reference() {
		if known, ok := shipped.AllowList(list.Name); ok {
			list = known
		}
	}
	list.Categories = slices.Concat(list.Categories, a.Categories)
	return list
}

func agentRules() []Rule {
	profile := func(t proposals.Type, tools ...string) proposals.Draft {
		d := sample()
		d.Type, d.Subject.Kind, d.Subject.ID = t, registry.KindAgent, "editor"
		d.Definition = registry.Definition{Agent: &registry.Agent{ID: "editor", Name: "Editor", AllowList: &registry.AllowList{Tools: tools}}}
		return d
	}
	few := profile(proposals.New, "file_reader")
	live := []registry.Live{{Subject: few.Subject, Version: 1, Definition: few.Definition}}
	return []Rule{{
		ID: "R221", Name: "allow-list-widened", Severity: Warn, Waivable: true,
		Doc:        "An agent gets more tools than before: tools or categories are added to its allow-list, a filter that kept some of them out is gone, or it names another list that holds more.",
		Suggestion: "Give the agent only what its work needs, and say in the rationale what each of these is for.",
		Bad:        Example{Show: `["file_reader"] → ["file_reader", "line_editor"]`, Draft: profile(proposals.Modify, "file_reader", "line_editor"), Live: live},
		Good:       Example{Show: `["file_reader"] → []`, Draft: profile(proposals.Modify), Live: live},
		Check: func(ctx context.Context, c *Change) ([]Finding, error) {
			if c.Draft.Definition.Agent == nil || c.Draft.Type == proposals.Deactivate {
				return nil, nil
			}
			before, err := c.replaced(ctx)
			if err != nil || before == nil || before.Definition.Agent == nil {
				return nil, err
			}
			found := widened(granted(before.Definition.Agent), granted(c.Draft.Definition.Agent))
			for i := range found {
				found[i].Message += over(before, c) + "."
			}
			return found, nil
		},
	}}
}

// widened compares two allow-lists. Filters are lists too, of which less is
// more; an empty filter by tier lets everything through.
func widened(before, after registry.AllowList) []Finding {
	var found []Finding
	add := func(path, message string, names []string) {
		if len(names) > 0 {
			found = append(found, Finding{Path: path, Passage: strings.Join(names, ", "), Message: message + ": " + someOf(names)})
		}
	}
	// How a tool is listed matters less than whether it is: what comes with
	// embedding and is now always there comes oftener.
	add("definition.allowList.tools", "The allow-list takes in more tools", beyond(after.Tools, before.Tools))
	add("definition.allowList.categories", "The allow-list takes in more categories", beyond(after.Categories, before.Categories))
	add("definition.allowList.addWhenNonLocal", "The allow-list takes in more tools when not local", beyond(after.AddWhenNonLocal, before.AddWhenNonLocal, before.Tools))
	add("definition.allowList.addWhenEmbeddingOK", "The allow-list takes in more tools when embedding works", beyond(after.AddWhenEmbeddingOK, before.AddWhenEmbeddingOK, before.Tools))
	add("definition.allowList.excludeInLocal", "The allow-list no longer keeps out in local", beyond(before.ExcludeInLocal, after.ExcludeInLocal))
	if len(before.Tiers) > 0 && len(after.Categories) > 0 {
		if len(after.Tiers) == 0 {
			found = append(found, moved("definition.allowList.tiers", "the filter by tier", joinTiers(before.Tiers), "none"))
		} else if more := beyond(after.Tiers, before.Tiers); len(more) > 0 {
			found = append(found, moved("definition.allowList.tiers", "the filter by tier", joinTiers(before.Tiers), joinTiers(after.Tiers)))
		}
	}
	return found
}

// beyond returns what is in list and in none of the others.
func beyond[T comparable](list []T, others ...[]T) []T {
	known := map[T]bool{}
	for _, v := range slices.Concat(others...) {
		known[v] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return known[v] })
}

func joinTiers(tiers []registry.Tier) string {
	words := make([]string, len(tiers))
	for i, t := range tiers {
		words[i] = string(t)
	}
	return strings.Join(words, ", ")
}

// mostListed is how many names of an allow-list a message tells.
const mostListed = 10

func someOf(names []string) string {
	var told []string
	for _, name := range names[:min(len(names), mostListed)] {
		told = append(told, jsondoc.Printable(name))
	}
	if more := len(names) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(told, ", ")
}
