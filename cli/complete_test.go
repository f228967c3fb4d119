package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestCompletion completes ids and names (X5). It must not create anything, and must not interpret characters in
// titles.
func TestCompletion(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := testDB{t, t.TempDir()} // without a database
	if out := c.run("__complete", "approve", ""); !strings.HasPrefix(out, ":4") {
		t.Errorf("without a database: %q", out)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "test.db")); err == nil {
		t.Error("a completion made a database")
	}
	text, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	c.write("one.json", strings.Replace(string(text), `"Scene Pacer"`, `"Scene\tPacer \u001b[31m"`, 1))
	c.run("propose", "--draft", "one.json", "--as", "user:tester")
	c.write("two.json", strings.ReplaceAll(string(text), "scene_pacer", "pace_keeper"))
	c.run("propose", "two.json", "--as", "user:tester")
	for line, want := range map[string]string{
		"approve ": "1\tuser_review tool:user/pace_keeper", "tools get_ta": "get_tasks\t", "agents ": "assistant\t", "list --state user": "user_review\n",
		"exec --agent ": "author\t", "preview --channel ": "telegram\n", "rules K10": "", "rules S11": "S116\t", "wrap cur": "cursor\tCursor",
		"mcp --expose ": "meta\n", "export --format l": "lock\n", "export --format b": "bundle\n", "check --format s": "sarif\n", "completion pw": "",
	} {
		words := strings.Split(line, " ")
		out := c.run(append([]string{"__complete"}, words...)...)
		if !strings.Contains(out, want) || strings.ContainsAny(out, "\x1b") {
			t.Errorf("%s: %q", line, out)
		}
	}
}

// TestCompletionInShells runs the completion in real shells.
func TestCompletionInShells(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	text, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	c.write("two.json", string(text))
	c.run("propose", "two.json", "--as", "user:tester")
	path, err := exec.LookPath(Program)
	if err != nil {
		t.Fatal(err)
	}
	// The test binary selects the program by its own name, so that a link would run the tests again.
	if err := os.WriteFile(filepath.Join(c.dir, "toolcrib"), []byte("#!/bin/sh\nexec "+path+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for shell, script := range map[string]string{
		"bash": `_get_comp_words_by_ref() { cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD; }
			source "$1"; COMP_WORDS=(toolcrib tools get_ta); COMP_CWORD=2; COMP_LINE="toolcrib tools get_ta"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
			__start_toolcrib; printf '%s\n' "${COMPREPLY[@]}"`,
		"fish": `source $argv[1]; complete -C "toolcrib tools get_ta"`,
	} {
		t.Run(shell, func(t *testing.T) {
			name, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(err)
			}
			file := filepath.Join(c.dir, "toolcrib."+shell)
			c.write("toolcrib."+shell, c.run("completion", shell))
			args := []string{"-c", script, "shell", file}
			if shell == "fish" {
				args = slices.Delete(args, 2, 3)
			}
			cmd := exec.CommandContext(t.Context(), name, args...)
			cmd.Env = append(os.Environ(), "HOME="+c.dir, "TOOLCRIB_DB="+filepath.Join(c.dir, "test.db"), "PATH="+c.dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "get_tasks") || strings.Contains(string(out), "two.json") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	for _, name := range []string{"powershell", "pwsh"} { // not installed; it uses the same words as the other shells
		out := c.run("completion", name)
		for _, want := range []string{"Register-ArgumentCompleter -CommandName 'toolcrib' -ScriptBlock ${__toolcribCompleterBlock}", "$Program __complete $Arguments", "[System.Management.Automation.CompletionResult]"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s lacks %s", name, want)
			}
		}
	}
	if zsh, err := exec.LookPath("zsh"); err == nil {
		c.write("_toolcrib", c.run("completion", "zsh"))
		if out, err := exec.CommandContext(t.Context(), zsh, "-n", filepath.Join(c.dir, "_toolcrib")).CombinedOutput(); err != nil {
			t.Errorf("zsh: %v: %s", err, out)
		}
	}
}
