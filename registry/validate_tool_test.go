package registry_test

import (
	"encoding/json"
	"strings"
	"testing"

	"toolcrib/registry"
)

func promptTool() registry.Tool {
	return registry.Tool{
		ID: "scene_pacer", Kind: registry.PromptTool, Name: "Scene Pacer", Scope: registry.ScopeFile,
		UsageNotes: "When a scene drags.", Goals: "Name what is slow.", Guardrails: "Never rewrite.", Prompt: "Read the scene.",
	}
}

func actionTool() registry.Tool {
	return registry.Tool{
		ID: "get_tides", Kind: registry.ActionTool, Name: "Get tides",
		Description: "Returns the tides of a harbour.", InputSchema: json.RawMessage(`{"type":"object"}`),
	}
}

// toolProblems has changes of complete tools and the expected problems.
var toolProblems = []struct {
	name string
	base func() registry.Tool
	edit func(*registry.Tool)
	want []string
}{
	{"complete prompt tool", promptTool, func(*registry.Tool) {}, nil},
	{"complete action tool", actionTool, func(*registry.Tool) {}, nil},
	{"nothing at all", promptTool, func(x *registry.Tool) { *x = registry.Tool{} }, []string{
		"d.id: missing; expected lower-case words", "d.kind: missing; expected prompt or action", "d.name: missing",
	}},
	{"everything a prompt tool needs", promptTool, func(x *registry.Tool) { *x = registry.Tool{ID: "x", Kind: registry.PromptTool} }, []string{
		"d.name: missing; expected a label of 1 to 80", "d.scope: missing", "d.usageNotes: missing; expected when to use",
		"d.goals: missing", "d.guardrails: missing", "d.prompt: missing; expected the text for the prompt of the agent, in at most 32000",
	}},
	{"everything an action tool needs", actionTool, func(x *registry.Tool) { *x = registry.Tool{ID: "x", Kind: registry.ActionTool} }, []string{
		"d.name: missing", "d.description: missing", "d.inputSchema: missing; expected a JSON Schema object",
	}},
	{"white space is nothing", promptTool, func(x *registry.Tool) { x.Prompt = " \n\t" }, []string{"d.prompt: missing"}},
	{"id form", promptTool, func(x *registry.Tool) { x.ID = "Scene-Pacer\x1b" }, []string{`d.id: got "Scene-Pacer\x1b"`}},
	{"unknown kind asks for nothing else", actionTool, func(x *registry.Tool) { x.Kind = "macro"; x.InputSchema = nil }, []string{
		`d.kind: expected prompt or action, got "macro"`,
	}},
	{"limits are characters, not bytes", promptTool, func(x *registry.Tool) {
		x.Name = strings.Repeat("é", 80)
		x.UsageNotes = strings.Repeat("語", 4_000)
		x.Prompt = strings.Repeat("🙂", 32_000)
		x.ShortDescription = strings.Repeat("ß", 100)
	}, nil},
	{"one character too many", promptTool, func(x *registry.Tool) {
		x.Name = strings.Repeat("é", 81)
		x.Archetype = strings.Repeat("a", 201)
		x.UsageNotes = strings.Repeat("語", 4_001)
		x.Goals = strings.Repeat("g", 4_001)
		x.Guardrails = strings.Repeat("g", 4_001)
		x.Prompt = strings.Repeat("🙂", 32_001)
		x.Description = strings.Repeat("d", 32_001)
		x.ShortDescription = strings.Repeat("ß", 101)
	}, []string{
		"d.name: must not exceed 80 characters (got 81)", "d.archetype: must not exceed 200", "d.usageNotes: got 4001", "d.goals: got 4001",
		"d.guardrails: got 4001", "d.prompt: got 32001", "d.description: got 32001", "d.shortDescription: must not exceed 100 characters (got 101)",
	}},
	{"what no text may hold", promptTool, func(x *registry.Tool) { x.Goals = "a\x00b"; x.Prompt = "a\xffb" }, []string{
		"d.goals: NUL", "d.prompt: not valid UTF-8",
	}},
	{"enums", promptTool, func(x *registry.Tool) { x.Scope = "world"; x.Tier = "top"; x.Cost = "dear"; x.Status = "gone" }, []string{
		`d.scope: expected selection, file or project, got "world"`, `d.tier: expected low, medium or high`, `d.cost: expected free, cheap or expensive`, `d.status: expected active or deactivated`,
	}},
	{"scope of an action tool", actionTool, func(x *registry.Tool) { x.Scope = "world" }, []string{"d.scope: expected selection"}},
	{"bare schema", actionTool, func(x *registry.Tool) {
		x.InputSchema = json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`)
	}, nil},
	{"schema of another kind", actionTool, func(x *registry.Tool) {
		x.InputSchema, x.OutputSchema = json.RawMessage(`null`), json.RawMessage(`true`)
	}, []string{
		"d.inputSchema: expected a JSON Schema object, got null", "d.outputSchema: expected a JSON Schema object, got true or false",
	}},
	{"schema that is no JSON", actionTool, func(x *registry.Tool) { x.InputSchema = json.RawMessage(`{`) }, []string{"d.inputSchema: got invalid JSON"}},
	{"known category", actionTool, func(x *registry.Tool) { x.Category = "knowledge_graph" }, nil},
	{"no category", actionTool, func(x *registry.Tool) { x.Category = "Search" }, []string{`d.category: expected a category (lower-case letters, digits and "_", a letter first, at most 64 characters), got "Search"`}},
	{"open category", actionTool, func(x *registry.Tool) { x.Category = "mission" }, nil},
	{"aliases", actionTool, func(x *registry.Tool) { x.Aliases = []string{"tides", "Tides", "tides", "get_tides", ""} }, []string{
		`d.aliases[1]: got "Tides"`, "d.aliases[2]: duplicates d.aliases[0]", "d.aliases[3]: an id that differs from the id of the tool", `d.aliases[4]: got ""`,
	}},
	{"too many aliases", actionTool, func(x *registry.Tool) { x.Aliases = make([]string, 10_001) }, []string{"d.aliases: must not have more than 10000 entries (got 10001)"}},
	{"guidance", actionTool, func(x *registry.Tool) {
		x.Guidance = map[string]string{"web": "ok", "session_open": strings.Repeat("x", 4_001), "We b": "?"}
	}, []string{
		`d.guidance["We b"]: expected a channel name`, "d.guidance.session_open: got 4001",
	}},
	{"nowhere available", actionTool, func(x *registry.Tool) {
		x.Availability = &registry.Availability{LocalOnly: true, NonLocalOnly: true}
	}, []string{"d.availability: cannot be combined"}},
	{"prompt tools are not run", promptTool, func(x *registry.Tool) { x.Provider = &registry.Provider{Type: "what"} }, []string{"d.provider: omit the key"}},
}

func TestToolProblems(t *testing.T) {
	for _, tt := range toolProblems {
		t.Run(tt.name, func(t *testing.T) {
			tool := tt.base()
			tt.edit(&tool)
			expectProblems(t, tool.Problems("d"), tt.want...)
		})
	}
}

func TestCategories(t *testing.T) {
	all := registry.Categories()
	if len(all) != 23 {
		t.Errorf("%d categories, want 23", len(all))
	}
	all[0] = "changed"
	if registry.Categories()[0] != "search" {
		t.Error("the table can be changed from outside")
	}
	for _, name := range registry.Categories() {
		if !registry.KnownCategory(name) {
			t.Errorf("KnownCategory does not know %q", name)
		}
	}
}
