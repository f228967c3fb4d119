package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/cli"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// revisions are the protocol's revisions that begin in different ways.
var revisions = []string{"2025-11-25", "2026-07-28"}

// crib is a database with the program before it.
type crib struct {
	t   testing.TB
	dir string
}

func newCrib(t testing.TB) crib {
	t.Helper()
	return crib{t, t.TempDir()}
}

func (c crib) env(args []string, in io.Reader, out, errs io.Writer) cli.Env {
	return cli.Env{
		Args: args, In: in, Out: out, Err: errs, Dir: c.dir, Now: time.Now, NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
		Getenv: func(name string) string {
			switch name {
			case "HOME":
				return c.dir
			case "TOOLCRIB_DB":
				return filepath.Join(c.dir, "crib.db")
			case "PATH", "NODE_EXTRA_CA_CERTS":
				return os.Getenv(name)
			case "npm_config_cache":
				return npmCache()
			case "MEMORY_FILE_PATH":
				return filepath.Join(c.dir, "memory.json")
			case "FIXTURE_SECRET":
				return "for the fixture alone"
			}
			return ""
		},
	}
}

// run runs a command that has to succeed and returns what it printed.
func (c crib) run(args ...string) string {
	c.t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Main(context.Background(), c.env(args, strings.NewReader(""), &out, &errs)); code != 0 {
		c.t.Fatalf("%v: exit status %d: %s", args, code, errs.String())
	}
	return out.String()
}

func (c crib) write(name, text string) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(c.dir, name)), 0o700); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// client is an MCP client of toolcrib mcp over standard input and output.
type client struct {
	*sdk.ClientSession
	t       testing.TB
	changed chan string
}

func (c crib) serve(options *sdk.ClientSessionOptions, who string, args ...string) client {
	c.t.Helper()
	theirs, toServer := io.Pipe()
	fromServer, ours := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	var errs bytes.Buffer
	wg.Go(func() {
		code := cli.Main(ctx, c.env(append([]string{"mcp"}, args...), theirs, ours, &errs))
		if code != 0 && ctx.Err() == nil {
			c.t.Errorf("toolcrib mcp: exit status %d: %s", code, errs.String())
		}
		_ = ours.Close()
	})
	cl := client{t: c.t, changed: make(chan string, 100)}
	session, err := sdk.NewClient(&sdk.Implementation{Name: who, Version: "1"}, &sdk.ClientOptions{
		PromptListChangedHandler:   func(context.Context, *sdk.PromptListChangedRequest) { cl.changed <- "prompts" },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { cl.changed <- "resources" },
	}).Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, options)
	if err != nil {
		stop()
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = session.Close()
		wg.Wait()
		stop()
	})
	cl.ClientSession = session
	return cl
}

// call calls a tool and returns its structured result.
func (cl client) call(name string, args any) (out map[string]any, failed bool) {
	cl.t.Helper()
	r, err := cl.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		cl.t.Fatalf("%s: %v", name, err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		cl.t.Fatalf("%s: %s: %v", name, text, err)
	}
	if both, _ := json.Marshal(r.StructuredContent); !equalJSON(string(both), text) {
		cl.t.Errorf("%s: the text is not the structured result:\n%s\n%s", name, text, both)
	}
	return out, r.IsError
}

func equalJSON(a, b string) bool {
	x, errX := jsondoc.Parse([]byte(a), jsondoc.DefaultLimits)
	y, errY := jsondoc.Parse([]byte(b), jsondoc.DefaultLimits)
	return errX == nil && errY == nil && bytes.Equal(jsondoc.Canonical(x), jsondoc.Canonical(y))
}

// done is call for what has to succeed.
func (cl client) done(name string, args any) map[string]any {
	cl.t.Helper()
	out, failed := cl.call(name, args)
	if failed {
		cl.t.Fatalf("%s: %v", name, out)
	}
	return out
}

// refused is call for what has to be refused; it returns code and message.
func (cl client) refused(name string, args any) (code, message string) {
	cl.t.Helper()
	out, failed := cl.call(name, args)
	e, ok := out["error"].(map[string]any)
	if !failed || !ok {
		cl.t.Fatalf("%s was not refused: %v", name, out)
	}
	return e["code"].(string), e["message"].(string)
}

// sample is a proposal that can be submitted, with other values at some keys.
func sample(t testing.TB, id string) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	var p map[string]any
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	p["subject"] = "tool:user/" + id
	p["definition"].(map[string]any)["id"] = id
	return p
}

