// This file finds changes that loosen the approval, limits, or availability of a tool.

package trust

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
)

// offerRules returns the rules that compare the approval, limits, availability, category, and
// provider of a tool.
func offerRules() []rules.Rule {
	return []rules.Rule{
		loosened("R211", approvalLowered), loosened("R212", approvalRemoved), loosened("R213", limitRaised), loosened("R214", gateDropped),
		loosened("R215", availabilityWidened),
		{ID: "R216", Check: categoryMoved},
		loosened("R217", providerChanged),
		{ID: "R218", Check: reactivated},
	}
}

// approvalRank returns the rank of an approval. A higher rank means that fewer calls need approval.
// Calls of a tool without an approval tier always need approval, and only a proposal can change
// this.
func approvalRank(a *registry.Approval) int {
	switch {
	case a == nil:
		return 0
	case a.Tier == registry.AutoApprove:
		return 3
	case a.Tier == registry.UserConfigurable && a.Default == registry.AutoApprove:
		return 2
	case a.Tier == registry.UserConfigurable:
		return 1
	}
	return 0
}

func tierOf(a *registry.Approval) string {
	switch {
	case a == nil || a.Tier == "":
		return "none (always requires approval)"
	case a.Tier == registry.UserConfigurable && a.Default != "":
		return string(a.Tier) + " (default " + string(a.Default) + ")"
	}
	return string(a.Tier)
}

func approvalLowered(before, after *registry.Tool) []rules.Finding {
	if approvalRank(after.Approval) <= approvalRank(before.Approval) || approvalSkipped(before, after) {
		return nil
	}
	return []rules.Finding{valueChange("definition.approval", "The approval tier", tierOf(before.Approval), tierOf(after.Approval))}
}

// approvalSkipped reports whether the tool is destructive before or after the change, and calls no
// longer need approval after the change.
func approvalSkipped(before, after *registry.Tool) bool {
	return (destructive(before) || destructive(after)) &&
		before.Approval.Effective("") != registry.AutoApprove && after.Approval.Effective("") == registry.AutoApprove
}

func approvalRemoved(before, after *registry.Tool) []rules.Finding {
	if !approvalSkipped(before, after) {
		return nil
	}
	return []rules.Finding{valueChange("definition.approval", "The approval tier of a destructive tool", tierOf(before.Approval), tierOf(after.Approval))}
}

func limitRaised(before, after *registry.Tool) []rules.Finding {
	was, will := orZero(before.Limits), orZero(after.Limits)
	var found []rules.Finding
	if was.DailyLimit > 0 && (will.DailyLimit == 0 || will.DailyLimit > was.DailyLimit) {
		found = append(found, valueChange("definition.limits.dailyLimit", "The daily limit", limit(was.DailyLimit, "calls"), limit(will.DailyLimit, "calls")))
	}
	if was.CooldownSeconds > 0 && will.CooldownSeconds < was.CooldownSeconds {
		found = append(found, valueChange("definition.limits.cooldownSeconds", "The cooldown", limit(was.CooldownSeconds, "s"), limit(will.CooldownSeconds, "s")))
	}
	return found
}

func limit(n int, unit string) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n) + " " + unit
}

func gateDropped(before, after *registry.Tool) []rules.Finding {
	if !before.RequiresGate || after.RequiresGate {
		return nil
	}
	return []rules.Finding{valueChange("definition.requiresGate", "The eval gate", "required", "not required")}
}

func availabilityWidened(before, after *registry.Tool) []rules.Finding {
	was, will := orZero(before.Availability), orZero(after.Availability)
	var found []rules.Finding
	add := func(key string, from, to bool) {
		if from && !to {
			found = append(found, valueChange("definition.availability."+key, key, "true", "unset"))
		}
	}
	add("localOnly", was.LocalOnly, will.LocalOnly)
	add("nonLocalOnly", was.NonLocalOnly, will.NonLocalOnly)
	add("needsEmbedding", was.NeedsEmbedding, will.NeedsEmbedding)
	return found
}

func providerChanged(before, after *registry.Tool) []rules.Finding {
	was, will := orZero(before.Provider), orZero(after.Provider)
	var found []rules.Finding
	add := func(key, from, to string) {
		if from != to {
			found = append(found, valueChange("definition.provider."+key, "The provider's "+key, cmp.Or(from, "none"), cmp.Or(to, "none")))
		}
	}
	add("type", string(was.Type), string(will.Type))
	add("server", was.Server, will.Server)
	add("url", was.URL, will.URL)
	add("name", was.Name, will.Name)
	return found
}

func reactivated(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	if c.Draft.Type == proposals.Deactivate || c.Draft.Type == proposals.Reactivate || c.Draft.Definition.IsZero() {
		return nil, nil
	}
	before, err := replaced(ctx, c)
	if err != nil || before == nil || before.Definition.Status() == registry.Active || c.Draft.Definition.Status() == registry.Deactivated {
		return nil, err
	}
	f := valueChange("definition.status", "The status", string(registry.Deactivated), string(registry.Active))
	f.Message += comparedWith(before, c) + "."
	return []rules.Finding{f}, nil
}

// categoryMoved reports a tool that moves to another category, if additional allow-lists or agents
// then have the tool.
func categoryMoved(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	after := c.Judged()
	if after == nil {
		return nil, nil
	}
	before, err := replaced(ctx, c)
	if err != nil || before == nil || before.Definition.Tool == nil || before.Definition.Tool.Category == after.Category {
		return nil, err
	}
	agents, err := c.World.Agents(ctx)
	if err != nil {
		return nil, err
	}
	lists, err := c.Lists(ctx)
	if err != nil {
		return nil, err
	}
	from := before.Definition.Tool.Category
	takes := func(categories []string) bool {
		return slices.Contains(categories, after.Category) && !slices.Contains(categories, from)
	}
	var takers []string
	for _, e := range lists {
		if takes(e.Definition.List.Categories) {
			takers = append(takers, "allow-list "+e.Subject.ID)
		}
	}
	for _, l := range agents {
		list, err := granted(ctx, c, l.Definition)
		if err != nil {
			return nil, err
		}
		if takes(list.Categories) {
			takers = append(takers, l.Subject.String())
		}
	}
	if len(takers) == 0 {
		return nil, nil
	}
	f := valueChange("definition.category", "The category", cmp.Or(from, "none"), after.Category)
	f.Message += fmt.Sprintf("%s. The new category is admitted by %s.", comparedWith(before, c), strings.Join(takers, ", "))
	return []rules.Finding{f}, nil
}
