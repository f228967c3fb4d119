package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolcrib/cli"
)

// TestRealServers imports published MCP servers, approves their change sets, and runs some of their tools through the
// gateway, over MCP. `make servers` runs this test (H9).
func TestRealServers(t *testing.T) {
	for _, s := range []struct {
		name, command string
		calls         []string // tool, arguments, and a pattern for the result
	}{
		{"everything", installed(t, ".bin/mcp-server-everything"), []string{"everything_echo", `{"message":"over here"}`, `over here`}},
		{"memory", installed(t, ".bin/mcp-server-memory"), []string{
			"memory_create_entities", `{"entities":[{"name":"Harbour","entityType":"place","observations":["It is foggy."]}]}`, `Harbour`,
			"memory_read_graph", `{}`, `It is foggy`,
		}},
		{"filesystem", installed(t, ".bin/mcp-server-filesystem") + " .", []string{
			"filesystem_write_file", `{"path":"note.txt","content":"ink"}`, `note.txt`,
			"filesystem_read_text_file", `{"path":"note.txt"}`, `ink`,
		}},
	} {
		t.Run(s.name, func(t *testing.T) {
			c := newTestDB(t)
			c.importServer(s.command, s.name)
			words, err := json.Marshal(strings.Fields(s.command))
			if err != nil {
				t.Fatal(err)
			}
			c.write(".config/toolcrib/toolcrib.toml", fmt.Sprintf("[servers.%s]\ncommand = %s\nenv = [\"npm_config_cache\", \"MEMORY_FILE_PATH\"]\n", s.name, words))
			c.run("show", "set:"+s.name)
			c.run("approve", "set:"+s.name, "--unseen")
			var ids []string
			for i := 0; i < len(s.calls); i += 3 {
				ids = append(ids, s.calls[i])
				c.run("calls", "policy", s.calls[i], "auto_approve")
			}
			if again := c.run("import", "--server", s.name); !regexp.MustCompile(`(?m)^0 new, 0 changed, 0 missing`).MatchString(again) {
				t.Errorf("a second import: %s", again)
			}
			c.write("runner.json", runnerProposal(ids...))
			c.run("propose", "runner.json", "--as", "user:tester")
			c.run("approve", c.issueOf("agent:user/runner"))
			cl := c.serve(nil, "agent", "--agent", "runner")
			for i := 0; i < len(s.calls); i += 3 {
				out := cl.done("execute_tool", map[string]any{"name": s.calls[i], "args": json.RawMessage(s.calls[i+1])})
				text, err := json.Marshal(out["output"])
				if err != nil || !regexp.MustCompile(s.calls[i+2]).Match(text) {
					t.Errorf("%s: %s, %v", s.calls[i], text, err)
				}
			}
		})
	}
}

// TestQuickStart follows the README from an empty home to a guarded server, and calls all of its tools with the
// TypeScript SDK. No call may wait. `make servers` runs this test (G1).
func TestQuickStart(t *testing.T) {
	name := driver(t, "quickstart.mjs")
	path, err := exec.LookPath(Program)
	if err != nil {
		t.Fatal(err)
	}
	c := newTestDB(t)
	file := filepath.Join(c.dir, ".cursor", "mcp.json")
	c.write(".cursor/mcp.json", `{"mcpServers": {"memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory@`+versionOf(t, "@modelcontextprotocol/server-memory")+`"],
		"env": {"npm_config_cache": "`+npmCache()+`", "MEMORY_FILE_PATH": "`+filepath.Join(c.dir, "memory.json")+`"}}}}`)
	c.run("init", "--yes", "--timeout", "2m")
	c.run("wrap", "--yes")
	c.run("show", "set:memory")
	c.run("approve", "set:memory", "--unseen")

	node := exec.CommandContext(t.Context(), "node", name, file, path)
	node.Env = append(os.Environ(), "HOME="+c.dir, "TOOLCRIB_DB="+filepath.Join(c.dir, "test.db"))
	out, err := node.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "9 of 9 ran") {
		t.Errorf("%v\n%s", err, out)
	}
	if waiting := c.run("calls", "list", "--all", "--json"); !strings.Contains(waiting, `"pending":[]`) {
		t.Errorf("calls wait: %s", waiting)
	}
	if status := c.run("status"); !regexp.MustCompile(`cursor\tmemory\tguarded\t9\t0\t0\t20\S+ \w+ ok`).MatchString(status) {
		t.Errorf("status: %s", status)
	}
}

// versionOf returns the version of an installed package.
func versionOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(installed(t, name+"/package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pkg struct{ Version string }
	if err := json.Unmarshal(text, &pkg); err != nil {
		t.Fatal(err)
	}
	return pkg.Version
}

// importServer imports a published server.
func (c testDB) importServer(command, name string) {
	c.t.Helper()
	var out, errs bytes.Buffer
	code := cli.Main(context.Background(), c.env([]string{"import", "--mcp", command, "--server", name, "--env", "npm_config_cache"}, strings.NewReader(""), &out, &errs))
	if code != 0 {
		c.t.Fatalf("exit status %d: %s", code, errs.String())
	}
}

// issueOf returns the issue of the latest proposal on a subject.
func (c testDB) issueOf(subject string) string {
	c.t.Helper()
	var doc struct {
		Proposals []struct {
			Issue int `json:"issue"`
		} `json:"proposals"`
	}
	if err := json.Unmarshal([]byte(c.run("list", "--json", "--subject", subject)), &doc); err != nil || len(doc.Proposals) == 0 {
		c.t.Fatalf("no proposal on %s: %v", subject, err)
	}
	return fmt.Sprintf("#%d", doc.Proposals[0].Issue)
}

// npmCache returns npm's cache folder, so that tests do not download packages again.
func npmCache() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".npm")
}
