package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
)

// TestProgressIsForTerminals checks that progress is shown on a terminal and erased at the end, and that nothing is
// written to a pipe (T15).
func TestProgressIsForTerminals(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	a := &command.App{Printer: &output.Printer{Env: process.Env{Err: &out, Now: func() time.Time { return now }, Getenv: func(string) string { return "" }}}}
	if p := a.Progress(); p != nil {
		t.Fatal("progress goes into a pipe")
	} else {
		p.Tell(1, 2, "nobody listens") // has no effect
		p.End()
	}
	a.Env.ErrTerminal = true
	p := output.NewProgress(a.Env) // without the timer
	p.Tell(3, 12, "Checking \x1b[2Jfiles")
	if p.Draw(); out.Len() > 0 {
		t.Errorf("quick work tells %q", out.String())
	}
	now = now.Add(2500 * time.Millisecond)
	if p.Draw(); !strings.HasSuffix(out.String(), "\r\x1b[KChecking ⟨U+001B⟩[2Jfiles: 3 of 12, 25 %, 2 s") {
		t.Errorf("told %q", out.String())
	}
	p.Tell(7, 0, strings.Repeat("long ", 40))
	p.Draw()
	p.End()
	p.End()
	if last := out.String(); !strings.HasSuffix(last, "\r\x1b[K") || strings.Contains(last, strings.Repeat("long ", 17)) {
		t.Errorf("left behind: %q", last)
	}
	p = a.Progress() // with the timer
	p.End()
	a.Env.Getenv = func(string) string { return "dumb" }
	if a.Progress() != nil {
		t.Error("a terminal that cannot take a line back is written to")
	}
}
