package tui_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestTerminalCursor checks that the terminal's cursor is where the next character is inserted (T13).
func TestTerminalCursor(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	if b.m.View().Cursor != nil {
		t.Error("there is a cursor in a list")
	}
	at := func(before string) {
		t.Helper()
		v := b.m.View()
		if v.Cursor == nil {
			t.Fatalf("no cursor:\n%s", b.screen())
		}
		line := strings.Split(ansi.Strip(v.Content), "\n")[v.Cursor.Y]
		if got := ansi.Cut(line, 0, v.Cursor.X); !strings.HasSuffix(got, before) {
			t.Errorf("the cursor stands after %q, not after %q", got, before)
		}
		if strings.Contains(v.Content, "\x1b[7m") {
			t.Error("a second cursor is drawn")
		}
	}
	b.press("/").write("名 bank")
	at("filter 名 bank")
	b.press("left", "left")
	at("filter 名 ba")
	b.press("esc", "enter", "C").write("Where from?")
	at("Where from?")
	b.press("tab")
	if b.m.View().Cursor != nil {
		t.Error("there is a cursor while nothing is written")
	}
}
