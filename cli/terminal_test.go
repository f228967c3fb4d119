package cli_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/internal/shortrun"
)

// run runs a command in a separate folder, as on a terminal.
func run(t *testing.T, dir string, vars map[string]string, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Main(context.Background(), process.Env{
		Args: args, In: strings.NewReader(""), Out: &stdout, Err: &stderr, Dir: dir,
		Getenv: func(name string) string {
			if name == "HOME" {
				return dir
			}
			return vars[name]
		},
		Now:     func() time.Time { return time.Date(2026, 11, 20, 23, 42, 0, 0, time.FixedZone("CET", 3600)) },
		MinWait: longest, NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
		Account:    loggedIn(args),
		InTerminal: true, OutTerminal: true,
	})
	return stdout.String(), stderr.String(), code
}

func TestColours(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := t.TempDir()
	if _, errs, code := run(t, dir, nil, "fork", "file_reader"); code != 0 { // reading creates no database
		t.Fatalf("exit status %d: %s", code, errs)
	}
	for _, test := range []struct {
		name string
		vars map[string]string
		args []string
		want bool
	}{
		{"in a terminal", map[string]string{"TERM": "xterm-256color"}, []string{"tools"}, true},
		{"NO_COLOR", map[string]string{"NO_COLOR": "1"}, []string{"tools"}, false},
		{"NO_COLOR that is not a boolean", map[string]string{"NO_COLOR": "please"}, []string{"tools"}, false},
		{"empty NO_COLOR", map[string]string{"NO_COLOR": ""}, []string{"tools"}, true},
		{"--no-color", nil, []string{"tools", "--no-color"}, false},
		{"a dumb terminal", map[string]string{"TERM": "dumb"}, []string{"tools"}, false},
		{"JSON", nil, []string{"tools", "--json"}, false},
		{"help", nil, []string{"--help"}, false},
		{"the demonstration", nil, []string{"demo", "--print"}, true},
		{"the demonstration as JSON", nil, []string{"demo", "--json"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.args[0] == "demo" {
				shortrun.NeedsLong(t)
			}
			out, errs, code := run(t, dir, test.vars, test.args...)
			if code != 0 {
				t.Fatalf("exit status %d: %s", code, errs)
			}
			if got := strings.Contains(out, "\x1b") || strings.Contains(out, `\u001b`); got != test.want {
				t.Errorf("escapes in the output: %t, want %t\n%.300q", got, test.want, out)
			}
		})
	}
}

// TestClock checks that all stored times come from the injected clock and are in UTC.
func TestClock(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := t.TempDir()
	sample, err := filepath.Abs("../testdata/scripts/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	out, errs, code := run(t, dir, nil, "propose", "--as", "user:ada", "--json", sample)
	if code != 0 || !strings.Contains(out, `"created_at":"2026-11-20T22:42:00Z","updated_at":"2026-11-20T22:42:00Z"`) {
		t.Errorf("exit status %d: %s%s", code, out, errs)
	}
}
