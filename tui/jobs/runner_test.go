package jobs

import (
	"context"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/dialog"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// window is a shell whose dialog the user has left.
type window struct {
	screen.Messenger
	asked []screen.Dialog
	said  string
}

func (w *window) Frame() screen.Frame    { return screen.Frame{Theme: theme.Plain(), Now: time.Now} }
func (w *window) Dialog() *dialog.Dialog { return nil }
func (w *window) Refit()                 {}

func (w *window) Ask(d screen.Dialog) tea.Cmd {
	w.asked = append(w.asked, d)
	return nil
}

func (w *window) Say(tone screen.Tone, format string, args ...any) tea.Cmd {
	w.said = string(screen.Sayf(tone, format, args...).Text)
	return nil
}

// TestOneJobAtATime runs a job, refuses a second one at the same time, and reports the end of a job in the status
// line if the user has left its dialog.
func TestOneJobAtATime(t *testing.T) {
	sh, ended := new(window), 0
	r := New(sh, Options{
		Context: t.Context(), After: func(time.Duration, tea.Msg) tea.Cmd { return nil }, Ended: func() tea.Cmd { ended++; return nil },
		Verify: func(ctx context.Context, _ screen.Tell) ([]string, error) { return nil, ctx.Err() },
	})
	batch := r.Verify()().(tea.BatchMsg)
	if r.Running() != 1 || r.CannotVerify() != "Verify is still running" {
		t.Errorf("%d jobs run; %q", r.Running(), r.CannotVerify())
	}
	sh.asked[0].OnEscape()
	for _, cmd := range batch {
		if then, ok := cmd().(screen.Then); ok {
			then.Do()
		}
	}
	if r.Running() != 0 || ended != 1 || sh.said != "Verify: canceled before it finished" || r.CannotVerify() != "" {
		t.Errorf("%d jobs run, %d have ended; %q is said", r.Running(), ended, sh.said)
	}
}
