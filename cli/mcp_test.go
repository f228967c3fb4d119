package cli_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// TestMCPProposalLifecycle takes a proposal from an agent to the user and back.
func TestMCPProposalLifecycle(t *testing.T) {
	for i, revision := range revisions {
		if i%shortrun.Every(len(revisions)) != 0 {
			continue
		}
		t.Run(revision, func(t *testing.T) {
			c := newTestDB(t)
			cl := c.serve(&sdk.ClientSessionOptions{ProtocolVersion: revision}, "My Editor\u202e!")
			if got := cl.InitializeResult().ProtocolVersion; got != revision {
				t.Errorf("speaks %s", got)
			}
			p := sample(t, "mcp_pacer")
			made := cl.done("propose_tool", p)["proposal"].(map[string]any)
			if made["state"] != "user_review" || made["author"] != "agent:~My-Editor" || made["subject"] != "tool:user/mcp_pacer" {
				t.Errorf("%v", made)
			}
			id := made["id"].(string)
			shown := cl.done("get_proposal", map[string]any{"id": id})["proposal"].(map[string]any)
			if shown["rationale"] != p["rationale"] || shown["assessment"] == nil || shown["review_digest"] == "" {
				t.Errorf("%v", shown)
			}
			listed := cl.done("list_proposals", map[string]any{"author": "agent:"})["proposals"].([]any)
			if len(listed) != 1 {
				t.Errorf("%v", listed)
			}
			c.run("needs-changes", id, "--note", "Say more.")
			p["id"] = "#1"
			p["definition"].(map[string]any)["goals"] = "Say more."
			revised := cl.done("revise_proposal", p)["proposal"].(map[string]any)
			if revised["revision"] != float64(2) || revised["state"] != "user_review" {
				t.Errorf("%v", revised)
			}
			c.write("writer.json", strings.ReplaceAll(runnerProposal("mcp_pacer"), "runner", "writer"))
			c.run("propose", "writer.json")
			c.run("approve", "--unseen", id, "#2")
			for range 2 { // approved in another process
				<-cl.changed
			}
			if r, err := cl.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "mcp_pacer"}); err == nil {
				t.Errorf("the assistant does not have it, and gets %v", r)
			}
			writer := c.serve(&sdk.ClientSessionOptions{ProtocolVersion: revision}, "writer", "--agent", "writer")
			got, err := writer.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "mcp_pacer"})
			if err != nil || !strings.Contains(got.Messages[0].Content.(*sdk.TextContent).Text, "Say more.") {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// TestMCPReads lists and reads the prompts and resources of the agent profile. Others must not be available (S13).
func TestMCPReads(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			c := newTestDB(t)
			c.write("reader.json", strings.ReplaceAll(runnerProposal("file_reader", "line_editor", "get_tasks"), "runner", "reader"))
			c.run("propose", "reader.json")
			c.approveAll()
			cl := c.serve(&sdk.ClientSessionOptions{ProtocolVersion: revision}, "reader", "--agent", "reader")
			cl.readsPrompts()
			cl.readsResources()
			cl.readsNoListOf(c.serve(&sdk.ClientSessionOptions{ProtocolVersion: revision}, "reader", "--agent", "assistant"))
		})
	}
}

// readsPrompts reads the prompts of the agent reader, and requests others.
func (cl client) readsPrompts() {
	cl.t.Helper()
	prompts := map[string]*sdk.Prompt{}
	for p, err := range cl.Prompts(cl.t.Context(), nil) {
		if err != nil {
			cl.t.Fatal(err)
		}
		prompts[p.Name] = p
	}
	if len(prompts) != 3 || prompts["line_editor"] == nil || prompts["agent-prompt"] == nil || len(prompts["file_reader"].Arguments) != 5 {
		cl.t.Errorf("%d prompts; file_reader %v", len(prompts), prompts["file_reader"])
	}
	got, err := cl.GetPrompt(cl.t.Context(), &sdk.GetPromptParams{Name: "file_reader", Arguments: map[string]string{"file_path": "a.md"}})
	if err != nil {
		cl.t.Fatal(err)
	}
	if text := got.Messages[0].Content.(*sdk.TextContent).Text; !strings.Contains(text, "file_reader") || !strings.Contains(text, `"file_path": "a.md"`) {
		cl.t.Errorf("%s", text)
	}
	for _, bad := range []*sdk.GetPromptParams{
		{Name: "nobody"},
		{Name: "toolcrib"},
		{Name: "get_tasks"},
		{Name: "beat_architect"}, // belongs to another agent
		{Name: "agent-prompt", Arguments: map[string]string{"user": "x"}},
		{Name: "file_reader"},
		{Name: "file_reader", Arguments: map[string]string{"file_path": "a", "colour": "red"}},
	} {
		if r, err := cl.GetPrompt(cl.t.Context(), bad); err == nil {
			cl.t.Errorf("%v: %v", bad, r)
		}
	}
	if _, err := cl.ListPrompts(cl.t.Context(), &sdk.ListPromptsParams{Cursor: "'; --"}); err == nil {
		cl.t.Error("a cursor of somebody else was taken")
	}
}

