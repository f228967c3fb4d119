package prompt

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
)

func ids(tools []Tool) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = t.ID
	}
	return out
}

func tool(id, name string, locked bool) Tool {
	return Tool{Tool: &registry.Tool{ID: id, Name: name, Kind: registry.PromptTool, Prompt: "p"}, Locked: locked}
}

func TestSorted(t *testing.T) {
	tools := []Tool{
		tool("b", "beta", false), tool("z", "zeta", true), tool("a2", "Alpha", false), tool("a1", "alpha", false),
		tool("nameless", "", false), tool("m", "My", true), tool("e", "École", false),
	}
	before := slices.Clone(tools)
	want := []string{"m", "z", "a1", "a2", "b", "nameless", "e"}
	if got := ids(sorted(tools)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !slices.Equal(tools, before) {
		t.Error("sorted changed its argument")
	}
	slices.Reverse(tools)
	if got := ids(sorted(tools)); !slices.Equal(got, want) {
		t.Errorf("from the other end: got %v, want %v", got, want)
	}
}

var noteTag = &registry.Tag{Prefix: "NOTE", ArgGroups: []string{"text"}, Example: "NOTE: milk is out"}

// catalogs has lists of tools and the expected catalogs; § replaces backticks.
var catalogs = []struct {
	name  string
	tools []registry.Tool
	want  string
}{
	{"none", nil, ""},
	{"prompt tool", []registry.Tool{{
		ID: "scene_pacer", Kind: registry.PromptTool, Name: "Scene Pacer", Archetype: "Editor", Scope: registry.ScopeFile,
		UsageNotes: "When it drags.\nOr rushes.", Goals: "Name the slow lines.", Guardrails: "Change nothing.", Prompt: "# Pace\nRead it.\n",
	}}, `### Prompt tools

#### Scene Pacer (§scene_pacer§)
Archetype: Editor
Scope: file
When to use: When it drags.
Or rushes.
Goals: Name the slow lines.
Guardrails: Change nothing.

# Pace
Read it.`},
	{"bare prompt tool", []registry.Tool{{ID: "x", Kind: registry.PromptTool}}, "### Prompt tools\n\n#### x (§x§)"},
	{
		"prompt tool with a tag",
		[]registry.Tool{{ID: "x", Kind: registry.PromptTool, Prompt: "p", Tag: noteTag}},
		"### Prompt tools\n\n#### x (§x§)\nTag: NOTE: <text>\nExample: NOTE: milk is out\n\np",
	},
	{
		"tag tool",
		[]registry.Tool{{ID: "take_note", Kind: registry.ActionTool, Name: "Take note", Description: "Keeps a line.\nLong text.", Category: "memory", Tag: noteTag}},
		"### Tag tools\nTo use one, write its tag on a line of its own.\n\n#### Take note (§take_note§)\nKeeps a line.\nLong text.\nTag: NOTE: <text>\nExample: NOTE: milk is out",
	},
	{
		"tag tool with a short description",
		[]registry.Tool{{ID: "n", Kind: registry.ActionTool, ShortDescription: "Keeps.", Tag: &registry.Tag{Prefix: "N"}}},
		"### Tag tools\nTo use one, write its tag on a line of its own.\n\n#### n (§n§)\nKeeps.\nTag: N: <argument>",
	},
	{"action tools", []registry.Tool{
		{ID: "get_b", Kind: registry.ActionTool, Name: "B", Category: "tasks", Description: "Gets b. And more."},
		{ID: "get_a", Kind: registry.ActionTool, Name: "A", Category: "tasks", ShortDescription: "Gets\na"},
		{ID: "walk", Kind: registry.ActionTool, Name: "W", Category: "knowledge_graph"},
		{ID: "odd", Kind: registry.ActionTool, Name: "O", Category: "überraschung"},
		{ID: "stray", Kind: registry.ActionTool, Name: "S"},
	}, `### Action tools

#### Knowledge graph
- §walk§

#### Tasks
- §get_a§: Gets a
- §get_b§: Gets b.

#### Other
- §stray§

#### Überraschung
- §odd§`},
}

func TestCatalog(t *testing.T) {
	for _, c := range catalogs {
		t.Run(c.name, func(t *testing.T) {
			var tools []Tool
			for i := range c.tools {
				tools = append(tools, Tool{Tool: &c.tools[i]})
			}
			if got, want := catalog(tools, false), strings.ReplaceAll(c.want, "§", "`"); got != want {
				t.Errorf("got\n%s\n\nwant\n%s", got, want)
			}
		})
	}
}

func TestCatalogPutsCoreFirst(t *testing.T) {
	got := catalog([]Tool{tool("a", "A", false), tool("z", "Z", true)}, false)
	if strings.Index(got, "`z`") > strings.Index(got, "`a`") {
		t.Errorf("the core tool does not come first:\n%s", got)
	}
}

// TestMoreTools checks the note on further tools at the end of the catalog, also of
// an empty one (C11).
func TestMoreTools(t *testing.T) {
	agent := registry.Agent{PromptTemplate: "# Tools\n$tool_catalog\n"}
	listed := []Tool{{Tool: &registry.Tool{ID: "get_boards", Kind: registry.ActionTool, Description: "Lists boards."}}}
	for _, tools := range [][]Tool{listed, nil} {
		text := Render(Input{Agent: agent, Tools: tools, More: true}, Web).Text
		at := strings.Index(text, "### More tools")
		for _, name := range []string{"`search_tools`", "`describe_tool`", "`execute_tool`"} {
			next := strings.Index(text, name)
			if at < 0 || next < at {
				t.Fatalf("%s is missing or out of order:\n%s", name, text)
			}
			at = next
		}
		if plain := Render(Input{Agent: agent, Tools: tools}, Web).Text; strings.Contains(plain, "search_tools") {
			t.Errorf("the note appears without further tools:\n%s", plain)
		}
		if skipped := Render(Input{Agent: agent, Tools: tools, More: true, SkipTools: true}, Web).Text; strings.Contains(skipped, "search_tools") {
			t.Errorf("the catalog was not omitted completely:\n%s", skipped)
		}
	}
}
