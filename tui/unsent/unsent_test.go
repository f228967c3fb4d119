package unsent

import (
	"os"
	"testing"
)

// TestTheNewestTextIsStored runs commands that store a text in the wrong order, as Bubble Tea may.
func TestTheNewestTextIsStored(t *testing.T) {
	f := New(t.TempDir())
	first, second := f.Save("reject", "N"), f.Save("reject", "Not this year.")
	second()
	first()
	if text, err := os.ReadFile(f.File("reject")); err != nil || string(text) != "Not this year." {
		t.Errorf("%q is kept: %v", text, err)
	}
	late, drop := f.Save("reject", "late"), f.Drop("reject")
	drop()
	late()
	if _, err := os.Stat(f.File("reject")); err == nil {
		t.Error("a text that was sent is kept again")
	}
}
