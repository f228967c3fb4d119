package cli_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/iotest"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
)

// TestInitConfirmsServers checks that init shows the servers before it starts any of them, and starts none without a confirmation.
func TestInitConfirmsServers(t *testing.T) {
	shortrun.OneGoroutine(t)
	for answer, started := range map[string]bool{"y\n": true, "YES\n": true, "n\n": false, "\n": false, "": false} {
		t.Run(strings.TrimSpace(answer), func(t *testing.T) {
			c := newTestDB(t)
			c.write(".cursor/mcp.json", `{"mcpServers":{"library":{"command":"mcp-fixture","args":["tools.json"]}}}`)
			c.write("tools.json", `[{"name":"lookUp","description":"Look something up in the library.","inputSchema":{"type":"object"}}]`)
			var out, errs bytes.Buffer
			env := c.env([]string{"init", "--here"}, strings.NewReader(answer), &out, &errs)
			env.InTerminal, env.OutTerminal = true, true
			if code := cli.Main(context.Background(), env); code != 0 {
				t.Fatalf("exit status %d: %s", code, errs.String())
			}
			before, after, asked := strings.Cut(out.String(), "Start 1 server once to read the tools? [y/N] ")
			if !asked || !strings.Contains(before, "mcp-fixture tools.json") {
				t.Fatalf("asked without showing: %s", out.String())
			}
			if got := strings.Contains(after, "library: 1 definition, 1 proposed as the change set library"); got != started {
				t.Errorf("%s", after)
			}
			if !started && !strings.Contains(after, "No server was started.") {
				t.Errorf("%s", after)
			}
		})
	}
}

// TestQuestionsEndWithTheInput interrupts a question on the terminal. This must count neither as yes nor as no.
func TestQuestionsEndWithTheInput(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, command := range [][]string{{"init", "--here"}, {"trust"}} {
		c := newTestDB(t)
		c.write(".cursor/mcp.json", `{"mcpServers":{"library":{"command":"mcp-fixture","args":["tools.json"]}}}`)
		if command[0] == "trust" {
			c.write("toolcrib.toml", "workspace = \".\"\n")
		}
		var out, errs bytes.Buffer
		env := c.env(command, iotest.ErrReader(context.Canceled), &out, &errs)
		env.InTerminal, env.OutTerminal = true, true
		if code := cli.Main(t.Context(), env); code != 130 || !strings.HasSuffix(out.String(), "? [y/N] ") {
			t.Errorf("%s: exit status %d: %s%s", command, code, out.String(), errs.String())
		}
	}
}
