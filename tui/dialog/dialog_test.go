package dialog

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/screen/screentest"
	"toolcrib/tui/unsent"
)

// TestTypingConfirmsNothing types "may" at ten letters per second. The a opens a dialog, and the following y does not
// confirm it.
func TestTypingConfirmsNothing(t *testing.T) {
	var grace time.Duration
	answered := false
	question := screen.Dialog{
		Form: proposals.Form{Title: "Approve", Verb: "approve"}, Content: func(*prose.Page) {},
		Run: func(string) tea.Cmd { answered = true; return nil },
	}
	d, opened := Open(question, Needs{Status: new(screentest.Shell), Unsent: unsent.New(""), After: func(after time.Duration, msg tea.Msg) tea.Cmd {
		grace = after
		return func() tea.Msg { return msg }
	}}, screentest.Frame(80, 24))
	y := tea.KeyPressMsg{Code: 'y', Text: "y"}
	if d.Key(y); answered || grace < 300*time.Millisecond {
		t.Errorf("y answers %v after %s", answered, grace)
	}
	opened().(screen.Then).Do()
	if d.Key(y); !answered {
		t.Error("y after a pause does not answer")
	}
}
