package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
	"toolcrib/registry/wire"
)

// namedTool is a tool in some format, and its names.
type namedTool struct {
	file   string // imported file, or "" for a running server
	server string // value of --server, or ""
	agent  string // the id in allow-lists
	wire   string // the common name
	hub    bool   // the tool runs on a hub
	args   string
	// refused is the code with which a call is rejected, or "" if it succeeds.
	refused string
}

func oneName() map[string]namedTool {
	const schema = `{"type":"object","properties":{"city":{"type":"string","description":"the city"}},"required":["city"]}`
	return map[string]namedTool{
		"openai": {
			file:  `[{"type":"function","function":{"name":"sendEmail","description":"Send a letter to a city.","parameters":` + schema + `,"strict":true}}]`,
			agent: "send_email", wire: "sendEmail", hub: true, args: `{"city":"Husum"}`,
		},
		"openai of a server": {
			file:   `[{"type":"function","function":{"name":"getWeather","description":"Get the weather of a city.","parameters":` + schema + `}}]`,
			server: "wx", agent: "wx_get_weather", wire: "wx_getWeather", hub: true, args: `{"city":"Husum"}`,
		},
		"anthropic": {
			file:  `[{"name":"findHarbour","description":"Find the harbour of a city.","input_schema":` + schema + `}]`,
			agent: "find_harbour", wire: "findHarbour", args: `{"city":"Husum"}`, refused: "INTEGRATION_NOT_CONNECTED",
		},
		"anthropic of a server": {
			file:   `[{"name":"getWeather","description":"Get the weather of a city.","input_schema":` + schema + `}]`,
			server: "wx", agent: "wx_get_weather", wire: "wx_getWeather", hub: true, args: `{"city":"Husum"}`,
		},
		"mcp, saved": {
			file:   `{"tools":[{"name":"findTide","description":"Find the next tide of a city.","inputSchema":` + schema + `}]}`,
			server: "tides", agent: "tides_find_tide", wire: "tides_findTide", args: `{"city":"Husum"}`, refused: "INTEGRATION_NOT_CONNECTED",
		},
		"mcp, live": {server: "library", agent: "library_look_up", wire: "library_lookUp", args: `{"city":"Husum"}`},
		"v0": {
			file: `{"prompts":[{"id":"Old-Pacer","name":"Old Pacer","archetype":"Editor","scope":"file","usageNotes":"Use it on one scene.",
				"goals":"Name slow passages.","guardrails":"Change no file.","prompt":"Read the scene.","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-02T00:00:00Z"}]}`,
			agent: "old_pacer", wire: "Old-Pacer", args: `{}`, refused: "tool_not_callable",
		},
	}
}

// TestNamesAgreeInEveryFormat checks that in every format, the name read by an import is the name in prompts and exports, and the name
// that exec, parse, MCP, and check accept. The id is an alias (C1).
func TestNamesAgreeInEveryFormat(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "result": map[string]any{"posted": json.RawMessage(body)}})
	}))
	t.Cleanup(hub.Close)
	for name, n := range oneName() {
		t.Run(name, func(t *testing.T) {
			c := newTestDB(t)
			c.write(".config/toolcrib/toolcrib.toml", "[servers.library]\ncommand = [\"mcp-fixture\", \"tools.json\"]\n"+c.lenient())
			c.write("tools.json", `[{"name":"lookUp","description":"Look something up.","inputSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]`)
			c.takeIn(n, hub.URL)
			c.write("runner.json", runnerProposal(n.agent))
			c.run("propose", "runner.json", "--as", "user:tester")
			c.approveAll()

			if text := c.run("preview", "--agent", "runner", "--channel", "web", "--show", "now"); !strings.Contains(text, "`"+n.wire+"`") {
				t.Errorf("the prompt does not print %s:\n%s", n.wire, text)
			}
			c.exported(n)
			c.executed(n)
			for _, called := range []string{n.wire, n.agent} {
				c.write("answer.json", `{"tool":"`+called+`","args":`+n.args+`,"nonce":"k3j9"}`)
				if text := c.run("parse", "answer.json", "--agent", "runner", "--protocol", "json", "--nonce", "k3j9"); !strings.HasPrefix(text, n.wire+" ") {
					t.Errorf("%s is parsed as %s", called, text)
				}
			}
			if shown := c.run("tools", n.wire); !strings.Contains(shown, n.agent) {
				t.Errorf("tools %s shows %s", n.wire, shown)
			}
			c.overMCP(n)
		})
	}
}

