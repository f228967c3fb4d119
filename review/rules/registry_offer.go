package rules

import (
	"cmp"
	"strconv"

	"toolcrib/registry"
)

// offerRules compare under which conditions a tool runs, where it is offered
// and who runs it.
func offerRules() []Rule {
	return []Rule{approvalLowered(), approvalRemoved(), limitRaised(), gateDropped(), availabilityWidened(), categoryMoved(), providerChanged(), comesBack()}
}

func approves(tier, otherwise registry.ApprovalTier) func(*registry.Tool) {
	return func(t *registry.Tool) { t.Approval = &registry.Approval{Tier: tier, Default: otherwise} }
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

func approvalLowered() Rule {
	return loosened(bothWays(Rule{
		ID: "R211", Name: "approval-lowered", Severity: Warn, Waivable: true,
		Doc:        "The approval tier asks less than before: from requires_approval to user_configurable, from there to auto_approve, or from a default that asks to one that does not.",
		Suggestion: "Keep the tier, or say in the rationale what has shown that asking is needless.",
	}, "requires_approval → user_configurable", approves(registry.RequiresApproval, ""),
		"user_configurable → requires_approval", approves(registry.UserConfigurable, registry.RequiresApproval)),
		func(before, after *registry.Tool) []Finding {
			if freedom(after.Approval) <= freedom(before.Approval) || unasked(before, after) {
				return nil
			}
			return []Finding{moved("definition.approval", "the approval tier", tierOf(before.Approval), tierOf(after.Approval))}
		})
}

// unasked reports whether a tool that destroys, before or after, asked and now
// does not.
func unasked(before, after *registry.Tool) bool {
	return (destructive(before) || destructive(after)) &&
		before.Approval.Effective("") != registry.AutoApprove && after.Approval.Effective("") == registry.AutoApprove
}

func approvalRemoved() Rule {
	auto := func(tier registry.ApprovalTier) func(*registry.Tool) {
		return func(t *registry.Tool) {
			t.Annotations, t.Approval = &registry.Annotations{Destructive: yes()}, &registry.Approval{Tier: tier}
		}
	}
	return loosened(bothWays(Rule{
		ID: "R212", Name: "destructive-let-loose", Severity: Block, Waivable: true,
		Doc: "A tool that destroys was asked about before it ran, and now runs by itself. It blocks, because " +
			"nothing else would stand between an agent's mistake and what is lost; the user may waive it with a " +
			"reason. Taking the annotation away in the same change does not help.",
		Suggestion: "Keep asking, at least by default: user_configurable with the default requires_approval.",
	}, `requires_approval → auto_approve with "destructive": true`, auto(registry.RequiresApproval), "auto_approve → requires_approval", auto(registry.AutoApprove)),
		func(before, after *registry.Tool) []Finding {
			if !unasked(before, after) {
				return nil
			}
			return []Finding{moved("definition.approval", "the approval tier of a destructive tool", tierOf(before.Approval), tierOf(after.Approval))}
		})
}

func limitRaised() Rule {
	limited := func(cooldown, daily int) func(*registry.Tool) {
		return func(t *registry.Tool) {
			t.Limits = &registry.Limits{CooldownSeconds: cooldown, DailyLimit: daily}
		}
	}
	return loosened(bothWays(Rule{
		ID: "R213", Name: "limit-raised", Severity: Warn, Waivable: true,
		Doc:        "A tool may be called more often than before: its daily limit is higher or gone, or its cooldown shorter or gone.",
		Suggestion: "Keep the limit, or say in the rationale why it is too low.",
	}, `"dailyLimit": 10 → 100`, limited(60, 10), `"dailyLimit": 100 → 10`, limited(60, 100)),
		func(before, after *registry.Tool) []Finding {
			was, will := limitsOf(before), limitsOf(after)
			var found []Finding
			if was.DailyLimit > 0 && (will.DailyLimit == 0 || will.DailyLimit > was.DailyLimit) {
				found = append(found, moved("definition.limits.dailyLimit", "the daily limit", limit(was.DailyLimit, "calls"), limit(will.DailyLimit, "calls")))
			}
			if was.CooldownSeconds > 0 && will.CooldownSeconds < was.CooldownSeconds {
				found = append(found, moved("definition.limits.cooldownSeconds", "the cooldown", limit(was.CooldownSeconds, "s"), limit(will.CooldownSeconds, "s")))
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

func gateDropped() Rule {
	gated := func(v bool) func(*registry.Tool) { return func(t *registry.Tool) { t.RequiresGate = v } }
	return loosened(bothWays(Rule{
		ID: "R214", Name: "gate-dropped", Severity: Warn, Waivable: true,
		Doc:        "The eval gate had to say yes before this tool ran, and is no longer asked.",
		Suggestion: "Keep the gate, or say in the rationale what it was for and why that is over.",
	}, `"requiresGate": true → absent`, gated(true), `"requiresGate": absent → true`, gated(false)),
		func(before, after *registry.Tool) []Finding {
			if !before.RequiresGate || after.RequiresGate {
				return nil
			}
			return []Finding{moved("definition.requiresGate", "the eval gate", "required", "not required")}
		})
}

func availabilityWidened() Rule {
	offered := func(a *registry.Availability) func(*registry.Tool) {
		return func(t *registry.Tool) { t.Availability = a }
	}
	return loosened(bothWays(Rule{
		ID: "R215", Name: "availability-widened", Severity: Warn, Waivable: true,
		Doc:        "A tool is offered where it was not before: it was kept to the user's own machine, or off it, or to where embedding works.",
		Suggestion: "Keep the condition, or say in the rationale why the tool is safe elsewhere too.",
	}, `"localOnly": true → absent`, offered(&registry.Availability{LocalOnly: true}), `"localOnly": absent → true`, offered(nil)),
		func(before, after *registry.Tool) []Finding {
			var was, will registry.Availability
			if before.Availability != nil {
				was = *before.Availability
			}
			if after.Availability != nil {
				will = *after.Availability
			}
			var found []Finding
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

func providerChanged() Rule {
	runs := func(p registry.Provider) func(*registry.Tool) { return func(t *registry.Tool) { t.Provider = &p } }
	r := bothWays(Rule{
		ID: "R217", Name: "provider-changed", Severity: Warn, Waivable: true,
		Doc: "Somebody else runs the tool: another kind of provider, another server, another address or " +
			"another function there. The definition can stay the same word for word and everything that agents hand " +
			"to it goes elsewhere.",
		Suggestion: "Make sure that you know who answers there, and say so in the rationale.",
	}, `"url": "https://hub.example/tools" → "https://hub.example.net/tools"`, runs(registry.Provider{Type: registry.ProviderHTTP, URL: "https://hub.example/tools"}),
		"", runs(registry.Provider{Type: registry.ProviderHTTP, URL: "https://hub.example.net/tools"}))
	same := runs(registry.Provider{Type: registry.ProviderHTTP, URL: "https://hub.example/tools"})
	r.Good = change(same, func(t *registry.Tool) { same(t); t.Description += " Paid ones too." })
	r.Good.Show = "another description, the same url"
	return loosened(r, func(before, after *registry.Tool) []Finding {
		var was, will registry.Provider
		if before.Provider != nil {
			was = *before.Provider
		}
		if after.Provider != nil {
			will = *after.Provider
		}
		var found []Finding
		add := func(key, from, to string) {
			if from != to {
				found = append(found, moved("definition.provider."+key, "the provider's "+key, cmp.Or(from, "none"), cmp.Or(to, "none")))
			}
		}
		add("type", string(was.Type), string(will.Type))
		add("server", was.Server, will.Server)
		add("url", was.URL, will.URL)
		add("name", was.Name, will.Name)
		return found
	})
}
