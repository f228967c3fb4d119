package draw

import (
	"strings"
	"testing"

	"toolcrib/tui/theme"
)

// TestScrollbar checks that the scrollbar is drawn only into blank cells.
func TestScrollbar(t *testing.T) {
	for _, test := range []struct {
		percent, total int
		want           string
	}{
		{0, 8, "▐▐x "}, {100, 8, "  x▐"}, {0, 5000, "▐ x "}, {100, 5000, "  x▐"}, {50, 8, " ▐x "},
	} {
		lines := []string{"a ", "b ", "cx", "d " + theme.Reset}
		Scrollbar(lines, test.percent, test.total, "")
		var got strings.Builder
		for _, l := range lines {
			got.WriteString(string([]rune(strings.ReplaceAll(l, theme.Reset, ""))[1:]))
		}
		if got.String() != test.want {
			t.Errorf("%d %% of %d lines: %q, want %q", test.percent, test.total, got.String(), test.want)
		}
	}
}
