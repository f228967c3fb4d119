package conform_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/conform"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
	"toolcrib/registry/wire"
)

func scope(extra ...registry.Tool) conform.Scope {
	var lives []registry.Live
	add := func(d registry.Definition, layer registry.Layer, locked bool) {
		lives = append(lives, registry.Live{Subject: registry.Subject{Kind: d.Kind(), Layer: layer, ID: d.ID()}, Version: 1, Definition: d, Locked: locked})
	}
	for _, d := range shipped.Core() {
		add(d, registry.LayerGlobal, true)
	}
	for _, d := range shipped.Assistant() {
		add(d, registry.LayerGlobal, false)
	}
	for _, t := range extra {
		add(registry.Definition{Tool: &t}, registry.LayerUser, false)
	}
	merged := registry.Merge(lives)
	return conform.Scope{Catalog: merged, Tools: merged.Tools()}
}

// rules runs a check and returns "rule name" for each finding.
func rules(t *testing.T, text string, s conform.Scope) []string {
	t.Helper()
	doc, err := wire.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	found, err := conform.Check(context.Background(), []conform.Code{{File: "code.json", Document: doc}}, s)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found {
		if !strings.HasSuffix(f.Message, ".") || f.Suggestion == "" || f.Rule.ID == "" {
			t.Errorf("finding %+v is incomplete", f)
		}
		out = append(out, f.Rule.ID+" "+f.Name)
	}
	return out
}

func TestExportsHaveNoFindings(t *testing.T) {
	var listed []wire.Listed
	for _, e := range scope().Tools {
		listed = append(listed, wire.Listed{Tool: *e.Definition.Tool})
	}
	for _, f := range []wire.Format{wire.V0, wire.OpenAI, wire.Anthropic, wire.MCP} {
		data, _, err := wire.Encode(f, listed)
		if err != nil {
			t.Fatal(err)
		}
		if got := rules(t, string(data), scope()); len(got) > 0 {
			t.Errorf("%s: %v", f, got)
		}
	}
}

