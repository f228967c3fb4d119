package tui_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui"
)

func TestQuitWaitsForWrites(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "C").write("On its way")
	b.press("ctrl+s")
	_, write := b.m.Update(keyPress("y"))
	if b.m.Writes() != 1 {
		t.Fatalf("%d writes on their way", b.m.Writes())
	}
	if b.press("q"); b.quit {
		t.Fatal("left before the write was answered")
	}
	b.wants("Finishing pending writes")
	msg := write()
	if batch, ok := msg.(tea.BatchMsg); ok {
		msg = batch[0]()
	}
	b.send(msg)
	if !b.quit {
		t.Fatal("did not leave when the write was answered")
	}
}

// TestSignalKeepsTheDraft checks that a signal quits like a key, and that an unsent text is restored at the next
// start.
func TestSignalKeepsTheDraft(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "C").write("Half a thou")
	if _, cmd := b.m.Update(tui.Terminate{}); cmd == nil {
		t.Fatal("nothing ends the workbench")
	} else if _, quits := cmd().(tea.QuitMsg); !quits {
		t.Fatal("the workbench does not end")
	}
	b.m = tui.New(b.config)
	b.m.Prime(100, 30)
	b.drain(b.m.Init())
	b.press("enter", "C").wants("Half a thou")
}

// suspends reports whether a command suspends the workbench.
func suspends(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	switch msg := cmd().(type) {
	case tea.SuspendMsg:
		return true
	case tea.BatchMsg:
		for _, c := range msg {
			if suspends(c) {
				return true
			}
		}
	}
	return false
}

// TestSuspendFromEverywhere checks that suspending stores the unsent text.
func TestSuspendFromEverywhere(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	for _, keys := range [][]string{{}, {"/", "x"}, {"esc", "enter", "x", "W", "h", "y"}} {
		_, cmd := b.press(keys...).m.Update(keyPress("ctrl+z"))
		if !suspends(cmd) {
			t.Errorf("after %q it stays", keys)
		}
	}
	b.press("esc", "D").wants("Why")
	b.send(tea.WindowSizeMsg{Width: 20, Height: 5})
	if _, cmd := b.m.Update(keyPress("ctrl+z")); !suspends(cmd) {
		t.Error("where the screen is too small it stays")
	}
}
