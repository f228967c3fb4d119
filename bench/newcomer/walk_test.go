package newcomer

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"toolcrib/bench/terminal"
	_ "toolcrib/cli" // the program that is built: with a change to it, a cached result is void
	"toolcrib/internal/shortrun"
)

// TestWalk takes every step in toolcrib demo, in a real terminal.
func TestWalk(t *testing.T) {
	shortrun.NeedsLong(t)
	if testing.Short() {
		t.Skip("drives a program of its own in a terminal, step by step")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	home := t.TempDir()
	bin := filepath.Join(home, "toolcrib")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../..").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	term, err := terminal.Start(ctx, terminal.Program{
		Args: []string{bin, "demo"}, Dir: home, Env: []string{"HOME=" + home, "TMPDIR=" + home, "PATH=" + os.Getenv("PATH")}, Width: Width, Height: Height,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := term.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := Walk(ctx, term, func(Step, []string) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// TestNamed takes no key that the last line does not name for exactly that label.
func TestNamed(t *testing.T) {
	screen := "x reject\n\n enter open  3y reject all  esc back  q quit"
	for label, want := range map[string]string{"open": "enter", "reject": "", "reject all": "3y", "all": "", "quit": "q", "": ""} {
		if got := named(screen, label); got != want {
			t.Errorf("%q: %q, want %q", label, got, want)
		}
	}
}
