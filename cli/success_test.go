package cli_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
)

// TestSuccessesAreReported checks that commands that succeed without output say so on a terminal, and only there.
func TestSuccessesAreReported(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	c.write("AGENTS.md", "Run the tests.\n")
	c.run("tools")
	for want, args := range map[string][]string{
		"No findings.\n":              {"lint", "AGENTS.md"},
		"Wrote out.json.\n":           {"export", "--output", "out.json"},
		"No facts.\n":                 {"reach", "--kind", "secret"},
		"x: no changes to propose.\n": {"watch", "--once", "--server", "x", "--mcp", "mcp-fixture " + filepath.Join(c.dir, "tools.json")},
	} {
		c.write("tools.json", "[]")
		for _, terminal := range []bool{true, false} {
			var out, errs bytes.Buffer
			env := c.env(args, strings.NewReader(""), &out, &errs)
			env.ErrTerminal = terminal
			code := cli.Main(t.Context(), env)
			silent := !terminal && args[0] != "reach" // lists note everywhere that they are empty
			if code != 0 || out.Len() > 0 || strings.Contains(errs.String(), want) == silent {
				t.Errorf("%s: exit status %d, terminal %t: %s%s", args, code, terminal, out.String(), errs.String())
			}
		}
	}
}
