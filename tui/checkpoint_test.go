package tui_test

import (
	"strings"
	"testing"
	"time"

	"toolcrib/tui"
)

// TestCheckpointSign checks that every page shows the age of the newest checkpoint, or else the decisions without
// one.
func TestCheckpointSign(t *testing.T) {
	var state tui.Checkpoint
	b := newWorkbench(t, 120, 24)
	b.config.Checkpoint = func() tui.Checkpoint { return state }
	b.m = tui.New(b.config)
	b.m.Prime(120, 24)
	for _, c := range []struct {
		state    tui.Checkpoint
		has, not string
	}{
		{tui.Checkpoint{}, "", "checkpoint"},
		{tui.Checkpoint{At: b.config.Now().Add(-3 * time.Hour)}, "checkpoint 3 h old", "without"},
		{tui.Checkpoint{At: b.config.Now(), Decisions: 2}, "! 2 decisions without checkpoint", "old"},
		{tui.Checkpoint{Decisions: 1}, "! 1 decision without checkpoint", "old"},
	} {
		state = c.state
		b.poll()
		top, _, _ := strings.Cut(b.screen(), "\n")
		if !strings.Contains(top, c.has) || strings.Contains(top, c.not) {
			t.Errorf("%+v: %s", c.state, top)
		}
	}
}
