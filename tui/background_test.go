package tui

import "testing"

// TestLightBackground checks how COLORFGBG is interpreted (T52).
func TestLightBackground(t *testing.T) {
	for value, light := range map[string]bool{"0;15": true, "0;default;15": true, "0;7": true, "15;0": false, "15;default;0": false, "": false, "15": false} {
		if got := lightBackground(func(string) string { return value }); got != light {
			t.Errorf("%q: light is %v", value, got)
		}
	}
}
