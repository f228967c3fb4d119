package tui_test

import (
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/tui"
)

// TestDrawsNothingWhileIdle checks that no page is redrawn while nothing happens, and that it is redrawn after a write
// by another process and after a minute.
func TestDrawsNothingWhileIdle(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 140, 30, demo("name_bank.json"))
	now := b.config.Now()
	b.config.Now = func() time.Time { return now }
	b.m = tui.New(b.config)
	b.m.Prime(140, 30)
	b.poll()
	for _, key := range []string{"Q", "enter", "2", "T", "enter", "A", "L", "?"} {
		b.press(key)
		b.screen()
		for range 3 {
			b.poll()
		}
		if !b.m.Kept() {
			t.Errorf("at rest behind %s, the screen is drawn again", key)
		}
		now = now.Add(time.Minute)
		b.poll()
		if b.m.Kept() {
			t.Errorf("behind %s, a minute later the ages are as they were", key)
		}
	}
	b.press("Q")
	b.screen()
	demo("word_counts.json")(b)
	b.poll()
	if b.m.Kept() {
		t.Error("another process wrote, and the screen is as it was")
	}
	b.wants("#2")
}