// readsResources reads the versions that the agent reader has, and requests others.
func (cl client) readsResources() {
	cl.t.Helper()
	count, some := 0, ""
	for r, err := range cl.Resources(cl.t.Context(), nil) {
		if err != nil {
			cl.t.Fatal(err)
		}
		count++
		some = r.URI
	}
	if count != 4 || some != "toolcrib://version/agent/user/reader/1" {
		cl.t.Errorf("%d resources, the last %s", count, some)
	}
	read, err := cl.ReadResource(cl.t.Context(), &sdk.ReadResourceParams{URI: "toolcrib://version/tool/global/file_reader/1"})
	if err != nil || !strings.Contains(read.Contents[0].Text, `"subject":"tool:global/file_reader","version":1,`) {
		cl.t.Errorf("%v, %v", read, err)
	}
	for _, bad := range []string{
		"toolcrib://version/tool/global/beat_architect/1", "toolcrib://version/agent/global/assistant/1", // S13
		"toolcrib://version/", "toolcrib://version/tool/global/file_reader/2", "toolcrib://version/tool/global/file_reader/01",
		"toolcrib://version/tool/project/other/x/1", "file:///etc/passwd", "toolcrib://version/tool:global/file_reader/1",
	} {
		if r, err := cl.ReadResource(cl.t.Context(), &sdk.ReadResourceParams{URI: bad}); err == nil {
			cl.t.Errorf("%s: %v", bad, r)
		}
	}
	if r, err := cl.ListResourceTemplates(cl.t.Context(), nil); err != nil || len(r.ResourceTemplates) != 1 {
		cl.t.Errorf("%v, %v", r, err)
	}
}

// readsNoListOf requests the assistant's list, which is only available to shipped.
func (cl client) readsNoListOf(shipped client) {
	cl.t.Helper()
	last := ""
	for r, err := range shipped.Resources(cl.t.Context(), nil) {
		if err != nil {
			cl.t.Fatal(err)
		}
		last = r.URI
	}
	if read, err := shipped.ReadResource(cl.t.Context(), &sdk.ReadResourceParams{URI: last}); err != nil || last != "toolcrib://version/list/global/assistant/1" {
		cl.t.Errorf("the list that the assistant names is %s: %v, %v", last, read, err)
	}
	if r, err := cl.ReadResource(cl.t.Context(), &sdk.ReadResourceParams{URI: last}); err == nil {
		cl.t.Errorf("another agent's list: %v", r)
	}
}

