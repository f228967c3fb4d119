package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

// The longest texts of a tool in characters (code points).
const (
	MaxName        = 80
	MaxArchetype   = 200
	MaxNotes       = 4_000 // usageNotes, goals, guardrails, each channel's guidance
	MaxPrompt      = 32_000
	MaxDescription = 32_000
)

// maxAliases limits how many other ids a tool may answer to.
const maxAliases = 64

// Problems returns everything that keeps t from being a complete definition, each
// with its path below path and the expected value. It is nil when nothing does.
func (t Tool) Problems(path string) jsondoc.Problems {
	c := &checker{path: path}
	c.id("id", t.ID)
	if t.Kind != ServerText { // which nobody writes by hand
		requireOneOf(c, "kind", t.Kind, PromptTool, ActionTool)
	}
	t.checkTexts(c)
	t.checkSchemas(c)
	t.checkNames(c)
	oneOf(c, "tier", t.Tier, TierLow, TierMedium, TierHigh)
	oneOf(c, "cost", t.Cost, CostFree, CostCheap, CostExpensive)
	oneOf(c, "status", t.Status, Active, Deactivated)
	if t.Approval != nil {
		t.Approval.check(c, "approval")
	}
	if t.Availability != nil && t.Availability.LocalOnly && t.Availability.NonLocalOnly {
		c.add("availability", "localOnly and nonLocalOnly together offer the tool nowhere; keep one")
	}
	if t.Tag != nil {
		t.Tag.check(c, "tag")
	}
	if t.Limits != nil {
		t.Limits.check(c, "limits")
	}
	c.channels("guidance", t.Guidance, MaxNotes)
	if t.Provider != nil {
		if t.Kind != ActionTool {
			c.add("provider", "a %s tool is text and is not run; leave the key out", t.Kind)
		} else {
			t.Provider.check(c, "provider")
		}
	}
	if t.Source != nil {
		t.Source.check(c, "source")
	}
	if (t.Kind == ServerText) != (t.Source != nil && t.Source.Type == SourceMCPText) {
		c.add("kind", `the kind "text" and a source of the type "mcp_text" belong together; only an import from a server makes them`)
	}
	return c.problems
}

func (t Tool) checkTexts(c *checker) {
	c.require("name", t.Name, fmt.Sprintf("a label of 1 to %d characters", MaxName))
	switch t.Kind {
	case PromptTool:
		if t.Scope == "" {
			c.add("scope", "missing; expected what the tool looks at: selection, file or project")
		}
		c.require("usageNotes", t.UsageNotes, fmt.Sprintf("when to use the tool, in at most %d characters", MaxNotes))
		c.require("goals", t.Goals, fmt.Sprintf("what the tool is for, in at most %d characters", MaxNotes))
		c.require("guardrails", t.Guardrails, fmt.Sprintf("what the tool must not do, in at most %d characters", MaxNotes))
		c.require("prompt", t.Prompt, fmt.Sprintf("the text to inject, at most %d characters", MaxPrompt))
	case ServerText: // whatever the server says
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
	c.text("description", t.Description, MaxDescription)
	c.text("shortDescription", t.ShortDescription, MaxShortDescription)
}

func (t Tool) checkSchemas(c *checker) {
	if len(t.InputSchema) == 0 && t.Kind == ActionTool {
		c.add("inputSchema", "missing; expected a JSON Schema object that describes the arguments")
	}
	c.object("inputSchema", t.InputSchema)
	c.object("outputSchema", t.OutputSchema)
}

// object reports a schema that is set and is no JSON object. What the schema
// says is not looked at.
func (c *checker) object(key string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	n, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	switch {
	case err != nil:
		c.add(key, "expected a JSON Schema object; this is not valid JSON")
	case n.Kind != jsondoc.Object:
		c.add(key, "expected a JSON Schema object, got %s", n.Kind)
	}
}

func (t Tool) checkNames(c *checker) {
	if t.Category != "" && !ValidCategory(t.Category) {
		c.add("category", "expected %s, got %s", categoryForm, jsondoc.Quote(t.Category))
	}
	c.names("aliases", t.Aliases, maxAliases, func(alias string) bool {
		return ValidID(alias) && alias != t.ID
	}, "an id other than the tool's own ("+idForm+")")
}

// The longest texts of an agent in characters (code points). MaxText is the
// limit of every text that has no own one.
const (
	MaxAgentDescription = 4_000
	MaxVibe             = 1_000
	MaxSoul             = 32_000
	MaxText             = 1 << 20
)

// Problems returns everything that keeps a from being a complete definition, each
// with its path below path and the expected value. It is nil when nothing does.
func (a Agent) Problems(path string) jsondoc.Problems {
	c := &checker{path: path}
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
		c.join(s)
	}
	c.text("onboarding", a.Onboarding, MaxText)
	if a.AllowList != nil {
		c.problems.Append(a.AllowList.Problems(jsondoc.Join(path, "allowList"))...)
	}
	c.categories("categories", a.Categories)
	if a.Timezone != "" && !plausibleZone(a.Timezone) {
		c.add("timezone", "expected the IANA name of a time zone such as Europe/Berlin, got %s", jsondoc.Quote(a.Timezone))
	}
	oneOf(c, "status", a.Status, Active, Deactivated)
	return c.problems
}

// plausibleZone reports whether name has the form of the names in the IANA time
// zone database; whether the zone exists is found out when it is used.
func plausibleZone(name string) bool {
	const letters = lower + upper + digits + "_+-"
	return madeOf(name, letters, letters+"/") && !strings.HasSuffix(name, "/") && !strings.Contains(name, "//")
}

// Problems returns all problems of the allow-list at path. A list is referred to
// by its name, which has the form of an id; resolving it shows whether the list
// exists.
func (a AllowList) Problems(path string) jsondoc.Problems {
	if a.Reference() {
		var ps jsondoc.Problems
		if !ValidID(a.Name) {
			ps.Add(path, "expected the name of an allow-list, a list of tool ids or an object, got %s", jsondoc.Quote(a.Name))
		}
		return ps
	}
	c := &checker{path: path}
	if a.Name != "" {
		c.id("name", a.Name)
	}
	c.allows(a)
	return c.problems
}

// few reports a list that repeats an entry or holds another than the allowed
// ones.
func few[T ~string](c *checker, key string, list []T, allowed ...T) {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = string(v)
	}
	c.names(key, names, len(allowed), func(s string) bool { return slices.Contains(allowed, T(s)) }, either(allowed))
}
