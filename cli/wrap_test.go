package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// wrappedArgs returns what a wrapped client starts toolcrib mcp with.
func wrappedArgs(t *testing.T, config string) []string {
	t.Helper()
	var entry struct {
		Command string
		Args    []string
	}
	from := strings.Index(config, `"toolcrib": {`) + len(`"toolcrib": `)
	if err := json.NewDecoder(strings.NewReader(config[from:])).Decode(&entry); err != nil {
		t.Fatalf("%s: %v", config, err)
	}
	if entry.Command != "toolcrib" || entry.Args[0] != "mcp" || strings.Contains(config, "s3cret") {
		t.Fatalf("%+v", entry)
	}
	return entry.Args[1:]
}

// TestFromClientToGuarded goes the whole way of a newcomer: the servers of a
// client are found and proposed, approved, and put behind toolcrib; the client
// then starts what its file says, has the approved tools and no others, and gets
// its file back.
func TestFromClientToGuarded(t *testing.T) {
	c := newTestDB(t)
	const before = "{\n  // my servers\n  \"mcpServers\": {\n    \"library\": {\"command\": \"mcp-fixture\", \"args\": [\"tools.json\"], \"env\": {\"FIXTURE_SECRET\": \"s3cret\"}}, // mine\n  },\n  \"other\": [1, 2,],\n}\n"
	c.write(".cursor/mcp.json", before)
	c.write("tools.json", "["+lookTool+","+askTool+"]")
	c.run("init", "--yes")
	c.approveAll()
	if out := c.run("wrap", "--yes"); strings.Contains(out, "s3cret") || !strings.Contains(out, "1 file written") {
		t.Fatalf("%s", out)
	}

	file := filepath.Join(c.dir, ".cursor", "mcp.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(before, `{"command"`)
	head = head[:strings.Index(head, "{\n    \"library\"")]
	if !strings.HasPrefix(string(text), head) || !strings.HasSuffix(string(text), rest[strings.Index(rest, ",\n  \"other\""):]) {
		t.Fatalf("more than the servers changed:\n%s", text)
	}
	args := wrappedArgs(t, string(text))
	cl := c.serve(&sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"}, "cursor", args...)
	if want := []string{"call_outcome", "library_lookUp", "library_sendAway"}; !slices.Equal(cl.names(), want) {
		t.Errorf("listed %v", cl.names())
	}
	r, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: "library_lookUp", Arguments: map[string]any{"what": "x"}})
	if err != nil || r.IsError {
		t.Errorf("%+v, %v", r, err)
	}
	if text, _ := json.Marshal(r.StructuredContent); !strings.Contains(string(text), `"secret":"s3cret"`) {
		t.Errorf("the server has not the variable that the client gave it: %s", text)
	}
	if info, err := os.Stat(filepath.Join(c.dir, ".config", "toolcrib", "toolcrib.toml")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the configuration: %v, %v", info, err)
	}
	var pending struct{ Error struct{ Pending string } }
	asked, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: "library_sendAway", Arguments: map[string]any{"to": "x"}})
	if err != nil || json.Unmarshal([]byte(asked.Content[0].(*sdk.TextContent).Text), &pending) != nil {
		t.Fatalf("%+v, %v", asked, err)
	}
	if out := c.run("calls", "approve", pending.Error.Pending, "--json"); !strings.Contains(out, "s3cret") {
		t.Errorf("a call that is approved elsewhere has not the variable: %s", out)
	}

	if out := c.run("wrap"); !strings.Contains(out, "There is nothing to write.") {
		t.Errorf("wrapped twice: %s", out)
	}
	if out := c.run("init"); strings.Contains(out, "mcp --expose") {
		t.Errorf("toolcrib finds itself: %s", out)
	}
	c.run("unwrap", "--yes")
	if text, err := os.ReadFile(file); err != nil || string(text) != before {
		t.Errorf("restored as\n%s\n%v", text, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