// TestMCPRefuses checks that errors describe the problem and its position.
func TestMCPRefuses(t *testing.T) {
	cl := newTestDB(t).serve(nil, "agent")
	core := sample(t, "file_reader")
	core["type"], core["baseVersion"] = "modify", 1
	unknown := sample(t, "x")
	unknown["definition"].(map[string]any)["colour"] = "red"
	for _, c := range []struct {
		tool       string
		args       any
		code, says string
	}{
		{"propose_tool", map[string]any{"type": "new"}, "malformed", "subject"},
		{"propose_tool", unknown, "malformed", "definition.colour"},
		{"propose_tool", core, "locked", "core tool"},
		{"propose_tool", map[string]any{"type": "new", "subject": "tool:user/x", "draft": "yes"}, "malformed", "draft"},
		{"revise_proposal", map[string]any{"id": "#9", "type": "new", "subject": "tool:user/x"}, "not_found", "#9"},
		{"revise_proposal", map[string]any{"type": "new"}, "malformed", "id"},
		{"get_proposal", map[string]any{"id": "#1", "approve": true}, "malformed", "approve"},
		{"get_proposal", map[string]any{"id": "set:none"}, "not_found", "none"},
		{"list_proposals", map[string]any{"state": "asleep"}, "malformed", "asleep"},
		{"list_proposals", map[string]any{"limit": 0}, "malformed", "limit"},
		{"search_tools", map[string]any{"query": 1}, "malformed", "query"},
		{"describe_tool", map[string]any{}, "malformed", "name"},
		{"describe_tool", map[string]any{"name": "file_reader"}, "tool_not_allowed", "file_reader"},
		{"describe_tool", map[string]any{"name": "get_task"}, "tool_call_unknown_tool", "get_tasks"},
		{"execute_tool", map[string]any{"name": "get_tasks", "tool_args": map[string]any{}}, "malformed", "known keys: name, args, "}, // X9
		{"execute_tool", map[string]any{"name": "get_tasks", "arg": map[string]any{}}, "malformed", `did you mean "args"? Known keys: name, args, `},
		{"propose_tool", map[string]any{"typ": "new"}, "malformed", "draft"},
		{"revise_proposal", map[string]any{"id": "#1", "colour": 1}, "malformed", "known keys: id, type, "},
		{"execute_tool", map[string]any{"name": "get_tasks", "args": map[string]any{"colour": 1}}, "tool_call_invalid_args", "colour"},
		{"execute_tool", map[string]any{"name": "delete_tasks", "args": map[string]any{"ids": []string{"x"}}}, "approval_required", "user approval"},
	} {
		code, message := cl.refused(c.tool, c.args)
		if code != c.code || !strings.Contains(message, c.says) {
			t.Errorf("%s %v: %s: %s; want %s, %q", c.tool, c.args, code, message, c.code, c.says)
		}
	}
	for _, args := range []string{`[]`, `"x"`, `{"query":"a","query":"b"}`} {
		if code, _ := cl.refused("search_tools", json.RawMessage(args)); code == "" {
			t.Errorf("%s was taken", args)
		}
	}
}

// TestMCPAnswersFitTheirSchemas validates every kind of result with the output schema of its tool.
func TestMCPAnswersFitTheirSchemas(t *testing.T) {
	c := newTestDB(t)
	cl := c.serve(nil, "agent")
	tools, err := cl.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 13 {
		t.Fatalf("%v, %v", tools, err)
	}
	p := sample(t, "fitting")
	revised := sample(t, "fitting")
	revised["id"], revised["rationale"] = "#2", "Because it was asked for, and nothing else does it."
	draft := sample(t, "drafted")
	draft["draft"] = true
	cl.done("propose_tool", draft)
	mine := cl.done("list_proposals", nil)["proposals"].([]any)[0].(map[string]any)["id"]
	good := map[string]any{
		"submit_proposal": map[string]any{"id": mine}, "withdraw_proposal": map[string]any{"id": mine, "note": "Not needed."},
		"comment_proposal": map[string]any{"id": mine, "body": "Look at the goals.", "field": "definition.goals", "line": 1},
		"propose_tool":     p, "revise_proposal": revised, "list_proposals": nil, "get_proposal": map[string]any{"id": "#2"},
		"lint_proposal": sample(t, "linted"), "preview_proposal": map[string]any{"id": "#2"},
		"search_tools": map[string]any{"query": "task"}, "describe_tool": map[string]any{"name": "get_tasks"}, "execute_tool": nil,
	}
	order := []string{
		"rebase_proposal", "submit_proposal", "comment_proposal", "withdraw_proposal",
		"propose_tool", "revise_proposal", "list_proposals", "get_proposal", "lint_proposal", "preview_proposal", "search_tools", "describe_tool", "execute_tool",
	}
	slices.SortFunc(tools.Tools, func(a, b *sdk.Tool) int { return slices.Index(order, a.Name) - slices.Index(order, b.Name) })
	for _, tool := range tools.Tools {
		input, output := compiled(t, tool.Name, tool.InputSchema), compiled(t, tool.Name, tool.OutputSchema)
		for _, args := range []any{good[tool.Name], map[string]any{"colour": 1}} {
			out, failed := cl.call(tool.Name, args)
			if failed && args != nil && args.(map[string]any)["colour"] == nil {
				t.Errorf("%s: %v", tool.Name, out)
			}
			if err := output.Validate(node(t, out)); err != nil {
				t.Errorf("%s: %v: %v", tool.Name, out, err)
			}
			if args != nil && (input.Validate(node(t, args)) == nil) == failed {
				t.Errorf("%s: the schema and the tool disagree about %v", tool.Name, args)
			}
		}
	}
}

func compiled(t *testing.T, tool string, schema any) *schemaguard.Schema {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schemaguard.Compile(text)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return s
}

func node(t *testing.T, v any) *jsondoc.Node {
	t.Helper()
	n, err := jsondoc.FromValue(v)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
