package conform_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/conform"
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

// rules runs a check and returns "rule name" of each finding.
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
			t.Errorf("finding %+v is not whole", f)
		}
		out = append(out, f.Rule.ID+" "+f.Name)
	}
	return out
}

func TestWhatIsExportedAgrees(t *testing.T) {
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

func TestOneOfEach(t *testing.T) {
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
		{`["getIt"]`, []string{"K107 get_it"}}, // by its wire name in any form
		{`["get_it"]`, []string{"K106 get_it", "K107 get_it"}},
		{`["tracker_list"]`, []string{"K107 get_it"}},
		{`{"tools":[{"name":"getIt","inputSchema":{}}]}`, []string{"K104 getIt", "K107 get_it"}},
	} {
		if got := rules(t, c.text, s); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestWhatTheCodeLacks(t *testing.T) {
	got := rules(t, `["get_tasks"]`, scope())
	if len(got) != 22 || slices.Contains(got, "K105 get_tasks") || slices.Contains(got, "K105 line_editor") {
		t.Errorf("%d findings: %v", len(got), got)
	}
	if got := rules(t, `{"prompts":[]}`, scope()); len(got) != 16 {
		t.Errorf("%d of 16 prompts are missed", len(got))
	}
}
