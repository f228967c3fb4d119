package tui_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/shortrun"
	"toolcrib/tui"
)

// TestRunACommand runs a user's program on the selection. Values are passed as complete arguments without a shell.
func TestRunACommand(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("!").wants("your toolcrib.toml has no [commands]")

	dir := t.TempDir()
	program, out := filepath.Join(dir, "list.sh"), filepath.Join(dir, "out")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s|' \"$@\" >> "+out+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	wrote := func(want string) {
		t.Helper()
		if text, err := os.ReadFile(out); err != nil || string(text) != want {
			t.Errorf("%v: the arguments are %q; want %q", err, text, want)
		}
		_ = os.Remove(out)
	}
	b.config.Commands = []tui.Command{{Name: "list", Args: []string{program, "{number}", "of {subject}; $(id) `id`", "{other}"}}}
	var printed strings.Builder
	b.config.Exec = func(run *exec.Cmd, done tea.ExecCallback) tea.Cmd {
		run.Stdout = &printed
		return runNow(run, done)
	}
	b.restart()
	const all = "1|of tool:user/name_bank; $(id) `id`|{other}|"
	b.press("!").wants("list ended")
	wrote(all)
	if !strings.Contains(printed.String(), "[enter returns to toolcrib]") { // the output stays until then
		t.Errorf("the terminal has %q", printed.String())
	}
	b.press("enter", "!").wants("list ended")
	wrote(all)
	b.press("T", "!").wants("list requires a proposal")

	b = newWorkbench(t, 100, 30, func(b *workbench) { b.approved(b.file("name_bank.json")) }, demo("world_names.json"))
	b.config.Commands = []tui.Command{{Name: "fails", Args: []string{"/bin/sh", "-c", "exit 3"}}, {Name: "list", Args: []string{program, "{subject}"}}, {Name: "issue", Args: []string{program, "{number}"}}}
	b.restart()
	b.press("!").wants("Run a command", "1  fails", "2  list", program+" {subject}")
	b.press("1").wants("fails failed: exit status 3")
	b.press("T", "/").write("name_bank").press("enter", "!", "2").wants("list ended")
	wrote("tool:user/name_bank|")
	b.press("!", "3").wants("issue requires a proposal")
}