// TestMCPLifeOfAProposal takes a proposal from an agent to the user and back.
func TestMCPLifeOfAProposal(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			c := newCrib(t)
			cl := c.serve(&sdk.ClientSessionOptions{ProtocolVersion: revision}, "My Editor\u202e!")
			if got := cl.InitializeResult().ProtocolVersion; got != revision {
				t.Errorf("speaks %s", got)
			}
			p := sample(t, "mcp_pacer")
			made := cl.done("propose_tool", p)["proposal"].(map[string]any)
			if made["state"] != "user_review" || made["author"] != "agent:My-Editor" || made["subject"] != "tool:user/mcp_pacer" {
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
			c.run("approve", id)
			for range 2 { // the approval of another process
				<-cl.changed
			}
			got, err := cl.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "mcp_pacer"})
			if err != nil || !strings.Contains(got.Messages[0].Content.(*sdk.TextContent).Text, "Say more.") {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// TestMCPReads reads prompts and resources, all of them and by name.
func TestMCPReads(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			cl := newCrib(t).serve(&sdk.ClientSessionOptions{ProtocolVersion: revision}, "reader")
			prompts := map[string]*sdk.Prompt{}
			for p, err := range cl.Prompts(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				prompts[p.Name] = p
			}
			if len(prompts) != 16 || len(prompts["file_reader"].Arguments) != 5 {
				t.Errorf("%d prompts; file_reader %v", len(prompts), prompts["file_reader"])
			}
			got, err := cl.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "file_reader", Arguments: map[string]string{"file_path": "a.md"}})
			if err != nil {
				t.Fatal(err)
			}
			if text := got.Messages[0].Content.(*sdk.TextContent).Text; !strings.Contains(text, "file_reader") || !strings.Contains(text, `"file_path": "a.md"`) {
				t.Errorf("%s", text)
			}
			for _, bad := range []*sdk.GetPromptParams{
				{Name: "nobody"},
				{Name: "toolcrib"},
				{Name: "get_tasks"},
				{Name: "file_reader"},
				{Name: "file_reader", Arguments: map[string]string{"file_path": "a", "colour": "red"}},
			} {
				if r, err := cl.GetPrompt(t.Context(), bad); err == nil {
					t.Errorf("%v: %v", bad, r)
				}
			}

			count, some := 0, ""
			for r, err := range cl.Resources(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				count++
				some = r.URI
			}
			if count != 40 || some != "toolcrib://version/agent/global/assistant/1" {
				t.Errorf("%d resources, the last %s", count, some)
			}
			read, err := cl.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "toolcrib://version/tool/global/file_reader/1"})
			if err != nil || !strings.Contains(read.Contents[0].Text, `"subject":"tool:global/file_reader","version":1,`) {
				t.Errorf("%v, %v", read, err)
			}
			for _, bad := range []string{
				"toolcrib://version/", "toolcrib://version/tool/global/file_reader/2", "toolcrib://version/tool/global/file_reader/01",
				"toolcrib://version/tool/project/other/x/1", "file:///etc/passwd", "toolcrib://version/tool:global/file_reader/1",
			} {
				if r, err := cl.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: bad}); err == nil {
					t.Errorf("%s: %v", bad, r)
				}
			}
			if r, err := cl.ListResourceTemplates(t.Context(), nil); err != nil || len(r.ResourceTemplates) != 1 {
				t.Errorf("%v, %v", r, err)
			}
			if _, err := cl.ListPrompts(t.Context(), &sdk.ListPromptsParams{Cursor: "'; --"}); err == nil {
				t.Error("a cursor of somebody else was taken")
			}
		})
	}
}

// TestMCPRefuses says what is wrong, and where.
func TestMCPRefuses(t *testing.T) {
	cl := newCrib(t).serve(nil, "agent")
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
		{"execute_tool", map[string]any{"name": "get_tasks", "args": map[string]any{"colour": 1}}, "tool_call_invalid_args", "colour"},
		{"execute_tool", map[string]any{"name": "delete_tasks", "args": map[string]any{"ids": []string{"x"}}}, "approval_required", "yes"},
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

// TestMCPAnswersFitTheirSchemas holds every kind of answer against the output
// schema of its tool.
func TestMCPAnswersFitTheirSchemas(t *testing.T) {
	c := newCrib(t)
	cl := c.serve(nil, "agent")
	tools, err := cl.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 7 {
		t.Fatalf("%v, %v", tools, err)
	}
	p := sample(t, "fitting")
	revised := sample(t, "fitting")
	revised["id"], revised["rationale"] = "#1", "Because it was asked for, and nothing else does it."
	good := map[string]any{
		"propose_tool": p, "revise_proposal": revised, "list_proposals": nil, "get_proposal": map[string]any{"id": "#1"},
		"search_tools": map[string]any{"query": "task"}, "describe_tool": map[string]any{"name": "get_tasks"}, "execute_tool": nil,
	}
	order := []string{"propose_tool", "revise_proposal", "list_proposals", "get_proposal", "search_tools", "describe_tool", "execute_tool"}
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

// TestMCPApprovesNothing calls every tool with every shape of argument that
// there is, and finds the registry as it was.
func TestMCPApprovesNothing(t *testing.T) {
	c := newCrib(t)
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
		nil, true, 0, -1, 1e300, "", id, "#1", "user:root", "approve", "approved", "tool:user/scene_pacer", strings.Repeat("x", 100_000), "\u202e\x00\x1b[2J",
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
	calls := 0
	try := func(tool string, args any) {
		calls++
		r, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil && cl.Ping(t.Context(), nil) != nil && cl.InitializeResult().ProtocolVersion < "2026-07-28" {
			t.Fatalf("%s %v ended the session: %v", tool, args, err)
		}
		_ = r
	}
	for _, tool := range tools.Tools {
		for _, v := range values {
			try(tool.Name, v)
			for _, key := range keys {
				try(tool.Name, map[string]any{key: v})
				try(tool.Name, map[string]any{"id": "#1", "name": "approve", key: v})
				p := sample(t, "walker")
				p[key] = v
				try(tool.Name, p)
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
	t.Logf("%d calls", calls)
}
