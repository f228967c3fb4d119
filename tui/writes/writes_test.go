package writes

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/desk"
	"toolcrib/tui/dialog"
	"toolcrib/tui/pending"
	"toolcrib/tui/screen"
)

// dialogs records opened dialogs.
type dialogs struct{ open []screen.Dialog }

func (a *dialogs) Dialog() *dialog.Dialog { return nil }

func (a *dialogs) Ask(d screen.Dialog) tea.Cmd {
	a.open = append(a.open, d)
	return nil
}

func newWriter(t *testing.T, signed bool) (*Writer, *dialogs) {
	t.Helper()
	sh := new(dialogs)
	never := func(time.Duration, tea.Msg) tea.Cmd { return nil }
	return New(t.Context(), sh, pending.New(time.Now, never), signed), sh
}

// run returns the first message of a command.
func run(cmd tea.Cmd) tea.Msg {
	for queue := []tea.Cmd{cmd}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == nil {
			continue
		}
		msg := queue[0]()
		if batch, ok := msg.(tea.BatchMsg); ok {
			queue = append(queue, batch...)
		} else if msg != nil {
			return msg
		}
	}
	return nil
}

// TestCancelledWrites waits for every write, and reports the outcome of a write that was running when the program was
// terminated.
func TestCancelledWrites(t *testing.T) {
	w, _ := newWriter(t, false)
	for _, fn := range []screen.Write{
		func(context.Context) screen.Wrote { return screen.Wrote{Text: "Saved"} },
		func(ctx context.Context) screen.Wrote { return screen.Wrote{Err: ctx.Err(), Undone: "not approved"} },
		func(context.Context) screen.Wrote { return screen.Wrote{Err: errors.New("no space")} },
	} {
		written := w.Write(fn)
		if w.Running() != 1 {
			t.Fatalf("%d writes are on their way", w.Running())
		}
		w.Cancel()
		w.Ended(run(written).(screen.Wrote))
	}
	want := []string{"Saved", "not approved: toolcrib quit while the database was busy", "not written: no space"}
	if got := w.Outcomes(); len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("%q is told, not %q", got, want)
	}
	if w.Running() != 0 {
		t.Errorf("%d writes are on their way", w.Running())
	}
}

// TestDeclinedSignature declines a signature that a write requests. The write ends with the reason.
func TestDeclinedSignature(t *testing.T) {
	w, sh := newWriter(t, true)
	msg := run(w.Write(func(ctx context.Context) screen.Wrote {
		return screen.Wrote{Err: AskToSign(ctx, desk.SignRequest{Principal: "mara"})}
	}))
	w.Sign(msg.(SignatureRequested))
	if len(sh.open) != 1 || w.Running() != 1 {
		t.Fatalf("%d dialogs are open, %d writes on their way", len(sh.open), w.Running())
	}
	wrote := run(sh.open[0].OnDecline()).(screen.Wrote)
	if !errors.Is(wrote.Err, desk.ErrNotSigned) {
		t.Errorf("the write ends with %v", wrote.Err)
	}
	if err := AskToSign(t.Context(), desk.SignRequest{}); !errors.Is(err, desk.ErrNotSigned) {
		t.Errorf("outside of a write, a signature is asked: %v", err)
	}
}
