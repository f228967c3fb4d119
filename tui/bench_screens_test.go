package tui_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// BenchmarkKey measures a key press and the resulting frame on every screen at 200 by 60, with a prompt of 1 MB in
// the open proposal.
func BenchmarkKey(b *testing.B) {
	draft := megabyte(100)
	for _, c := range []struct {
		name  string
		way   []string
		press []string // pressed in turn, repeatedly
	}{
		{"queue", nil, []string{"j", "k"}},
		{"queue-state", nil, []string{"tab"}},
		{"overview", []string{"enter"}, []string{"j", "k"}},
		{"diff", []string{"enter", "2"}, []string{"j", "k"}},
		{"diff-next-change", []string{"enter", "2"}, []string{"J", "K"}},
		{"diff-end-and-back", []string{"enter", "2"}, []string{"G", "g"}},
		{"diff-split", []string{"enter", "2"}, []string{"s"}},
		{"diff-wrap", []string{"enter", "2"}, []string{"w"}},
		{"diff-search-type", []string{"enter", "2", "/"}, []string{"x", "backspace"}},
		{"diff-search-next", []string{"enter", "2", "/", "7", "7", "7", "7", "enter"}, []string{"n"}},
		{"assessment", []string{"enter", "3"}, []string{"j", "k"}},
		{"prompt", []string{"enter", "4"}, []string{"j", "k"}},
		{"thread", []string{"enter", "5"}, []string{"j", "k"}},
		{"history", []string{"enter", "6"}, []string{"j", "k"}},
		{"tabs", []string{"enter"}, []string{"1", "2", "3", "4", "5", "6"}},
		{"dialog-type", []string{"enter", "2", "C"}, []string{"x", "backspace"}},
		{"dialog-open-close", []string{"enter", "2"}, []string{"x", "esc"}},
		{"tools", []string{"T"}, []string{"j", "k"}},
		{"log", []string{"L"}, []string{"j", "k"}},
		{"help", []string{"?"}, []string{"j", "k"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newBigWorkbench(b, draft)
			w.press(c.way...)
			keys := make([]tea.KeyPressMsg, len(c.press))
			for i, k := range c.press {
				keys[i] = keyPress(k)
				w.m.Update(keys[i]) // lays out everything that is cached
				_ = w.m.View()
			}
			for i := 0; b.Loop(); i++ {
				w.m.Update(keys[i%len(keys)])
				_ = w.m.View()
			}
		})
	}
}

// BenchmarkResize alternates between two sizes of the terminal with 1 MB in the diff.
func BenchmarkResize(b *testing.B) {
	w := newBigWorkbench(b, megabyte(100))
	w.press("enter", "2", "space", "space")
	sizes := []tea.WindowSizeMsg{{Width: 120, Height: 40}, {Width: 200, Height: 60}}
	for i := 0; b.Loop(); i++ {
		w.m.Update(sizes[i%2])
		_ = w.m.View()
	}
}

// BenchmarkPanes measures a key in the diff of a prompt of 1 MB with two panes and with one. Two panes may take a
// third longer (T16).
func BenchmarkPanes(b *testing.B) {
	for _, c := range []struct {
		name string
		way  []string
	}{
		{"two", []string{"enter", "2"}},
		{"one", []string{"enter", "2", "z"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newBigWorkbench(b, megabyte(100))
			w.press(c.way...)
			down, up := keyPress("j"), keyPress("k")
			b.ReportAllocs()
			for b.Loop() {
				for _, k := range []tea.KeyPressMsg{down, up} {
					w.m.Update(k)
					_ = w.m.View()
				}
			}
		})
	}
}
