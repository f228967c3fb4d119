package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// The maximum lengths of a tool's texts, in characters.
const (
	MaxName        = 80
	MaxArchetype   = 200
	MaxNotes       = 4_000 // usageNotes, goals, guardrails, each channel's guidance
	MaxPrompt      = 32_000
	MaxDescription = 32_000
)

// maxAliases is the maximum number of aliases of a tool.
const maxAliases = 64

// Problems returns the reasons why t is not a complete definition, each with its
// path below path and the expected value, or nil.
func (t Tool) Problems(path string) jsondoc.Problems {
	c := newChecker(path)
	c.id("id", t.ID)
	if t.Kind != ServerText { // only imports create a ServerText
		requireOneOf(c, "kind", t.Kind, PromptTool, ActionTool)
	}
	c.require("name", t.Name, fmt.Sprintf("a label of 1 to %d characters", MaxName))
	switch t.Kind {
	case PromptTool:
		if t.Scope == "" {
			c.add("scope", "missing; expected the scope of the tool: selection, file or project")
		}
		c.require("usageNotes", t.UsageNotes, fmt.Sprintf("when to use the tool, in at most %d characters", MaxNotes))
		c.require("goals", t.Goals, fmt.Sprintf("what the tool is for, in at most %d characters", MaxNotes))
		c.require("guardrails", t.Guardrails, fmt.Sprintf("what the tool must not do, in at most %d characters", MaxNotes))
		c.require("prompt", t.Prompt, fmt.Sprintf("the text to inject, at most %d characters", MaxPrompt))
	case ServerText: // the server decides
	case ActionTool:
		c.require("description", t.Description, "what the tool does, for discovery and function calling")
	}
	c.text("name", t.Name, MaxName)
	c.text("archetype", t.Archetype, MaxArchetype)
	oneOf(c, "scope", t.Scope, ScopeSelection, ScopeFile, ScopeProject)
	c.text("usageNotes", t.UsageNotes, MaxNotes)
	c.text("goals", t.Goals, MaxNotes)
	c.text("guardrails", t.Guardrails, MaxNotes)
	c.text("prompt", t.Prompt, MaxPrompt)
	limit := MaxDescription
	if t.Source != nil {
		limit = MaxText // nobody here can shorten it
	}
	c.text("description", t.Description, limit)
	c.text("shortDescription", t.ShortDescription, MaxShortDescription)
	if len(t.InputSchema) == 0 && t.Kind == ActionTool {
		c.add("inputSchema", "missing; expected a JSON Schema object that describes the arguments")
	}
	c.object("inputSchema", t.InputSchema)
	c.object("outputSchema", t.OutputSchema)
	if t.Category != "" && !ValidCategory(t.Category) {
		c.add("category", "expected %s, got %s", categoryForm, jsondoc.Quote(t.Category))
	}
	c.names("aliases", t.Aliases, maxAliases, func(alias string) bool {
		return ValidID(alias) && alias != t.ID
	}, "an id other than the tool's own ("+idForm+")")
	oneOf(c, "tier", t.Tier, TierLow, TierMedium, TierHigh)
	oneOf(c, "cost", t.Cost, CostFree, CostCheap, CostExpensive)
	oneOf(c, "status", t.Status, Active, Deactivated)
	if t.Approval != nil {
		t.Approval.check(c.at("approval"))
	}
	if t.Availability != nil && t.Availability.LocalOnly && t.Availability.NonLocalOnly {
		c.add("availability", "localOnly and nonLocalOnly exclude each other; remove one")
	}
	if t.Tag != nil {
		t.Tag.check(c.at("tag"))
	}
	if t.Limits != nil {
		t.Limits.check(c.at("limits"))
	}
	c.channels("guidance", t.Guidance, MaxNotes)
	if t.Provider != nil {
		if t.Kind != ActionTool {
			c.add("provider", "a %s tool is text and does not run; omit the key", t.Kind)
		} else {
			t.Provider.check(c.at("provider"))
		}
	}
	if t.Source != nil {
		t.Source.check(c.at("source"))
	}
	if (t.Kind == ServerText) != (t.Source != nil && t.Source.Type == SourceMCPText) {
		c.add("kind", `the kind "text" requires a source of the type "mcp_text" and vice versa; only imports from a server create them`)
	}
	return *c.problems
}

