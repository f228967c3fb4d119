package workbench

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/tools/bench/newcomer"
	"toolcrib/tools/bench/terminal"
)

// TestNewcomer takes every step of package newcomer in toolcrib demo, in a real
// terminal.
func TestNewcomer(t *testing.T) {
	shortrun.NeedsLong(t)
	if testing.Short() {
		t.Skip("drives a program of its own in a terminal, step by step")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	term, err := terminal.Start(ctx, terminal.Program{
		Args: []string{bin, "demo"}, Dir: home, Env: []string{"HOME=" + home, "TMPDIR=" + home, "PATH=" + os.Getenv("PATH")},
		Width: newcomer.Width, Height: newcomer.Height,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := term.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := newcomer.Walk(ctx, term, func(newcomer.Step, []string) error { return nil }); err != nil {
		t.Fatal(err)
	}
}