// takeIn imports and approves a tool, and a hub if the tool runs on one.
func (c testDB) takeIn(n namedTool, hub string) {
	c.t.Helper()
	args := []string{"import"}
	if n.file != "" {
		c.write("read.json", n.file)
		args = append(args, "read.json")
	}
	if n.server != "" {
		args = append(args, "--server", n.server)
	}
	c.run(args...)
	c.run("show", "#1", "--source", "source.json")
	text, err := os.ReadFile(filepath.Join(c.dir, "source.json"))
	if err != nil {
		c.t.Fatal(err)
	}
	var draft map[string]any
	if err := json.Unmarshal(text, &draft); err != nil {
		c.t.Fatal(err)
	}
	definition := draft["definition"].(map[string]any)
	definition["approval"] = map[string]any{"tier": "auto_approve"}
	if n.hub {
		definition["provider"] = map[string]any{"type": "http", "url": hub}
	}
	if text, err = json.Marshal(draft); err != nil {
		c.t.Fatal(err)
	}
	c.write("source.json", string(text))
	c.run("revise", "#1", "source.json")
	c.approveAll()
}

// exported checks the name in all exports. Importing an export must not propose anything, and code that registers it
// must agree with the registry.
func (c testDB) exported(n namedTool) {
	c.t.Helper()
	formats := []wire.Format{wire.OpenAI, wire.Anthropic, wire.MCP}
	if n.refused == "tool_not_callable" {
		formats = []wire.Format{wire.V0}
	}
	for _, f := range formats {
		text := c.run("export", "--format", string(f), "--agent", "runner")
		doc, err := wire.Decode([]byte(text))
		if err != nil || len(doc.Items) != 1 || doc.Items[0].Name != n.wire {
			c.t.Errorf("%s: %s, %v", f, text, err)
			continue
		}
		c.write("exported.json", text)
		if again := c.run("import", "exported.json", "--json"); !strings.Contains(again, `"proposals":[]`) {
			c.t.Errorf("%s: imported again, it proposes %s", f, again)
		}
		if found := c.run("check", "--code", "exported.json", "--agent", "runner", "--partial"); !strings.Contains(found, "agree") {
			c.t.Errorf("%s: check finds %s", f, found)
		}
	}
	c.write("names.json", `["`+n.wire+`"]`)
	c.run("check", "--code", "names.json", "--agent", "runner")
}

// executed calls the tool by its name and by its id.
func (c testDB) executed(n namedTool) {
	c.t.Helper()
	for _, called := range []string{n.wire, n.agent} {
		var out, errs bytes.Buffer
		code := cli.Main(c.t.Context(), c.env([]string{"exec", called, "--agent", "runner", "--args", n.args, "--json"}, strings.NewReader(""), &out, &errs))
		switch {
		case n.refused != "" && !strings.Contains(errs.String(), `"code":"`+n.refused+`"`):
			c.t.Errorf("exec %s: %d %s", called, code, errs.String())
		case n.refused == "" && code != 0:
			c.t.Errorf("exec %s: %s", called, errs.String())
		case n.hub && !strings.Contains(out.String(), `"tool":"`+n.wire+`"`):
			c.t.Errorf("the hub was posted %s", out.String())
		}
	}
}

// overMCP finds, describes, and calls the tool by its name, as an agent does.
func (c testDB) overMCP(n namedTool) {
	c.t.Helper()
	cl := c.serve(&sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"}, "agent", "--agent", "runner")
	found := cl.done("search_tools", map[string]any{"query": n.wire})["tools"].([]any)
	if len(found) != 1 || found[0].(map[string]any)["wire_name"] != n.wire || found[0].(map[string]any)["id"] != n.agent {
		c.t.Errorf("search_tools finds %v", found)
	}
	if tool := cl.done("describe_tool", map[string]any{"name": n.wire})["tool"].(map[string]any); tool["wire_name"] != n.wire {
		c.t.Errorf("describe_tool says %v", tool)
	}
	call := map[string]any{"name": n.wire, "args": json.RawMessage(n.args)}
	if n.refused == "" {
		cl.done("execute_tool", call)
	} else if code, _ := cl.refused("execute_tool", call); code != n.refused {
		c.t.Errorf("execute_tool is refused with %s", code)
	}
	if n.refused != "tool_not_callable" {
		return
	}
	if _, err := cl.GetPrompt(c.t.Context(), &sdk.GetPromptParams{Name: n.wire}); err != nil {
		c.t.Error(err)
	}
}
