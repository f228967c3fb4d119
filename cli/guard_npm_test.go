package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// driver copies a test script to a folder in which it finds the TypeScript SDK.
func driver(t *testing.T, script string) string {
	t.Helper()
	name := installed(t, script)
	text, err := os.ReadFile(filepath.Join("testdata", script))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestServerEverythingThroughGuard uses the published server-everything with the TypeScript SDK, directly and through a guard, and
// compares the results. `make servers` runs this test.
func TestServerEverythingThroughGuard(t *testing.T) {
	name := driver(t, "guarded.mjs")
	b := newBehind(t, "everything", installed(t, ".bin/mcp-server-everything"))
	drive := func(command []string) string {
		node := exec.CommandContext(t.Context(), "node", append([]string{name}, command...)...)
		node.Env = b.environ()
		node.Stderr = os.Stderr
		out, err := node.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	alone := drive(b.server)
	drive(b.guard) // no tool is approved yet
	b.waits("everything_echo", "list")
	b.run("approve", "set:everything", "--unseen")
	if behind := drive(b.guard); behind != alone {
		t.Errorf("alone:\n%s\nbehind the guard:\n%s", alone, behind)
	}
	var seen struct {
		Tools                             []any
		Sampled, Elicited, Rooted, Logged int
		Progress                          bool
	}
	if err := json.Unmarshal([]byte(alone), &seen); err != nil || len(seen.Tools) < 16 || seen.Sampled*seen.Elicited*seen.Rooted*seen.Logged == 0 || !seen.Progress {
		t.Errorf("the server shows %+v, %v", seen, err)
	}
}
