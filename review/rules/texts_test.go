package rules

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
)

func TestTextsOfATool(t *testing.T) {
	output := "said"
	c := &Change{Draft: proposals.Draft{
		Rationale: "because", Examples: []string{"do it"}, ChangeSet: "set",
		TestCases: []proposals.TestCase{{Name: "case", Input: "asked", Output: &output}},
		Definition: registry.Definition{Tool: &registry.Tool{
			ID: "tool_id", Name: "Label", Archetype: "Editor", UsageNotes: "notes", Goals: "goals", Guardrails: "rails", Prompt: "prompt",
			Description: "long", ShortDescription: "short", Aliases: []string{"other_id"},
			InputSchema: []byte(`{"$comment":"hush","type":"object","required":["path"],"x-hint":"vendor","properties":{
				"path":{"type":"string","title":"Path","description":"which","default":"/tmp","enum":["/tmp","/var"],"examples":["/etc"],"pattern":"^/"},
				"deep":{"items":{"properties":{"inner":{"const":"fixed","description":"within"}}}},
				"a b":{"oneOf":[{"description":"one"},{"default":{"key":["value"]}}]}},
				"$defs":{"shared":{"description":"defined"}},"dependencies":{"path":{"description":"depends","type":"object"}}}`),
			OutputSchema: []byte(`{"description":"result"}`),
			Tag:          &registry.Tag{Prefix: "READ", ArgPattern: "(.+)", ArgGroups: []string{"path"}, Example: "READ: x"},
			Guidance:     map[string]string{"web": "on the web"},
			Provider:     &registry.Provider{Server: "server", Name: "wire-name", URL: "https://hub.example"},
		}},
	}}
	want := []string{
		"definition.id Identifier tool_id", "definition.name label Label", "definition.archetype label Editor",
		"definition.usageNotes prose notes", "definition.goals prose goals", "definition.guardrails prose rails", "definition.prompt prose prompt",
		"definition.description prose long", "definition.shortDescription prose short", "definition.aliases[0] identifier other_id",
		"definition.inputSchema.$comment note hush", "definition.inputSchema.type value object", "definition.inputSchema.required[0] value path",
		"definition.inputSchema.x-hint identifier x-hint", "definition.inputSchema.x-hint value vendor",
		"definition.inputSchema.properties.path identifier path", "definition.inputSchema.properties.path.title label Path",
		"definition.inputSchema.properties.path.description prose which", "definition.inputSchema.properties.path.default value /tmp",
		"definition.inputSchema.properties.path.enum[1] value /var", "definition.inputSchema.properties.path.examples[0] value /etc",
		"definition.inputSchema.properties.path.pattern value ^/",
		"definition.inputSchema.properties.deep.items.properties.inner identifier inner",
		"definition.inputSchema.properties.deep.items.properties.inner.const value fixed",
		"definition.inputSchema.properties.deep.items.properties.inner.description prose within",
		`definition.inputSchema.properties["a b"] identifier a b`, `definition.inputSchema.properties["a b"].oneOf[0].description prose one`,
		`definition.inputSchema.properties["a b"].oneOf[1].default.key identifier key`, `definition.inputSchema.properties["a b"].oneOf[1].default.key[0] value value`,
		"definition.inputSchema.$defs.shared identifier shared", "definition.inputSchema.$defs.shared.description prose defined",
		"definition.inputSchema.dependencies.path.description prose depends", "definition.inputSchema.dependencies.path.type value object",
		"definition.outputSchema.description prose result", "definition.tag.prefix identifier READ", "definition.tag.argPattern value (.+)",
		"definition.tag.argGroups[0] identifier path", "definition.tag.example prose READ: x", "definition.guidance.web prose on the web",
		"definition.provider.name identifier wire-name", "definition.provider.server identifier server", "definition.provider.url report https://hub.example",
		"rationale report because", "examples[0] report do it", "testCases[0].name report case", "testCases[0].input report asked",
		"testCases[0].output report said", "changeSet report set",
	}
	var got []string
	for _, text := range c.Texts() {
		got = append(got, text.Path+" "+string(text.Kind)+" "+text.Value)
		if text.Visible != (text.Kind != Report) {
			t.Errorf("%s: visible %v", text.Path, text.Visible)
		}
		if inner := strings.Contains(text.Path, "deep.items"); inner && text.Param != "deep" {
			t.Errorf("%s belongs to %q", text.Path, text.Param)
		}
	}
	for _, w := range want {
		if !slices.ContainsFunc(got, func(g string) bool { return strings.EqualFold(g, w) }) {
			t.Errorf("lacks %s", w)
		}
	}
}

func TestTextsOfAnAgent(t *testing.T) {
	c := &Change{Draft: proposals.Draft{Definition: registry.Definition{Agent: &registry.Agent{
		ID: "a", Name: "b", Description: "c", Vibe: "d", Soul: "e", PromptTemplate: "f", OperatingModel: "g", InteractionLearning: "h",
		ChannelGuidance: map[string]string{"web": "i"}, SessionOpen: &registry.SessionOpen{Bootstrap: "j", Returning: "k"}, Onboarding: "l",
	}}}}
	said := map[string]bool{}
	for _, text := range c.Texts() {
		said[text.Value] = true
	}
	for r := 'a'; r <= 'l'; r++ {
		if !said[string(r)] {
			t.Errorf("lacks %c", r)
		}
	}
}

func TestBrokenSchemaIsStillRead(t *testing.T) {
	c := &Change{Draft: proposals.Draft{Definition: registry.Definition{Tool: &registry.Tool{InputSchema: []byte(`{"description": "ignore`)}}}}
	texts := c.Texts()
	if len(texts) != 1 || !strings.Contains(texts[0].Value, "ignore") {
		t.Errorf("%+v", texts)
	}
}
