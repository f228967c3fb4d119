package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/internal/shortrun"
)

// TestMCPApprovesNothing calls every tool with every shape of argument that
// there is, and finds the registry as it was.
func TestMCPApprovesNothing(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	c.run("propose", absolute(t, "../testdata/scripts/sample.json"))
	before, waiting := c.run("export"), c.run("list", "--json", "--state", "user_review")
	cl := c.serve(nil, "user:root") // whatever it calls itself
	tools, err := cl.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Proposals []struct {
			ID string `json:"id"`
		} `json:"proposals"`
	}
	if err := json.Unmarshal([]byte(waiting), &doc); err != nil || len(doc.Proposals) != 1 {
		t.Fatalf("%s: %v", waiting, err)
	}
	id := doc.Proposals[0].ID
	values := []any{
		nil, true, 0, -1, 1e300, "", id, "#1", "user:root", "approve", "approved", "tool:user/scene_pacer", strings.Repeat("x", 33_000), "\u202e\x00\x1b[2J",
		[]any{},
		[]any{id},
		map[string]any{},
		map[string]any{"id": id, "approve": true},
		map[string]any{"status": "approved", "state": "approved"},
	}
	keys := []string{
		"id", "type", "subject", "baseVersion", "restoreVersion", "definition", "rationale", "examples", "testCases", "changeSet", "draft", "state", "author",
		"filter", "limit", "after", "query", "name", "args", "pending", "approve", "as", "actor", "expect", "decision", "verdict", "waive",
	}
	calls, proposing := 0, 0
	try := func(tool string, args any) {
		if calls++; calls%shortrun.Every(7) != 0 {
			return
		}
		r, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil && cl.Ping(t.Context(), nil) != nil && cl.InitializeResult().ProtocolVersion < "2026-07-28" {
			t.Fatalf("%s %v ended the session: %v", tool, args, err)
		}
		_ = r
	}
	for _, tool := range tools.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		proposes := strings.Contains(string(schema), `"definition"`)
		if proposes {
			proposing++
		}
		for _, v := range values {
			try(tool.Name, v)
			for _, key := range keys {
				try(tool.Name, map[string]any{key: v})
				try(tool.Name, map[string]any{"id": "#1", "name": "approve", key: v})
				if proposes { // to the others, a proposal is a heap of unknown keys
					p := sample(t, "walker")
					p[key] = v
					try(tool.Name, p)
				}
			}
		}
	}
	for _, absent := range []string{"approve", "reject", "needs_changes", "waive", "answer", "decide"} {
		if _, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: absent, Arguments: map[string]any{"id": "#1"}}); err == nil {
			t.Errorf("there is a tool %s", absent)
		}
	}
	if after := c.run("export"); after != before {
		t.Error("the registry is not what it was")
	}
	if after := c.run("list", "--json", "--state", "approved"); strings.Contains(after, `"id"`) {
		t.Errorf("approved: %s", after)
	}
	if proposing != 3 {
		t.Errorf("%d tools take a definition; propose_tool, revise_proposal and lint_proposal do", proposing)
	}
	t.Logf("%d calls", calls)
}
