//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
)

// pipe returns a testDB with a named pipe in its folder.
func pipe(t *testing.T) (c testDB, name string) {
	t.Helper()
	c = newTestDB(t)
	name = filepath.Join(c.dir, "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return c, name
}

// TestInterruptedAtAPipe uses a named pipe instead of a file, with a writer that writes nothing.
func TestInterruptedAtAPipe(t *testing.T) {
	shortrun.NeedsLong(t)
	for name, args := range map[string][]string{
		"lint": {"lint", "pipe"}, "propose": {"propose", "pipe"}, "import": {"import", "pipe"},
		"note": {"comment", "#1", "--note-file", "pipe"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, pipe := pipe(t)
			cmd := c.command(c.dir, args...)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the command has also opened it
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 || errs.String() != "toolcrib: interrupted.\n" {
				t.Errorf("%v: %s", err, errs.String())
			}
		})
	}
}

// TestInterruptedBeforeAPipe uses a named pipe that has no writer.
func TestInterruptedBeforeAPipe(t *testing.T) {
	c, _ := pipe(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := cli.Main(ctx, c.env([]string{"lint", "pipe"}, strings.NewReader(""), &out, &errs)); code != 130 {
		t.Errorf("exit status %d: %s", code, errs.String())
	}
}

// TestCallsInAPipe uses a named pipe, and a folder, as the file for moved or verified calls.
func TestCallsInAPipe(t *testing.T) {
	p := newPruning(t)
	if err := errors.Join(syscall.Mkfifo(filepath.Join(p.dir, "pipe"), 0o600), os.Mkdir(filepath.Join(p.dir, "folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "folder"} {
		for _, args := range [][]string{{"calls", "prune", "--before", "1d", "--to", name}, {"verify", "--calls", name}} {
			if out := p.at(1, 0, args...); !strings.Contains(out, "is not a regular file; ") {
				t.Errorf("%v: %s", args, out)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(p.dir, ".toolcrib-*")); err != nil || len(left) > 0 {
		t.Errorf("left are %v: %v", left, err)
	}
}

// TestLowOpenFileLimit runs toolcrib with a low limit on open files. It must either report this or work, but not crash (S27).
// With a limit below 8, the Go runtime may crash before main starts.
func TestLowOpenFileLimit(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	for _, files := range []string{"8", "12", "24", "32"} {
		for _, args := range []string{"list", "version --json", "exec get_tasks --agent assistant --args {}"} {
			cmd := c.command(c.dir)
			cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "ulimit -n " + files + "; exec " + cmd.Path + " " + args}
			said, _ := cmd.CombinedOutput()
			if got, few := cmd.ProcessState.ExitCode(), files != "32"; few && (got != 1 || !strings.Contains(string(said), "ulimit -n")) || !few && got != 0 {
				t.Errorf("%s with %s files: exit status %d: %.300s", args, files, got, said)
			}
		}
	}
}