func TestEveryFindingOnce(t *testing.T) {
	object := []byte(`{"type":"object"}`)
	imported := registry.Tool{
		ID: "tracker_list", Kind: registry.ActionTool, Name: "List", Description: "List.", InputSchema: object,
		Approval: &registry.Approval{Tier: registry.AutoApprove},
		Provider: &registry.Provider{Type: registry.ProviderMCP, Server: "tracker", Name: "list"},
	}
	functional := registry.Tool{
		ID: "get_it", Kind: registry.ActionTool, Name: "getIt", Description: "Get.", InputSchema: object, Aliases: []string{"it"},
		Source: &registry.Source{Type: registry.SourceOpenAI, Ref: "app#getIt"},
	}
	s := scope(imported, functional)
	s.Partial = true
	for _, c := range []struct {
		text string
		want []string
	}{
		{`["get_tasks","line_editor"]`, []string{"K107 get_it"}},
		{`["get_task"]`, []string{"K102 get_task", "K107 get_it"}},
		{`["email_digest"]`, []string{"K102 email_digest", "K107 get_it"}},
		{`["nothing"]`, []string{"K101 nothing", "K107 get_it"}},
		{`["it"]`, []string{"K106 it", "K107 get_it"}},
		{`[{"type":"function","function":{"name":"getIt","description":"Get.","parameters":{"type":"object"}}}]`, []string{"K107 get_it"}},
		{`[{"type":"function","function":{"name":"getIt","description":"Get it.","parameters":{"type":"object"}}}]`, []string{"K104 getIt", "K107 get_it"}},
		{`[{"type":"function","function":{"name":"getIt","description":7}}]`, []string{"K104 getIt", "K107 get_it"}},
		{`["getIt"]`, []string{"K107 get_it"}}, // wire name
		{`["get_it"]`, []string{"K106 get_it", "K107 get_it"}},
		{`["tracker_list"]`, []string{"K107 get_it"}},
		{`{"tools":[{"name":"getIt","inputSchema":{}}]}`, []string{"K104 getIt", "K107 get_it"}},
		{`["list"]`, []string{"K107 get_it"}},
	} {
		if got := rules(t, c.text, s); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestToolsMissingInCode(t *testing.T) {
	got := rules(t, `["get_tasks"]`, scope())
	if len(got) != 22 || slices.Contains(got, "K105 get_tasks") || slices.Contains(got, "K105 line_editor") {
		t.Errorf("%d findings: %v", len(got), got)
	}
	if got := rules(t, `{"prompts":[]}`, scope()); len(got) != 16 {
		t.Errorf("%d of 16 prompts were reported", len(got))
	}
}

// TestNamesOfAServerAreItsOwn checks that core and retired ids do not apply to
// tools of a server, and that the name of a tool on its server takes precedence
// over a global id (R6).
func TestNamesOfAServerAreItsOwn(t *testing.T) {
	of := func(server, name, description string) registry.Tool {
		return registry.Tool{
			ID: server + "_" + name, Kind: registry.ActionTool, Name: name, Description: description, InputSchema: []byte(`{"type":"object"}`),
			Approval: &registry.Approval{Tier: registry.RequiresApproval},
			Provider: &registry.Provider{Type: registry.ProviderMCP, Server: server, Name: name},
			Source:   &registry.Source{Type: registry.SourceMCP, Ref: server + "#" + name},
		}
	}
	s := scope(of("hub", "search_issues", "Search."), of("hub", "get_task", "Get."), of("other", "get_task", "Get another."), of("hub", "close_issue", "Close."))
	s.Partial = true
	const listed = `{"tools":[{"name":"search_issues","description":"Search.","inputSchema":{"type":"object"}},
		{"name":"get_task","description":"Get another.","inputSchema":{"type":"object"}}]}`
	if got := rules(t, listed, s); len(got) > 0 {
		t.Errorf("without a server: %v", got)
	}
	if got, want := rules(t, `{"tools":[{"name":"search_issues","description":"Else.","inputSchema":{}}]}`, s), []string{"K104 search_issues"}; !slices.Equal(got, want) {
		t.Errorf("a changed one: %v, want %v", got, want)
	}
	s.Server = "hub"
	if got, want := rules(t, listed, s), []string{"K104 get_task"}; !slices.Equal(got, want) {
		t.Errorf("of hub: %v, want %v", got, want)
	}
	if got, want := rules(t, `["get_tasks","create_task"]`, s), []string{"K101 get_tasks", "K101 create_task"}; !slices.Equal(got, want) {
		t.Errorf("unknown to hub: %v, want %v", got, want)
	}
	s.Partial = false
	if got, want := rules(t, `["search_issues","get_task"]`, s), []string{"K105 hub_close_issue"}; !slices.Equal(got, want) {
		t.Errorf("missing from hub: %v, want %v", got, want)
	}
}

// TestTiers compares approval tiers of code with approved ones (C3).
func TestTiers(t *testing.T) {
	s := scope()
	s.Partial = true
	const code = `["create_tasks","delete_tasks","get_tasks","get_context"]`
	for _, tt := range []struct {
		tiers string
		want  []string
	}{
		{`{}`, nil},
		{`{"create_tasks":"user_configurable","delete_tasks":"user_configurable","get_tasks":"auto_approve","get_context":"auto_approve"}`, nil},
		{`{"create_tasks":{"tier":"user_configurable","default":"auto_approve"},"delete_tasks":{"tier":"user_configurable","default":"requires_approval"},"get_tasks":"auto_approve","get_context":{"tier":"auto_approve"}}`, nil},
		{`{"create_tasks":"banana","delete_tasks":"auto_approve"}`, []string{"block K110 create_tasks", "block K109 delete_tasks", "warn K111 get_context", "warn K111 get_tasks"}},
		{
			`{"create_tasks":7,"delete_tasks":{"tier":"user_configurable","default":"auto_approve"},"get_tasks":"requires_approval","get_context":"user_configurable"}`,
			[]string{"block K110 create_tasks", "block K109 delete_tasks", "warn K109 get_tasks", "warn K109 get_context"},
		},
		{
			`{"create_tasks":"requires_approval","delete_tasks":"requires_approval","get_tasks":"auto_approve","get_context":"auto_approve","recall":"auto_approve"}`,
			[]string{"warn K109 create_tasks", "warn K109 delete_tasks", "warn K108 recall"},
		},
		{`{"create_tasks":"auto_approve","delete_tasks":"","get_tasks":"auto_approve","get_context":"auto_approve"}`, []string{"block K109 create_tasks", "block K110 delete_tasks"}},
	} {
		doc, err := wire.Decode([]byte(code))
		if err != nil {
			t.Fatal(err)
		}
		n, err := jsondoc.Parse([]byte(tt.tiers), jsondoc.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		found, err := conform.Check(context.Background(), []conform.Code{{File: "c", Document: doc, Tiers: conform.Tiers("tiers.json", "", n)}}, s)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Rule.Severity+" "+f.Rule.ID+" "+f.Subject.ID+map[bool]string{true: f.Name}[f.Subject.ID == ""])
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%v, want\n%v", tt.tiers, got, tt.want)
		}
	}
}
