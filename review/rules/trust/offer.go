package trust

import (
	"cmp"
	"strconv"

	"toolcrib/registry"
	"toolcrib/review/rules"
)

// offerRules compare under which conditions a tool runs, where it is offered
// and who runs it.
func offerRules() []rules.Rule {
	return []rules.Rule{approvalLowered(), approvalRemoved(), limitRaised(), gateDropped(), availabilityWidened(), categoryMoved(), providerChanged(), comesBack()}
}

// freedom orders approvals by how little they ask: a tool without one asks
// always, and nobody can change that but by a proposal.
func freedom(a *registry.Approval) int {
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
		return "none (always asks)"
	case a.Tier == registry.UserConfigurable && a.Default != "":
		return string(a.Tier) + " (default " + string(a.Default) + ")"
	}
	return string(a.Tier)
}

func approvalLowered() rules.Rule {
	return loosened("R211", func(before, after *registry.Tool) []rules.Finding {
		if freedom(after.Approval) <= freedom(before.Approval) || unasked(before, after) {
			return nil
		}
		return []rules.Finding{moved("definition.approval", "The approval tier", tierOf(before.Approval), tierOf(after.Approval))}
	})
}

// unasked reports whether a tool that destroys, before or after, asked and now
// does not.
func unasked(before, after *registry.Tool) bool {
	return (destructive(before) || destructive(after)) &&
		before.Approval.Effective("") != registry.AutoApprove && after.Approval.Effective("") == registry.AutoApprove
}

func approvalRemoved() rules.Rule {
	return loosened("R212", func(before, after *registry.Tool) []rules.Finding {
		if !unasked(before, after) {
			return nil
		}
		return []rules.Finding{moved("definition.approval", "The approval tier of a destructive tool", tierOf(before.Approval), tierOf(after.Approval))}
	})
}

func limitRaised() rules.Rule {
	return loosened("R213", func(before, after *registry.Tool) []rules.Finding {
		was, will := limitsOf(before), limitsOf(after)
		var found []rules.Finding
		if was.DailyLimit > 0 && (will.DailyLimit == 0 || will.DailyLimit > was.DailyLimit) {
			found = append(found, moved("definition.limits.dailyLimit", "The daily limit", limit(was.DailyLimit, "calls"), limit(will.DailyLimit, "calls")))
		}
		if was.CooldownSeconds > 0 && will.CooldownSeconds < was.CooldownSeconds {
			found = append(found, moved("definition.limits.cooldownSeconds", "The cooldown", limit(was.CooldownSeconds, "s"), limit(will.CooldownSeconds, "s")))
		}
		return found
	})
}

func limitsOf(t *registry.Tool) registry.Limits {
	if t.Limits == nil {
		return registry.Limits{}
	}
	return *t.Limits
}

func limit(n int, unit string) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n) + " " + unit
}

func gateDropped() rules.Rule {
	return loosened("R214", func(before, after *registry.Tool) []rules.Finding {
		if !before.RequiresGate || after.RequiresGate {
			return nil
		}
		return []rules.Finding{moved("definition.requiresGate", "The eval gate", "required", "not required")}
	})
}

func availabilityWidened() rules.Rule {
	return loosened("R215", func(before, after *registry.Tool) []rules.Finding {
		var was, will registry.Availability
		if before.Availability != nil {
			was = *before.Availability
		}
		if after.Availability != nil {
			will = *after.Availability
		}
		var found []rules.Finding
		add := func(key string, from, to bool) {
			if from && !to {
				found = append(found, moved("definition.availability."+key, key, "true", "not said"))
			}
		}
		add("localOnly", was.LocalOnly, will.LocalOnly)
		add("nonLocalOnly", was.NonLocalOnly, will.NonLocalOnly)
		add("needsEmbedding", was.NeedsEmbedding, will.NeedsEmbedding)
		return found
	})
}

func providerChanged() rules.Rule {
	return loosened("R217", func(before, after *registry.Tool) []rules.Finding {
		var was, will registry.Provider
		if before.Provider != nil {
			was = *before.Provider
		}
		if after.Provider != nil {
			will = *after.Provider
		}
		var found []rules.Finding
		add := func(key, from, to string) {
			if from != to {
				found = append(found, moved("definition.provider."+key, "The provider's "+key, cmp.Or(from, "none"), cmp.Or(to, "none")))
			}
		}
		add("type", string(was.Type), string(will.Type))
		add("server", was.Server, will.Server)
		add("url", was.URL, will.URL)
		add("name", was.Name, will.Name)
		return found
	})
}
