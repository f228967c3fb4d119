package newcomer

import "testing"

// TestNamed takes no key that the last line does not name for exactly that label.
func TestNamed(t *testing.T) {
	screen := "x reject\n\n enter open  3y reject all  esc back  q quit"
	for label, want := range map[string]string{"open": "enter", "reject": "", "reject all": "3y", "all": "", "quit": "q", "": ""} {
		if got := named(screen, label); got != want {
			t.Errorf("%q: %q, want %q", label, got, want)
		}
	}
}
