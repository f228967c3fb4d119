package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
)

// talk holds the dialogue of the accessible workbench.
func talk(t *testing.T, dir, typed string, vars map[string]string, args ...string) (out string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Main(context.Background(), cli.Env{
		Args: args, In: strings.NewReader(typed), Out: &stdout, Err: &stderr, Dir: dir,
		Getenv: func(name string) string {
			if name == "HOME" {
				return dir
			}
			return vars[name]
		},
		Now: time.Now, MinWait: longest, NewID: newID, Account: loggedIn(args),
		InTerminal: true, OutTerminal: true,
	})
	return stdout.String() + stderr.String(), code
}

// TestAccessible turns the dialogue on by flag, environment and configuration,
// and approves in it.
func TestAccessible(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := t.TempDir()
	demo, err := filepath.Abs("../testdata/demo/word_counts.json")
	if err != nil {
		t.Fatal(err)
	}
	if out, code := talk(t, dir, "", nil, "propose", demo, "--as", "agent:drafter"); code != 0 {
		t.Fatal(out)
	}
	const hello = "Say help for the commands."
	if out, code := talk(t, dir, "quit\n", map[string]string{"TOOLCRIB_ACCESSIBLE": "1"}); code != 0 || !strings.Contains(out, hello) {
		t.Errorf("by environment: exit status %d: %s", code, out)
	}
	file := filepath.Join(dir, ".config", "toolcrib", "toolcrib.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("accessible = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := talk(t, dir, "", nil); code != 0 || !strings.Contains(out, hello) {
		t.Errorf("by configuration, at the end of the input: exit status %d: %s", code, out)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	out, code := talk(t, dir, "open #1\ndiff\nfindings\n"+strings.Repeat("\n", 12)+"approve\ny\nquit\n", map[string]string{"TERM": "dumb"}, "--accessible", "--as", "user:mara")
	if code != 0 || !strings.Contains(out, "Live: tool:user/get_word_counts version 1.") {
		t.Errorf("exit status %d: %s", code, out)
	}
	if strings.ContainsAny(out, "\x1b\r\b") {
		t.Errorf("it is not plain: %q", out)
	}
	if out, code := talk(t, dir, "quit\n", nil, "demo", "--accessible"); code != 0 || !strings.Contains(out, hello) {
		t.Errorf("the demonstration: exit status %d: %s", code, out)
	}
}
