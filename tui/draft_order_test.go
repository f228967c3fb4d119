package tui

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTheNewestDraftStays runs the commands that keep a text in the wrong order, as
// Bubble Tea may.
func TestTheNewestDraftStays(t *testing.T) {
	var f draftFiles
	file := filepath.Join(t.TempDir(), "reject.txt")
	keep := func(text string) func() error {
		return func() error { return writeWhole(file, []byte(text)) }
	}
	first, second := f.change(file, keep("N")), f.change(file, keep("Not this year."))
	second()
	first()
	if text, err := os.ReadFile(file); err != nil || string(text) != "Not this year." {
		t.Errorf("%q is kept: %v", text, err)
	}
	late, drop := f.change(file, keep("late")), f.change(file, func() error { return os.Remove(file) })
	drop()
	late()
	if _, err := os.Stat(file); err == nil {
		t.Error("a text that was sent is kept again")
	}
}
