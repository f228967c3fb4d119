package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/internal/shortrun"
)

// walkedKeys lists the keys of the tools, and some that could decide.
var walkedKeys = []string{
	"id", "type", "subject", "baseVersion", "restoreVersion", "definition", "rationale", "examples", "testCases", "changeSet", "draft", "state", "author",
	"filter", "limit", "after", "query", "name", "args", "pending", "approve", "as", "actor", "expect", "decision", "verdict", "waive",
}

// walkedArguments returns each value alone, under each key, next to a proposal's id, and, for tools that accept one, in
// a proposal. For other tools, these are only unknown keys.
func walkedArguments(t *testing.T, values []any, proposes bool) []any {
	t.Helper()
	var all []any
	for _, v := range values {
		all = append(all, v)
		for _, key := range walkedKeys {
			all = append(all, map[string]any{key: v}, map[string]any{"id": "#1", "name": "approve", key: v})
			if proposes {
				p := sample(t, "walker")
				p[key] = v
				all = append(all, p)
			}
		}
	}
	return all
}

// TestMCPApprovesNothing calls every tool with arguments of all shapes, and checks that the registry does not change.
func TestMCPApprovesNothing(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	c.run("propose", absolute(t, "../testdata/scripts/sample.json"))
	before := c.run("export")
	id := strings.TrimSpace(c.run("list", "--state", "user_review", "--jq", ".proposals[].id"))
	if len(id) != 36 {
		t.Fatalf("the ids of what waits are %q", id)
	}
	cl := c.serve(nil, "user:root") // regardless of its own name
	tools, err := cl.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	values := []any{
		nil, true, 0, -1, 1e300, "", id, "#1", "user:root", "approve", "approved", "tool:user/scene_pacer", strings.Repeat("x", 33_000), "\u202e\x00\x1b[2J",
		[]any{},
		[]any{id},
		map[string]any{},
		map[string]any{"id": id, "approve": true},
		map[string]any{"status": "approved", "state": "approved"},
	}
	calls, proposing := 0, 0
	for _, tool := range tools.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		proposes := strings.Contains(string(schema), `"definition"`)
		if proposes {
			proposing++
		}
		for _, args := range walkedArguments(t, values, proposes) {
			if calls++; calls%shortrun.Every(7) != 0 {
				continue
			}
			_, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: tool.Name, Arguments: args})
			if err != nil && cl.Ping(t.Context(), nil) != nil && cl.InitializeResult().ProtocolVersion < "2026-07-28" {
				t.Fatalf("%s %v ended the session: %v", tool.Name, args, err)
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
