package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
)

// TestMeter shows how much of how much is done, and for how long it goes on
// (T15).
func TestMeter(t *testing.T) {
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	m := &shell{theme: theme.Plain(), cfg: Config{Now: func() time.Time { return began.Add(7200 * time.Millisecond) }}}
	for step, want := range map[progress][]string{
		{50, 200, "Recomputing the seals of events"}: {"Recomputing the seals of events", strings.Repeat("━", 10) + strings.Repeat("─", 30), "50 of 200", "7s"},
		{0, 0, "Reading x.json"}:                     {"Reading x.json", "7s"},
	} {
		page := prose.New(m.theme)
		(&job{began: began, step: step}).meter(m, page)
		p := pager.New(m.theme)
		p.SetSize(80, 5)
		p.SetRows(page.Rows())
		screen := ansi.Strip(strings.Join(p.View(), "\n"))
		for _, text := range want {
			if !strings.Contains(screen, text) {
				t.Errorf("%q is not in\n%s", text, screen)
			}
		}
	}
}
