package tui_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestQuitWaitsForWrites(t *testing.T) {
	b := newBench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "C").write("On its way")
	_, write := b.m.Update(keyPress("ctrl+s"))
	if b.m.Writes() != 1 {
		t.Fatalf("%d writes on their way", b.m.Writes())
	}
	if b.press("q"); b.quit {
		t.Fatal("left before the write was answered")
	}
	b.wants("Waiting until everything is written")
	msg := write()
	if batch, ok := msg.(tea.BatchMsg); ok {
		msg = batch[0]()
	}
	b.send(msg)
	if !b.quit {
		t.Fatal("did not leave when the write was answered")
	}
}
