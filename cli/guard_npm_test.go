package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGuardedEverything drives the published server-everything with the TypeScript SDK,
// alone and behind a guard, and holds what came back against each other. It needs npx
// and the network, and runs as `make servers`.
func TestGuardedEverything(t *testing.T) {
	sdk := os.Getenv("TOOLCRIB_SDK")
	if sdk == "" {
		t.Skip("the TypeScript SDK is fetched from npm; `make servers` does that")
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/guarded.mjs")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(sdk, "guarded.mjs")
	if err := os.WriteFile(name, script, 0o600); err != nil {
		t.Fatal(err)
	}
	c := newTestDB(t)
	drive := func(command ...string) string {
		node := exec.CommandContext(t.Context(), "node", append(append([]string{name}, command...), "npx", "-y", "@modelcontextprotocol/server-everything")...)
		node.Env = append(os.Environ(), "HOME="+c.dir, "npm_config_cache="+npmCache(), "TOOLCRIB_DB="+filepath.Join(c.dir, "test.db"))
		node.Stderr = os.Stderr
		out, err := node.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	alone := drive()
	guarded := []string{path, "guard", "everything", "--"}
	drive(guarded...) // no tool is approved
	c.waits("everything_echo", "list")
	c.run("approve", "set:everything")
	if behind := drive(guarded...); behind != alone {
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
