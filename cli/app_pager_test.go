package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/uuid"

	"toolcrib/cli"
	"toolcrib/cli/process"
)

// onScreen runs a command on a terminal with ten lines, and returns the output on the terminal and on standard error.
func onScreen(t *testing.T, dir string, vars map[string]string, args []string) (printed, errs string, code int) {
	t.Helper()
	terminal, screen, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: 10, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		var all bytes.Buffer
		_, _ = all.ReadFrom(terminal) // returns an error when the terminal is closed
		read <- all.String()
	}()
	var written bytes.Buffer
	code = cli.Main(t.Context(), process.Env{
		Args: args, In: strings.NewReader(""), Out: screen, Err: &written, Dir: dir, Now: time.Now, OutTerminal: true,
		MinWait: longest, NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
		Account: loggedIn(args),
		Getenv: func(name string) string {
			switch name {
			case "HOME":
				return dir
			case "NO_COLOR":
				return "1"
			}
			return vars[name]
		},
	})
	if err := screen.Close(); err != nil {
		t.Fatal(err)
	}
	printed = <-read
	if err := terminal.Close(); err != nil {
		t.Fatal(err)
	}
	return printed, written.String(), code
}

// TestPager prints to a real terminal with ten lines. Only longer output goes through the pager, and it must be safe to
// print (X12).
func TestPager(t *testing.T) {
	dir := t.TempDir()
	got := filepath.Join(dir, "paged")
	program := filepath.Join(dir, "my pager")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$1 $LESS\" > \"$2\"\nhead -n 40 >> \"$2\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := run(t, dir, nil, "fork", "file_reader"); code != 0 {
		t.Fatalf("exit status %d: %s", code, errs)
	}
	named := `"` + program + `" --all "` + got + `"`
	for _, test := range []struct {
		name  string
		vars  map[string]string
		args  []string
		paged bool
	}{
		{"a long list", map[string]string{"PAGER": named}, []string{"tools"}, true},
		{"a short answer", map[string]string{"PAGER": named}, []string{"version"}, false},
		{"JSON", map[string]string{"PAGER": named}, []string{"tools", "--json"}, false},
		{"--no-pager", map[string]string{"PAGER": named}, []string{"tools", "--no-pager"}, false},
		{"cat", map[string]string{"PAGER": "cat"}, []string{"tools"}, false},
		{"a dumb terminal", map[string]string{"PAGER": named, "TERM": "dumb"}, []string{"tools"}, false},
		{"no such pager", map[string]string{"PAGER": filepath.Join(dir, "none")}, []string{"tools"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			_ = os.Remove(got)
			printed, errs, code := onScreen(t, dir, test.vars, test.args)
			paged, err := os.ReadFile(got)
			if code != 0 || (err == nil) != test.paged {
				t.Fatalf("exit status %d, paged %t: %s", code, err == nil, errs)
			}
			if !test.paged && printed == "" {
				t.Error("nothing is printed")
			}
			if test.paged && (printed != "" || !strings.HasPrefix(string(paged), "--all FRX\n") || !strings.Contains(string(paged), "canon_checker")) {
				t.Errorf("printed %q, paged %q", printed, paged)
			}
		})
	}
}

// TestPipedLists prints a list for a person and for a program (X12).
func TestPipedLists(t *testing.T) {
	c := newTestDB(t)
	c.write("runner.json", runnerProposal("get_tasks"))
	c.run("propose", "runner.json")
	for line := range strings.Lines(c.run("list")) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 10 || cells[0] != "#1" || len(cells[1]) != 36 || cells[4] != "agent:user/runner" {
			t.Errorf("%q", cells)
		}
		if _, err := time.Parse(time.RFC3339, cells[6]); err != nil {
			t.Error(err)
		}
	}
}
