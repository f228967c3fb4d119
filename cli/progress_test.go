package cli_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
)

// TestProgressIsForTerminals checks that progress is shown on a terminal and erased at the end, and that nothing is
// written to a pipe (T15).
func TestProgressIsForTerminals(t *testing.T) {
	var out lockedBuffer
	a := &command.App{Printer: &output.Printer{Env: process.Env{Err: &out, Now: time.Now, Getenv: func(string) string { return "" }}}}
	if p := a.Progress(); p != nil {
		t.Fatal("progress goes into a pipe")
	} else {
		p.Tell(1, 2, "nobody listens") // has no effect
		p.End()
	}
	a.Env.ErrTerminal = true
	synctest.Test(t, func(t *testing.T) {
		wait := func(d time.Duration) string {
			time.Sleep(d)
			synctest.Wait()
			return out.String()
		}
		p := a.Progress()
		p.Tell(3, 12, "Checking \x1b[2Jfiles")
		if told := wait(250 * time.Millisecond); told != "" {
			t.Errorf("quick work tells %q", told)
		}
		if told := wait(2250 * time.Millisecond); !strings.HasSuffix(told, "\r\x1b[KChecking ⟨U+001B⟩[2Jfiles: 3 of 12, 25 %, 2 s") {
			t.Errorf("told %q", told)
		}
		p.Tell(7, 0, strings.Repeat("long ", 40))
		if told := wait(250 * time.Millisecond); !strings.Contains(told, "long long") || strings.Contains(told, strings.Repeat("long ", 17)) {
			t.Errorf("told %q", told)
		}
		p.End()
		p.End()
		if last := out.String(); !strings.HasSuffix(last, "\r\x1b[K") {
			t.Errorf("left behind: %q", last)
		}
	})
	a.Env.Getenv = func(string) string { return "dumb" }
	if a.Progress() != nil {
		t.Error("a terminal that cannot take a line back is written to")
	}
}