// object adds a problem if a schema is set and is not a JSON object. It does not
// check the content of the schema.
func (c *checker) object(key string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	n, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	switch {
	case err != nil:
		c.add(key, "expected a JSON Schema object, got invalid JSON")
	case n.Kind != jsondoc.Object:
		c.add(key, "expected a JSON Schema object, got %s", n.Kind)
	}
}

// The maximum lengths of an agent's texts, in characters. MaxText applies to texts
// without a limit of their own.
const (
	MaxAgentDescription = 4_000
	MaxVibe             = 1_000
	MaxSoul             = 32_000
	MaxText             = 1 << 20
)

// Problems returns the reasons why a is not a complete definition, each with its
// path below path and the expected value, or nil.
func (a Agent) Problems(path string) jsondoc.Problems {
	c := newChecker(path)
	c.id("id", a.ID)
	c.require("name", a.Name, fmt.Sprintf("a label of 1 to %d characters", MaxName))
	c.text("name", a.Name, MaxName)
	c.text("description", a.Description, MaxAgentDescription)
	c.text("vibe", a.Vibe, MaxVibe)
	c.text("soul", a.Soul, MaxSoul)
	c.text("promptTemplate", a.PromptTemplate, MaxText)
	c.text("operatingModel", a.OperatingModel, MaxText)
	c.text("interactionLearning", a.InteractionLearning, MaxText)
	c.channels("channelGuidance", a.ChannelGuidance, MaxText)
	if a.SessionOpen != nil {
		s := c.at("sessionOpen")
		s.text("bootstrap", a.SessionOpen.Bootstrap, MaxText)
		s.text("returning", a.SessionOpen.Returning, MaxText)
	}
	c.text("onboarding", a.Onboarding, MaxText)
	if a.AllowList != nil {
		c.problems.Append(a.AllowList.Problems(jsondoc.Join(path, "allowList"))...)
	}
	c.categories(a.Categories)
	if a.Timezone != "" && !plausibleZone(a.Timezone) {
		c.add("timezone", "expected the IANA name of a time zone such as Europe/Berlin, got %s", jsondoc.Quote(a.Timezone))
	}
	oneOf(c, "status", a.Status, Active, Deactivated)
	return *c.problems
}

// plausibleZone reports whether name has the form of names in the IANA time zone
// database. Whether the zone exists is only known when it is used.
func plausibleZone(name string) bool {
	const letters = lower + upper + digits + "_+-"
	return consistsOf(name, letters, letters+"/") && !strings.HasSuffix(name, "/") && !strings.Contains(name, "//")
}

// Problems returns the problems of the allow-list at path. A reference is only
// checked for its form; resolving it shows whether the list exists.
func (a AllowList) Problems(path string) jsondoc.Problems {
	if a.Reference() {
		var ps jsondoc.Problems
		if !ValidID(a.Name) {
			ps.Add(path, "expected the name of an allow-list, a list of tool ids or an object, got %s", jsondoc.Quote(a.Name))
		}
		return ps
	}
	c := newChecker(path)
	if a.Name != "" {
		c.id("name", a.Name)
	}
	c.allowList(a)
	return *c.problems
}

// subsetOf adds problems if a list has duplicates or contains entries that are not
// allowed.
func subsetOf[T ~string](c *checker, key string, list []T, allowed ...T) {
	names := lists.Map(list, func(v T) string { return string(v) })
	c.names(key, names, len(allowed), func(s string) bool { return slices.Contains(allowed, T(s)) }, joinOr(allowed))
}
