package workbench

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/tools/bench/terminal"
)

// talk opens the dialogue of lines in a terminal, with an editor.
func (c testDB) talk(editor string) person {
	c.t.Helper()
	return c.start(terminal.Program{
		Args: []string{c.bin, "--accessible", "--as", "user:mara"}, Env: append(c.env(), "EDITOR="+editor), Width: 100, Height: 40,
	})
}

func (p person) says(line string) {
	p.t.Helper()
	p.types(line)
	p.press("Enter")
}

// TestDialogueOnATerminal holds the dialogue on a real terminal: an editor that
// wants the terminal for itself gets it and gives it back, and a call that waits
// is heard and run.
func TestDialogueOnATerminal(t *testing.T) {
	t.Parallel()
	c := newTestDB(t)
	written := filepath.Join(c.home, "written.md")
	script := filepath.Join(c.home, "editor.sh")
	// It shows that it has the terminal by reading a key from it in raw mode.
	text := "#!/bin/sh\ntest -t 0 && test -t 1 || exit 9\nprintf 'EDITOR HAS THE TERMINAL, press x: '\n" +
		"stty raw -echo; key=$(dd bs=1 count=1 2>/dev/null); stty sane\ntest \"$key\" = x || exit 8\ncp \"$1\" '" + written + "'\nprintf '\\nMore.\\n' >> \"$1\"\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.home, "scene_pacer.md"), []byte("Begun.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := c.talk(script)
	p.sees("queue>")
	p.says("edit scene_pacer.md")
	p.sees("EDITOR HAS THE TERMINAL")
	p.press("x")
	p.sees("closed scene_pacer.md.", "queue>")
	if body, err := os.ReadFile(written); err != nil || string(body) != "Begun.\n" {
		t.Errorf("the editor was given %q: %v", body, err)
	}

	c.refused("exec", "delete_tasks", "--agent", "assistant", "--args", `{"ids":["t-1"]}`, "--user", "mara", "--as", "agent:assistant")
	p.says("calls")
	p.sees("tool tool:global/delete_tasks, ")
	p.says("calls approve")
	p.sees("You have not read the arguments of this call yet: enter calls show.")
	p.says("calls show")
	p.sees(`"t-1"`)
	p.says("calls approve")
	p.sees("The call runs once, with exactly these arguments.", "Type y and press enter to run it")
	p.says("y")
	p.sees("queue>")
	p.says("quit")
	p.ends()
}

// refused runs a command that is not done now.
func (c testDB) refused(args ...string) {
	c.t.Helper()
	out, err := c.try(c.t.Context(), args...)
	if err == nil {
		c.t.Fatalf("toolcrib %s is done: %s", strings.Join(args, " "), out)
	}
}

// try runs a command and returns its output.
func (c testDB) try(ctx context.Context, args ...string) (string, error) {
	cmd := c.command(ctx, args...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
