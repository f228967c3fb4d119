package jobs

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// TestMeter checks that a meter shows the amount done, the total, and the elapsed time (T15).
func TestMeter(t *testing.T) {
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	f := screen.Frame{Theme: theme.Plain(), Now: func() time.Time { return began.Add(7200 * time.Millisecond) }}
	for step, want := range map[progress][]string{
		{50, 200, "Recomputing the seals of events"}: {"Recomputing the seals of events", strings.Repeat("━", 10) + strings.Repeat("─", 30), "50 of 200", "7s"},
		{0, 0, "Reading x.json"}:                     {"Reading x.json", "7s"},
	} {
		page := prose.New(f.Theme)
		(&job{began: began, step: step}).meter(f, page)
		p := pager.New(f.Theme)
		p.SetSize(80, 5)
		p.SetRows(page.Rows())
		view := ansi.Strip(strings.Join(p.View(), "\n"))
		for _, text := range want {
			if !strings.Contains(view, text) {
				t.Errorf("%q is not in\n%s", text, view)
			}
		}
	}
}
