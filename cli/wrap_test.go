package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFromClientToGuarded goes the way of a newcomer: the servers of a client are found
// and proposed, guarded where they stand, found again behind the guard, and the client
// gets its file back.
func TestFromClientToGuarded(t *testing.T) {
	c := newTestDB(t)
	const before = "{\n  // my servers\n  \"mcpServers\": {\n    \"library\": {\"command\": \"mcp-fixture\", \"args\": [\"tools.json\"], \"env\": {\"FIXTURE_SECRET\": \"s3cret\"}}, // mine\n  },\n  \"other\": [1, 2,],\n}\n"
	c.write(".cursor/mcp.json", before)
	c.write("tools.json", "["+lookTool+","+askTool+"]")
	if out := c.run("init", "--yes"); !strings.Contains(out, "library: 2 definitions, 2 proposed as the change set library") {
		t.Fatalf("%s", out)
	}
	if out := c.run("wrap", "--yes"); strings.Contains(out, "s3cret") || !strings.Contains(out, "1 file written") {
		t.Fatalf("%s", out)
	}
	file := filepath.Join(c.dir, ".cursor", "mcp.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, tail, _ := strings.Cut(before, `"command": "mcp-fixture", "args": [`)
	middle, ok := strings.CutPrefix(string(text), head+`"command": "toolcrib", "args": ["guard", "library", `)
	middle, ok2 := strings.CutSuffix(middle, `"--", "mcp-fixture", `+tail)
	if !ok || !ok2 || !strings.Contains(middle, `"--db", "`) {
		t.Fatalf("more than the command changed:\n%s", text)
	}
	if out := c.run("wrap"); !strings.Contains(out, "There is nothing to write.") {
		t.Errorf("wrapped twice: %s", out)
	}
	if out := c.run("init", "--yes"); !strings.Contains(out, "library  cursor   mcp-fixture tools.json") || !strings.Contains(out, "library: 2 definitions, 0 proposed") {
		t.Errorf("behind the guard: %s", out)
	}
	c.run("unwrap", "--yes")
	if text, err := os.ReadFile(file); err != nil || string(text) != before {
		t.Errorf("restored as\n%s\n%v", text, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
